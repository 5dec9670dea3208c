"""Comparisons by text in words, and what a log lacks."""

from dataclasses import replace

import pytest

from analysis.model.finding import TextComparison, TextDivergence
from analysis.model.prompt import Segment
from analysis.model.session import Mark
from analysis.report.text_words import equal, incomplete, parts_at
from tests.sample_store import text_record

SYSTEM = Segment("messages[0].content", 28, "system")
CALL = Segment("messages[2].tool_calls[0]", 0, "assistant")
REASONING = Segment("messages[2].reasoning", 0, "assistant")


@pytest.mark.parametrize(
    ("here", "before", "words"),
    [
        pytest.param(SYSTEM, SYSTEM, "in the system message, character 28", id="one field"),
        pytest.param(
            CALL,
            REASONING,
            "in tool call 1 of message 3 (assistant), where the reasoning of message 3 (assistant) stood before",
            id="one field for another",
        ),
        pytest.param(Segment("prompt", 1200), Segment("prompt", 1200), "in prompt, character 1,200", id="one text"),
    ],
)
def test_where_the_texts_part(here: Segment, before: Segment, words: str) -> None:
    assert parts_at(TextComparison(1, 0, 28, 40, TextDivergence(here, before, "", "", ""))) == words


def test_what_only_goes_on() -> None:
    found = TextComparison(3, 1, 1_234, 1_234)
    assert parts_at(found) == "nothing of turn 3 changed"
    assert equal(found) == "the same from the front: 1 message, 1,234 of 1,234 characters"


@pytest.mark.parametrize(
    ("marks", "words"),
    [
        ((), ""),
        (("no_tools", "no_system"), "incomplete: no system prompt, no tools"),
        (("truncated", "reconstructed"), "incomplete: cut off"),
        (("redacted",), "incomplete: blacked out"),
        (("reconstructed",), "put together from a transcript"),
    ],
)
def test_what_a_log_lacks(marks: tuple[Mark, ...], words: str) -> None:
    assert incomplete(replace(text_record().turns[0], completeness=frozenset(marks))) == words
