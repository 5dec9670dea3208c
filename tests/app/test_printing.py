"""Findings as text for a terminal."""

import json
from dataclasses import replace

import pytest

from analysis.model.finding import Divergence
from analysis.model.prompt import Segment
from analysis.model.settings import Settings
from app.printing import HEADINGS, comparison_text, json_text, safe, session_text
from tests.sample_store import record_of


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain ünïcode 漢", "plain ünïcode 漢"),
        ("\x1b[31mred\x1b[0m", r"\x1b[31mred\x1b[0m"),
        ("two\nlines\tand\rmore", r"two\nlines\tand\rmore"),
        ("\x9b31m", r"\x9b31m"),
        ("\u202eback", r"\u202eback"),
        ("\x00", r"\x00"),
    ],
)
def test_safe(text: str, shown: str) -> None:
    assert safe(text) == shown and safe(text).isprintable()


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ({"a": [1, None, 0.5, True]}, '{"a": [1, null, 0.5, true]}'),
        ("ünïcode 漢 🙂", '"ünïcode 漢 🙂"'),
        ("\x1b[31m\n", r'"\u001b[31m\n"'),
        ("\x7f\x9b31m\u202e", r'"\u007f\u009b31m\u202e"'),
        ("\U000e0041", r'"\udb40\udc41"'),
        ("a name that is no \udcff text", r'"a name that is no \udcff text"'),
    ],
)
def test_json_is_readable_and_can_be_printed(value: object, text: str) -> None:
    assert json_text(value) == text and text.isprintable()
    assert json.loads(text) == value


def test_a_session_is_a_verdict_and_a_table() -> None:
    record = record_of("07")
    heading, verdict, blank, columns, *rows = session_text(record).splitlines()
    assert record.session_id in heading and "8 turns" in heading and heading.endswith("block size 16")
    assert verdict.endswith("computed again though unchanged: look at keys, memory or routing.") and not blank
    assert columns.split()[:7] == list(HEADINGS[:7])
    assert [row.split()[0] for row in rows] == [str(number) for number in range(1, 9)]
    fifth = record.turns[4]
    assert fifth.account is not None
    expected = (fifth.prompt_tokens, fifth.cached_tokens, fifth.reusable_tokens, fifth.account.missed)
    assert rows[4].split()[1:5] == [f"{number:,}" for number in expected]


def test_where_a_turn_diverges_stands_behind_its_figures() -> None:
    rows = session_text(record_of("03")).splitlines()[4:]
    assert "in the system message" in rows[1]
    assert rows[0].split()[-1].replace(",", "").isdigit(), "a first turn leaves nothing"


def test_unknown_figures_are_question_marks() -> None:
    row = session_text(record_of("12")).splitlines()[5].split()
    assert row[2] == "?" and row[4] == "?" and row[1] != "?"
    bare = replace(record_of("12").turns[0], prompt_tokens=None, account=None, reusable_tokens=None)
    assert session_text(replace(record_of("12"), turns=(bare,))).splitlines()[4].split() == ["1", *"??????"]


def test_a_block_size_that_nobody_gave_says_where_it_comes_from() -> None:
    record = replace(record_of("12"), settings=Settings(128, "server"))
    assert session_text(record).splitlines()[0].endswith("block size 128 (server)")


def test_a_wrong_tokenizer_is_marked_on_the_row() -> None:
    turns = tuple(replace(turn, fidelity="mismatch") for turn in record_of("03").turns)
    lines = session_text(replace(record_of("03"), turns=turns)).splitlines()
    assert "cannot be trusted" in lines[1]
    assert all("wrong tokenizer or template" in row for row in lines[4:])


def test_a_comparison_says_where_and_shows_both_sides() -> None:
    earlier, later = record_of("02").turns[5:7]
    text = comparison_text(earlier, later)
    assert later.previous is not None and later.divergence is not None
    assert f"the first {later.previous.lcp_tokens:,} are equal" in text
    assert f"first differing token: {later.divergence.token:,} (block {later.divergence.block:,})" in text
    assert "field: messages[" in text
    assert [line.split(":")[0].strip() for line in text.splitlines()[-3:]] == ["before", "old", "new"]


def test_a_comparison_without_a_tokenizer_has_no_texts() -> None:
    earlier, later = record_of("02").turns[5:7]
    text = comparison_text(earlier, replace(later, divergence=Divergence(9, 0)))
    assert "naming the message field needs this model's tokenizer" in text
    assert "before:" not in text and "field:" not in text


def test_no_divergence_is_said() -> None:
    earlier, later = record_of("02").turns[:2]
    assert later.divergence is None
    assert "no divergence: the later prompt only goes on where the earlier one ends" in comparison_text(earlier, later)
    salted = comparison_text(earlier, replace(later, salt="salt B", reusable_tokens=0))
    assert "reusable: 0 tokens" in salted and "Their cache salts differ" in salted


def test_nothing_untrusted_reaches_the_terminal_raw() -> None:
    evil = "\x1b]0;owned\x07\r\u202e"
    place = Segment(f"messages[0].{evil}", 3, evil)
    found = Divergence(9, 0, place, place, "searched", evil, evil, evil)
    record = record_of("02")
    earlier, later = (replace(turn, request_id=evil, model=evil, salt=evil) for turn in record.turns[5:7])
    later = replace(later, divergence=found)
    shown = session_text(replace(record, session_id=evil, source=evil, model=evil, turns=(earlier, later)))
    shown += comparison_text(earlier, later)
    assert all(line.isprintable() for line in shown.split("\n"))
