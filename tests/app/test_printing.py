"""Findings as text for a terminal."""

import json
from dataclasses import replace

import pytest

from analysis.model.finding import Cause, Divergence, Previous
from analysis.model.prompt import Segment
from analysis.model.settings import Settings
from app.printing import HEADINGS, comparison_text, json_text, pair_reusable, safe, session_text
from tests.sample_store import record_of, text_record


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
    heading, verdict, summary, blank, columns, *rows, heading_of_plan, step = session_text(record).splitlines()
    assert record.session_id in heading and "8 turns" in heading and heading.endswith("block size 16")
    assert verdict == "58% computed again though unchanged: the cache salt changed." and not blank
    assert summary == "Of 14,665 prompt tokens 4,304 were reused, 8,480 missed (the cache salt changed)."
    assert columns.split()[:8] == list(HEADINGS[:8]) and "rounding" in columns
    assert [row.split()[0] for row in rows] == [str(number) for number in range(1, 9)]
    assert heading_of_plan == "  fix plan, each step on top of those before it:"
    assert step.startswith("  1. key/cache-salt (turns 5–8): reusable 4,304 → 12,784 ")
    fifth = record.turns[4]
    assert fifth.account is not None
    account = (fifth.account.missed, fifth.account.rounding, fifth.account.lost, fifth.account.new)
    expected = (fifth.prompt_tokens, fifth.cached_tokens, fifth.reusable_tokens, *account)
    assert rows[4].split()[1:8] == [f"{number:,}" for number in expected]
    assert rows[4].endswith("  key/cache-salt (certain)") and "key/" not in rows[3]


def test_where_a_turn_diverges_stands_behind_its_figures() -> None:
    rows = session_text(record_of("03")).splitlines()[5:]
    assert rows[1].endswith(
        "  at token 44 in the system message, character 150; volatile-head/client-timestamp (certain)"
    )
    assert rows[3].endswith("; template/reasoning-stripped (certain, hidden)")
    assert rows[0].split()[-1].replace(",", "").isdigit(), "a first turn leaves nothing"


def test_a_divergence_and_the_causes_stand_behind_one_another() -> None:
    record = record_of("03")
    causes = tuple(Cause(code, "possible", None, 9, None, "seen", "undo") for code in ("key/lora", "routing/replica"))
    row = session_text(replace(record, turns=(replace(record.turns[1], causes=causes),))).splitlines()[5]
    assert row.endswith("in the system message, character 150; key/lora (possible); routing/replica (possible)")


def test_a_turn_that_was_compared_by_text_says_so_and_has_no_token_figures() -> None:
    rows = session_text(text_record()).splitlines()[5:]
    assert rows[2].split()[:8] == ["3", "300", *"??????"]
    assert rows[2].endswith(
        "  approximate, by text: leaves turn 2 in the system message, character 27 (the same from the front: 0"
        " messages, 27 of 44 characters); volatile-head/client-timestamp (likely)"
    )
    assert rows[1].split() == ["2", "200", *"??????"] and len(rows) == 4, "no plan"


def test_a_token_without_a_field_is_named_too() -> None:
    turn = replace(record_of("03").turns[1], divergence=Divergence(1239, 77))
    row = session_text(replace(record_of("03"), turns=(turn,))).splitlines()[5]
    assert "at token 1,239; naming the message field needs this model's tokenizer" in row
    assert row.count("at token") == 1


def test_unknown_figures_are_question_marks() -> None:
    row = session_text(record_of("12")).splitlines()[6].split()
    assert row[2] == "?" and row[4] == "?" and "?" not in (row[1], row[3], *row[5:])
    bare = replace(record_of("12").turns[0], prompt_tokens=None, account=None, reusable_tokens=None)
    assert session_text(replace(record_of("12"), turns=(bare,))).splitlines()[5].split() == ["1", *"???????"]


def test_a_block_size_that_nobody_gave_says_where_it_comes_from() -> None:
    record = replace(record_of("12"), settings=Settings(128, "server"))
    assert session_text(record).splitlines()[0].endswith("block size 128 (server)")


def test_a_wrong_tokenizer_is_marked_on_the_row() -> None:
    right, *wrong = record_of("03").turns
    turns = (right, *(replace(turn, fidelity="mismatch") for turn in wrong))
    lines = session_text(replace(record_of("03"), turns=turns)).splitlines()
    assert lines[1].startswith("7 turns of 8 came out at another length")
    assert ["wrong tokenizer or template" in row for row in lines[5:13]] == [False, *[True] * 7]


def test_a_wrong_tokenizer_of_all_turns_is_said_once() -> None:
    turns = tuple(replace(turn, fidelity="mismatch") for turn in record_of("03").turns)
    lines = session_text(replace(record_of("03"), turns=turns)).splitlines()
    assert lines[1].startswith("8 turns of 8 came out at another length") and lines[2].startswith("No sums")
    assert not any("wrong tokenizer or template" in row for row in lines[5:13])


def test_a_comparison_says_where_and_shows_both_sides() -> None:
    earlier, later = record_of("02").turns[5:7]
    text = comparison_text(earlier, later, 16)
    assert later.previous is not None and later.divergence is not None
    assert f"the first {later.previous.lcp_tokens:,} are equal" in text
    assert f"first differing token: {later.divergence.token:,} (block {later.divergence.block:,})" in text
    assert "field: messages[" in text
    assert [line.split(":")[0].strip() for line in text.splitlines()[-3:]] == ["before", "old", "new"]


def test_a_comparison_without_a_tokenizer_has_no_texts() -> None:
    earlier, later = record_of("02").turns[5:7]
    text = comparison_text(earlier, replace(later, divergence=Divergence(9, 0)), 16)
    assert "naming the message field needs this model's tokenizer" in text
    assert "before:" not in text and "field:" not in text


def test_no_divergence_is_said() -> None:
    earlier, later = record_of("02").turns[:2]
    assert later.divergence is None
    grown = comparison_text(earlier, later, 16)
    assert "no divergence: the later prompt only goes on where the earlier one ends" in grown
    salted = comparison_text(earlier, replace(later, salt="salt B"), 16)
    assert "reusable: 0 tokens" in salted and "Their cache salts differ" in salted


@pytest.mark.parametrize(
    ("equal", "prompt", "block_size", "changed", "tokens"),
    [
        pytest.param(50, 80, 16, {}, 48, id="whole blocks"),
        pytest.param(50, 80, 32, {}, 32, id="larger blocks"),
        pytest.param(15, 80, 16, {}, 0, id="less than a block"),
        pytest.param(48, 48, 16, {}, 32, id="the last token is computed"),
        pytest.param(50, 80, 16, {"salt": "salt B"}, 0, id="another salt"),
        pytest.param(50, 80, 16, {"model": "another"}, 0, id="another model"),
        pytest.param(50, 80, 16, {"previous": None}, 0, id="nothing before it"),
    ],
)
def test_what_a_pair_can_reuse(
    equal: int, prompt: int, block_size: int, changed: dict[str, object], tokens: int
) -> None:
    earlier, later = record_of("02").turns[:2]
    later = replace(later, prompt_tokens=prompt, reusable_tokens=999, previous=Previous(1, equal))
    assert pair_reusable(earlier, replace(later, **changed), block_size) == tokens  # type: ignore[arg-type]


def test_nothing_untrusted_reaches_the_terminal_raw() -> None:
    evil = "\x1b]0;owned\x07\r\u202e"
    place = Segment(f"messages[0].{evil}", 3, evil)
    found = Divergence(9, 0, place, place, "searched", evil, evil, evil)
    record = record_of("02")
    earlier, later = (replace(turn, request_id=evil, model=evil, salt=evil) for turn in record.turns[5:7])
    cause = Cause(evil, "certain", None, 9, None, evil, evil)
    later = replace(later, divergence=found, causes=(cause,))
    shown = session_text(replace(record, session_id=evil, source=evil, model=evil, turns=(earlier, later)))
    shown += comparison_text(earlier, later, 16)
    assert all(line.isprintable() for line in shown.split("\n"))
