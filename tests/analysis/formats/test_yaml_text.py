"""YAML of recorders: what it becomes, where it breaks off, and what is refused."""

import pytest

from analysis.formats.yaml_text import Value, document

LAUGHS = b"\n".join(
    [b"a0: &a0 [x, x, x, x]", *(b"a%d: &a%d [*a%d, *a%d, *a%d, *a%d]" % (n, n, *[n - 1] * 4) for n in range(1, 15))]
)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        pytest.param(b"a: {b: [1, 2.5, true, null, ~, x]}", {"a": {"b": [1, 2.5, True, None, None, "x"]}}, id="flow"),
        pytest.param(b"a: '1'\nb: \"2\"\nc: |\n  3\n", {"a": "1", "b": "2", "c": "3\n"}, id="quoted is text"),
        pytest.param(b"a: 2026-11-30\nb: yes\nc: 0x10", {"a": "2026-11-30", "b": "yes", "c": "0x10"}, id="as written"),
        pytest.param(b"a: !!binary aGk=\nb: !!binary a", {"a": b"hi", "b": "a"}, id="bytes"),
        pytest.param(b"a: !!python/object/apply:os.system [x]", {"a": ["x"]}, id="a tag makes nothing"),
        pytest.param(b"a: &k [1]\nb: *k\nc: &s t\nd: *s", {"a": [1], "b": [1], "c": "t", "d": "t"}, id="aliases"),
        pytest.param(b"a: &k {b: 1}\nc: {<<: *k}", {"a": {"b": 1}, "c": {"<<": {"b": 1}}}, id="nothing is merged"),
        pytest.param(b"a: &k [*k]", {"a": [None]}, id="an alias of what is not closed"),
        pytest.param(b"? [1]\n: b\n2: c\nnull: d", {"[1]": "b", "2": "c", "None": "d"}, id="keys are texts"),
        pytest.param(b"a: 1\n---\nb: 2", {"a": 1}, id="the first document"),
        pytest.param(b"", None, id="nothing"),
    ],
)
def test_what_a_document_becomes(text: bytes, value: Value) -> None:
    assert document(text) == (value, None)


@pytest.mark.parametrize(
    ("text", "value", "line"),
    [
        (b"i:\n- {a: 1}\n- {b: 'x", {"i": [{"a": 1}]}, "line 3: "),
        (b"i:\n- {a: 1}\n- b: {c: [1", {"i": [{"a": 1}]}, "line 4: "),
        (b"\0", None, "no YAML"),
    ],
)
def test_what_breaks_off_gives_what_is_whole(text: bytes, value: Value, line: str) -> None:
    found, broken = document(text)
    assert found == value and broken is not None and broken.startswith(line)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (LAUGHS, "aliases that unfold to many times its size"),
        (b"[" * 70, "nested more than 64 deep"),
        (b"- " * 70 + b"a", "nested more than 64 deep"),
    ],
    ids=["a billion laughs", "brackets", "dashes"],
)
def test_what_is_refused(text: bytes, reason: str) -> None:
    with pytest.raises(ValueError, match=f"^{reason}$"):
        document(text)
