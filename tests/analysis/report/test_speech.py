"""Sentences of findings, taken apart into words of ours and quotes."""

import pytest

from analysis.model.finding import Cause
from analysis.report.quotes import Quote
from analysis.report.speech import MOST_TEXT, evidence_of, name, quote, spoken


def test_long_texts_are_cut_and_say_so() -> None:
    assert quote("x" * 999, "prompt") == Quote("x" * (MOST_TEXT - 1) + "…", "prompt", cut=True)
    assert name("short", "session") == Quote("short", "session", "name")
    assert name("a cut name…", "tool").cut, "as quotations in sentences are"


@pytest.mark.parametrize(
    ("sentence", "code", "parts"),
    [
        pytest.param("nothing explains it", "", ("nothing explains it",), id="words alone"),
        pytest.param(
            "the content differs: “Zor” now",
            "client/history-edited",
            ("the content differs: ", Quote("Zor", "here", cut=True), " now"),
            id="a value",
        ),
        pytest.param(
            "added: “look”, “run”",
            "tools/set-changed",
            ("added: ", Quote("look", "tool", "name"), ", ", Quote("run", "tool", "name")),
            id="names of tools",
        ),
        pytest.param(
            "“look” differs in “zor”",
            "tools/description-changed",
            (Quote("look", "tool", "name"), " differs in ", Quote("zor", "here", cut=True)),
            id="a tool and its field",
        ),
        pytest.param(
            "the Zorquen differs", "", (Quote("the Zorquen differs", "here", cut=True),), id="words of somebody else"
        ),
    ],
)
def test_spoken(sentence: str, code: str, parts: tuple[object, ...]) -> None:
    assert spoken(sentence, "here", code) == parts


def test_a_time_carries_its_form() -> None:
    said = "a time differs: “10:00:05” now, “10:00:00” before"
    cause = Cause("volatile-head/client-timestamp", "certain", "messages[0].content", 5, None, said, "f")
    quotes = [part for part in evidence_of(cause) if isinstance(part, Quote)]
    assert [(one.text, one.form, one.path) for one in quotes] == [
        ("10:00:05", "HH:MM:SS (+5 s)", "messages[0].content"),
        ("10:00:00", "HH:MM:SS", "messages[0].content"),
    ]


def test_a_tool_whose_time_differs_has_one_quote_and_no_form() -> None:
    cause = Cause("volatile-head/client-date", "certain", "tools[0]", 5, None, "“look”: a date differs", "f")
    assert evidence_of(cause) == (Quote("look", "tools[0]", cut=True), ": a date differs")
