"""What a file begins with, also where it is cut off or broken."""

import json

import pytest

from analysis.formats import shape

ONE = {"a": {"x": [1]}, "b": '{"c": 1}'}
LINE = json.dumps(ONE).encode()
HEADS = {
    "one object": LINE,
    "one object over several lines": json.dumps(ONE, indent=1).encode(),
    "lines": LINE + b"\n" + LINE,
    "lines with CRLF": LINE + b"\r\n" + LINE,
    "a broken first line": LINE[5:] + b"\n" + LINE,
    "an incomplete last line": LINE + b"\n" + LINE[:-4],
    "an array": b"[" + LINE + b",\n" + LINE + b"]",
    "an array that is cut off": b"\n[ " + LINE + b" , " + LINE[:9],
    "a byte order mark": b"\xef\xbb\xbf" + LINE,
    "zeros": bytes(9) + LINE,
}


@pytest.mark.parametrize("head", HEADS.values(), ids=HEADS)
def test_the_first_objects(head: bytes) -> None:
    record = shape.opening(head)[0]
    assert set(record) == set(ONE) and shape.has(head, "a", "b") and not shape.has(head, "a", "x")
    assert shape.value(record, "a") == ONE["a"] and shape.value(record, "z") is None
    assert shape.inner(record, "b") == {"c": 1} and shape.inner(record, "z") == {}


def test_of_a_long_object_the_names_are_known() -> None:
    head = json.dumps({"a": {"x": [1, {"y": ":"}]}, 'q"': 2, "b": ["}"], "c": "x" * 99}).encode()[:-20]
    (record,) = shape.opening(head)
    assert list(record) == ["a", 'q\\"', "b", "c"] and shape.value(record, "a") is None


@pytest.mark.parametrize("end", ["", "\\"], ids=["within", "behind a backslash"])
def test_what_stands_in_a_string_that_is_cut_off_is_no_field(end: str) -> None:
    """Tried anew at every quote in it, a megabyte of them would take hours."""
    inner = json.dumps(json.dumps({"x" * 9: '", "b": 1'}) * (1 << 15))[:-1]
    (record,) = shape.opening(f'{{"a": 1, "s": {inner}{end}'.encode())
    assert list(record) == ["a", "s"]


@pytest.mark.parametrize("head", [b"", b"[", b"{", b"[1, 2]", b"3", b"text", b"\xff\xfe\0", b"[[{}]]", b"{" * 9999])
def test_what_has_no_objects_has_none(head: bytes) -> None:
    assert not any(record for record in shape.opening(head))


def test_only_a_few_are_looked_at() -> None:
    assert len(shape.opening(LINE + (b"\n" + LINE) * 100)) == len(shape.opening(b"[" + (LINE + b",") * 100))
