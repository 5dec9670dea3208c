"""Which field a token belongs to, and what template text belongs to a field."""

import numpy as np
import pytest

from analysis.core.segment import segment_of, segments
from analysis.model.prompt import Attribution, Segment, Span


def marked(text: str, *fields: tuple[str, str]) -> tuple[str, list[Span]]:
    """Spans of these (path, content) pairs where they stand in the text, in order."""
    spans, at = [], 0
    for path, content in fields:
        start = text.index(content, at)
        at = start + len(content)
        spans.append(Span(start, at, path))
    return text, spans


def characters(text: str, spans: tuple[Span, ...]) -> Attribution:
    """Every character a token."""
    ids = np.arange(len(text), dtype=np.int32)
    return Attribution(text, ids, ids, spans, "provenance")


REASONING = "messages[1].reasoning"
CONTENT = "messages[1].content"
CALL = "messages[1].tool_calls[0]"


@pytest.mark.parametrize(
    ("text", "fields", "covered"),
    [
        pytest.param("<user>\nhi\n", [(CONTENT, "hi")], ["<user>\nhi"], id="markup line before"),
        pytest.param("hello\nhi\n", [(CONTENT, "hi")], ["hi"], id="plain line before"),
        pytest.param(
            "<think>\nhm\n</think>\n\nyes",
            [(REASONING, "hm"), (CONTENT, "yes")],
            ["<think>\nhm", "yes"],
            id="a blank line ends the introduction",
        ),
        pytest.param("Today is Sunday", [("messages[0].content", "Sunday")], ["Sunday"], id="words do not introduce"),
        pytest.param(
            "x</end>\n<|user\nhi",
            [("messages[0].role", "user"), (CONTENT, "hi")],
            ["<|user", "hi"],
            id="the line before never introduces a role",
        ),
        pytest.param(
            '<tool_call>\n{"name": "f", "arguments": {}}',
            [(CALL, "f"), (CALL, "{}")],
            ['<tool_call>\n{"name": "f", "arguments": {}'],
            id="the fields of one call are joined",
        ),
    ],
)
def test_introductions(text: str, fields: list[tuple[str, str]], covered: list[str]) -> None:
    found = segments(*marked(text, *fields))
    assert [text[span.start : span.stop] for span in found] == covered


@pytest.mark.parametrize(
    ("text", "role", "covered"),
    [
        pytest.param("<|start|>user\nhi", "user", "<|start|>user", id="the markup on its own line"),
        pytest.param("<eot>\n<|start|>user\nhi", "user", "<|start|>user", id="not the line before"),
        pytest.param("<eot>\nuser: hi", "user", "user", id="a bare line start"),
        pytest.param("From user: hi", "user", "user", id="words do not introduce"),
    ],
)
def test_a_role_is_introduced_by_its_own_line_only(text: str, role: str, covered: str) -> None:
    (span,) = segments(*marked(text, ("messages[1].role", role)))
    assert text[span.start : span.stop] == covered
    assert segment_of(characters(text, (span,)), text.index(role)) == Segment("messages[1].role", 0)


def test_overlapping_fields_are_dropped() -> None:
    found = segments("abcdef", [Span(0, 4, "messages[0].content"), Span(2, 4, "messages[1].content")])
    assert found == (Span(0, 4, "messages[0].content"),)


@pytest.mark.parametrize(
    ("token", "segment"),
    [
        pytest.param(0, Segment(CONTENT, 0), id="introduction counts as character 0"),
        pytest.param(7, Segment(CONTENT, 0), id="first character"),
        pytest.param(8, Segment(CONTENT, 1), id="second character"),
        pytest.param(9, Segment("template", None), id="template"),
        pytest.param(99, Segment("template", None), id="behind the end"),
    ],
)
def test_segment_of(token: int, segment: Segment) -> None:
    text, fields = marked("<user>\nhi\n", (CONTENT, "hi"))
    assert segment_of(characters(text, segments(text, fields)), token) == segment


def test_a_field_that_continues_keeps_its_offset() -> None:
    attribution = characters("ab|cd", (Span(0, 2, CONTENT, 0), Span(3, 5, CONTENT, 7)))
    assert segment_of(attribution, 4) == Segment(CONTENT, 8)


def test_a_token_that_reaches_into_a_field_belongs_to_it() -> None:
    starts = np.array([0, 3], np.int32)
    attribution = Attribution("ab:cd", starts, starts, (Span(2, 5, CONTENT),), "provenance")
    assert segment_of(attribution, 0) == Segment(CONTENT, 0)


def test_a_call_counts_from_its_introduction() -> None:
    text, fields = marked('<tool_call>\n{"name": "f"', (CALL, "f"))
    assert segment_of(characters(text, segments(text, fields)), 14) == Segment(CALL, 14)
