"""Comparisons by text: rows, sentences and the HTML of untrusted text."""

import re
from dataclasses import replace
from pathlib import Path

import pytest

from analysis.model.finding import TextDivergence
from analysis.model.prompt import Segment
from analysis.pipeline.importing import store
from analysis.pipeline.renderers import Renderers
from analysis.report.palette import palette
from analysis.store.repository import Repository
from app.text_view import headline, next_step, rows, text_html, visible
from tests.app.dashboard import Open, cards, no_exception, words
from tests.sample_store import sample, text_record

RECORD = text_record()
TURNS = [turn for turn in RECORD.turns if turn.text is not None]
SYSTEM = Segment("messages[0].content", 3, "system")


def html(before: str, old: str, new: str) -> list[str]:
    """The text of both columns with what is marked in brackets."""
    made = text_html(TextDivergence(SYSTEM, SYSTEM, before, old, new), 3, 4, palette(False))
    columns = re.findall(r"<div class='wm-text'>(.*?)</div>", made, re.DOTALL)
    return [re.sub(r"<mark[^>]*>(.*?)</mark>", r"[\1]", column) for column in columns]


def test_a_row_per_turn_with_what_is_the_same_from_the_front() -> None:
    frame = rows(TURNS)
    assert frame.turn.tolist() == [2, 3, 4] and frame.before.tolist() == [34, 44, 52]
    assert frame.parts.tolist() == ["", "in the system message, character 27", ""]
    assert frame.same.round(2).tolist() == [1, 0.61, 1]
    assert [list(codes) for codes in frame.causes] == [[], ["a time stands in the prompt"], []]


def test_the_headline_says_where_it_parts_or_that_nothing_changed() -> None:
    first, second, _third = ((turn.turn, turn.text) for turn in TURNS)
    assert first[1] is not None and headline(*first) == "Turn 2 only continues turn 1"  # type: ignore[arg-type]
    assert headline(*second) == "Turn 3 leaves turn 2 in the system message, character 27"  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("old", "new", "columns"),
    [
        pytest.param(
            "1. Go on, then stop",
            "2. Go on, then stop",
            ["at [1.] Go on, then stop", "at [2.] Go on, then stop"],
            id="a value",
        ),
        pytest.param(
            "1 is the one", "2 was the two", ["at [1 is the one]", "at [2 was the two]"], id="words by chance"
        ),
        pytest.param("", ", it is", ["at <span class='wm-none'>(ends here)</span>", "at [, it is]"], id="an end"),
        pytest.param("  x", "\nx", ["at [··x]", "at [↵<br>x]"], id="blanks"),
        pytest.param(" ", "  ", ["at [·]", "at [··]"], id="nothing but blanks"),
        pytest.param("<b>&", "\x1b[0m", ["at [&lt;b&gt;&amp;]", "at [\\x1b[0m]"], id="markup and controls"),
    ],
)
def test_what_differs_is_marked_and_escaped(old: str, new: str, columns: list[str]) -> None:
    assert html("at ", old, new) == columns


def test_text_is_shown_as_it_is() -> None:
    assert visible("a b\n<c>\t\ud800 · \u202e") == "a b↵<br>&lt;c&gt;→\\xed\\xa0\\x80 · \\u202e"


def test_the_next_step() -> None:
    lacking = "This log leaves out the tools, so no tokenizer can give its tokens. Log whole requests with"
    assert next_step(TURNS, lambda model: False) == f"{lacking} `whymiss record`."
    assert next_step(TURNS, lambda model: True) == f"{lacking} `whymiss record`."
    whole = [replace(turn, completeness=frozenset()) for turn in TURNS]
    missing = "For tokens and blocks choose a renderer for unknown/model on the page Models."
    assert next_step(whole, lambda model: False) == missing
    assert next_step(whole, lambda model: True).startswith("There is a renderer for this model now")
    nameless = [replace(turn, model="") for turn in whole]
    assert next_step([*whole, *nameless], lambda model: False) == missing
    said = "The log names no model: name its tokenizer under Add logs, or with --model."
    assert next_step(nameless, lambda model: False) == said


def test_a_session_of_an_unknown_model_shows_where_its_text_parts(visit: Open, tmp_path: Path) -> None:
    repository = Repository.open(tmp_path / "text.duckdb")
    store(replace(sample("03"), records=(text_record(),)), Renderers(), repository)
    repository.close()
    shown = no_exception(visit("session", tmp_path / "text.duckdb", session="1"))
    assert "client agent/1.2.3" in words(shown) and "no divergence is claimed inside of it" in words(shown)
    assert "Turn 3 leaves turn 2 in the system message, character 27" in words(shown)
    assert "**A time stands in the prompt** · likely · approximate, by text" in words(shown)
    assert cards(shown)["Lost"] == "?" and shown.metric[0].delta == "1 change by text"
    assert not shown.error and "fix plan" not in words(shown).lower()
    table = next(frame.value for frame in shown.dataframe if "By text" in frame.value)
    assert set(table["In the log"]) == {"incomplete: no tools"} and set(table.Client) == {"agent/1.2.3"}
    other = no_exception(visit("session", tmp_path / "text.duckdb", session="1", turn="4"))
    assert "Turn 4 only continues turn 3" in words(other)
    sessions = no_exception(visit("sessions", tmp_path / "text.duckdb"))
    assert cards(sessions)["Wasted tokens"] == "?"
