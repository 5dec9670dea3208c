"""Strings that remember where they came from, checked character by character against plain strings."""

import pickle
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from analysis.model.prompt import Span
from analysis.render.jinja import ChatTemplate
from analysis.render.provenance import Traced, spans, tojson, trace, trace_items

PATH = "messages[0].content"
few_letters = st.text("ab>< \n", max_size=12)


def origins(text: str) -> list[int | None]:
    """The offset in the field of every character, None for template text."""
    assert isinstance(text, Traced)
    return [
        None if path is None else offset + index for length, path, offset in text.origins for index in range(length)
    ]


def of_one_field(text: str) -> Traced:
    return Traced(text, ((len(text), PATH, 0),) if text else ())


CUTS: dict[str, Callable[[str, str], Any]] = {
    "strip": lambda text, _: text.strip(),
    "strip these": lambda text, sep: text.strip(sep),
    "lstrip": lambda text, _: text.lstrip("\n"),
    "rstrip": lambda text, _: text.rstrip("\n"),
    "slice": lambda text, sep: text[len(sep) : -1],
    "step": lambda text, _: text[::2],
    "backwards": lambda text, _: text[::-1],
    "split": lambda text, _: text.split(),
    "split at": lambda text, sep: text.split(sep or "a"),
    "split once": lambda text, sep: text.split(sep or "a", 1),
    "split words once": lambda text, _: text.split(None, 1),
    "rsplit at": lambda text, sep: text.rsplit(sep or "a"),
    "rsplit once": lambda text, sep: text.rsplit(sep or "a", 1),
    "rsplit words once": lambda text, _: text.rsplit(None, 1),
    "splitlines": lambda text, _: text.splitlines(),
    "splitlines with ends": lambda text, _: text.splitlines(True),
    "partition": lambda text, sep: list(text.partition(sep or "a")),
    "rpartition": lambda text, sep: list(text.rpartition(sep or "a")),
    "removeprefix": lambda text, sep: text.removeprefix(sep),
    "removesuffix": lambda text, sep: text.removesuffix(sep),
    "characters": lambda text, _: list(text),
}


@pytest.mark.slow
@pytest.mark.parametrize("cut", CUTS.values(), ids=CUTS)
@settings(max_examples=40, deadline=None)
@given(text=few_letters, separator=st.text("ab>< \n", max_size=3))
def test_cuts_keep_the_origin_of_every_character(cut: Callable[[str, str], Any], text: str, separator: str) -> None:
    plain, traced = cut(text, separator), cut(of_one_field(text), separator)
    assert traced == plain
    pieces = list(traced) if isinstance(traced, list) else [traced]
    at = 0
    for piece in pieces:
        found = [offset for offset in origins(piece) if offset is not None]
        assert "".join(text[offset] for offset in found) == piece
        if found and cut not in (CUTS["backwards"], CUTS["step"]):
            assert found == list(range(found[0], found[0] + len(found)))
            assert found[0] >= at, "pieces stand in their order"
            at = found[-1] + 1


@settings(max_examples=100, deadline=None)
@given(text=st.text("ab", max_size=9), separator=st.text("ab", min_size=1, max_size=3))
@example(text="</b>b>", separator="</b>")
def test_pieces_of_a_split_stand_where_the_separators_leave_them(text: str, separator: str) -> None:
    for pieces in (of_one_field(text).split(separator), of_one_field(text).rsplit(separator, 1)):
        at = 0
        for piece in pieces:
            assert origins(piece) == list(range(at, at + len(piece)))
            at += len(piece) + len(separator)


@settings(max_examples=100, deadline=None)
@given(few_letters, st.text("ab", min_size=1, max_size=2), st.text("xy", max_size=3), st.integers(-1, 3))
def test_replace(text: str, old: str, new: str, count: int) -> None:
    traced = of_one_field(text).replace(old, new, count)
    assert traced == text.replace(old, new, count)
    for char, offset in zip(traced, origins(traced), strict=True):
        assert char in "xy" if offset is None else text[offset] == char


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(of_one_field("ab") + "-", [0, 1, None], id="behind"),
        pytest.param("-" + of_one_field("ab"), [None, 0, 1], id="before"),
        pytest.param(of_one_field("ab") * 2, [0, 1, 0, 1], id="times"),
        pytest.param(of_one_field("-").join(["a", of_one_field("b")]), [None, 0, 0], id="join"),
        pytest.param(of_one_field("ab").upper(), [0, 1], id="upper"),
        pytest.param(of_one_field("aß").upper(), [None, None, None], id="upper that grows"),
        pytest.param(Traced(""), [], id="empty"),
    ],
)
def test_joins(text: str, expected: list[int | None]) -> None:
    assert origins(text) == expected


def test_an_index_outside_is_an_error() -> None:
    with pytest.raises(IndexError):
        of_one_field("ab")[2]
    assert of_one_field("ab")[-1] == "b"


@pytest.mark.parametrize("name", ["type", "1"])
def test_a_name_is_no_index(name: str) -> None:
    with pytest.raises(TypeError):
        of_one_field("ab")[name]  # type: ignore[index]
    parts = "{% for part in m %}{% if part['type'] == 'text' %}x{% else %}-{% endif %}{% endfor %}"
    assert ChatTemplate(parts).render_traced({"m": of_one_field("ab")}, 0.0) == "--", "as with a plain string"


def test_a_traced_string_is_pickled_as_plain_text() -> None:
    copy = pickle.loads(pickle.dumps(of_one_field("ab")))
    assert copy == "ab" and type(copy) is str


MESSAGE = {
    "role": "assistant",
    "content": "hi",
    "thinking": "hm",
    "tool_calls": [{"id": "c1", "function": {"name": "f", "arguments": {"a": "x"}}}],
}


@pytest.mark.parametrize(
    ("expression", "path"),
    [
        pytest.param("m.content", "messages[3].content", id="content"),
        pytest.param("m.role", "messages[3].role", id="role"),
        pytest.param("m.thinking", "messages[3].reasoning", id="every name of reasoning"),
        pytest.param("m.tool_calls[0].function.name", "messages[3].tool_calls[0]", id="a call"),
        pytest.param("m.tool_calls[0].function.arguments.a", "messages[3].tool_calls[0]", id="inside arguments"),
        pytest.param("m.tool_calls[0].function.arguments | tojson", "messages[3].tool_calls[0]", id="a dump"),
        pytest.param("m.content | tojson", "messages[3].content", id="a dump of a text"),
        pytest.param("m.content | trim", "messages[3].content", id="trim"),
        pytest.param("[m.content, m.content] | join", "messages[3].content", id="join"),
        pytest.param("m.content | replace('h', 'j')", "messages[3].content", id="replace"),
        pytest.param("m.content ~ ''", "messages[3].content", id="tilde"),
        pytest.param("m.content + ''", "messages[3].content", id="plus"),
        pytest.param("m.content[0:]", "messages[3].content", id="slice"),
        pytest.param("m.content.split('!')[-1]", "messages[3].content", id="split"),
        pytest.param("t.function | tojson", "tools[1]", id="a tool"),
    ],
)
def test_fields_are_followed_through_a_template(expression: str, path: str) -> None:
    variables = {
        "m": trace(MESSAGE, "messages[3]"),
        "t": trace({"function": {"name": "look"}}, "tools[1]"),
    }
    text = ChatTemplate(f"<{{{{ {expression} }}}}>").render_traced(variables, 0.0)
    assert {span.path for span in spans(text)} == {path}
    assert all(0 < span.start < span.stop < len(text) for span in spans(text)), "the brackets are template text"


def test_a_dump_of_what_has_no_field_stays_plain() -> None:
    assert tojson({"a": 1}) == '{"a": 1}'
    assert not isinstance(tojson({"a": 1}), Traced)
    assert origins(tojson(trace("a", PATH))) == [0, 1, 2]


def test_spans_join_where_a_field_continues_and_only_there() -> None:
    whole = of_one_field("abcd")
    assert spans(whole[:2] + whole[2:]) == [Span(0, 4, PATH)]
    assert spans(whole[:2] + whole[3:]) == [Span(0, 2, PATH), Span(2, 3, PATH, 3)]
    assert spans(whole[:1] + "-" + whole[1:2]) == [Span(0, 1, PATH), Span(2, 3, PATH, 1)]
    assert spans("plain") == []


def test_items_know_their_place_in_the_list() -> None:
    first, second = trace_items("messages", [{"content": "a"}, {"content": "b"}])
    assert spans(second["content"] + first["content"]) == [
        Span(0, 1, "messages[1].content", 0),
        Span(1, 2, "messages[0].content", 0),
    ]
