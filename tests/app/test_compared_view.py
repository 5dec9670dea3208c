"""Sessions side by side: names, figures, causes and differences."""

from dataclasses import replace

import pandas as pd

from analysis.core.account import wasted_by_cause
from analysis.model.settings import Settings
from app.compared_view import causes_table, column_names, differences, figures_table
from tests.sample_store import record_of, text_record

FIRST, OTHER = record_of("02"), record_of("07")


def test_sessions_of_one_id_are_told_apart() -> None:
    elsewhere = replace(FIRST, file="other.jsonl")
    assert column_names([FIRST, OTHER]) == [FIRST.session_id, OTHER.session_id]
    assert column_names([FIRST, elsewhere]) == [
        f"{FIRST.session_id} ({FIRST.file})",
        f"{FIRST.session_id} (other.jsonl)",
    ]
    twice = f"{FIRST.session_id} ({FIRST.file})"
    assert column_names([FIRST, FIRST]) == [f"1. {twice}", f"2. {twice}"]


def test_what_is_not_known_is_a_question_mark() -> None:
    row = {
        "status": "new", "wasted_tokens": 1234, "wasted_share": 0.5, "wasted_seconds": pd.NA, "wasted_cost": 0.0,
        "total_cost": None, "hit_rate": pd.NA, "num_turns": 3, "num_divergences": 0, "prompt_tokens": 5000,
        "model": "", "clients": [], "started": pd.Timestamp("2026-11-24 12:00", tz="UTC"), "source": "a.jsonl",
    }  # fmt: skip
    table = figures_table(pd.DataFrame([row]), ["one"], "Asia/Tokyo").one.to_dict()
    assert table == {
        "Status": "new", "Wasted tokens": "1,234", "of the prompts": "50.0%", "Wasted seconds": "?",
        "Wasted cost": "0.0000", "Cost": "?", "Hit rate (reported)": "?", "Turns": "3", "Divergences": "0",
        "Prompt tokens": "5,000", "Model": "?", "Client": "?", "Started (Asia/Tokyo)": "2026-11-24 21:00",
        "Log": "a.jsonl",
    }  # fmt: skip


def test_causes_stand_in_one_table() -> None:
    table = causes_table([FIRST, OTHER], ["one", "two"])
    for name, record in (("one", FIRST), ("two", OTHER)):
        found = {label.rpartition("(")[2].rstrip(")"): tokens for label, tokens in table[name].items() if tokens}
        assert found == wasted_by_cause(record.turns)
    assert "the cache salt changed (key/cache-salt)" in table.index
    assert table.sum(axis=1).is_monotonic_decreasing
    assert causes_table([text_record()], ["one"]).empty


def test_what_differs_is_said_and_nothing_else() -> None:
    assert differences(FIRST, FIRST) == []
    newer = replace(
        FIRST,
        model="other",
        settings=Settings(32, "given"),
        turns=tuple(replace(turn, client="agent/2") for turn in FIRST.turns),
    )
    assert differences(FIRST, newer) == [
        f"model: {FIRST.model} → other",
        "client: not named → agent/2",
        "block_size: 16 → 32",
    ]


def test_shares_and_causes_of_two_sessions_are_held_against_each_other() -> None:
    lines = differences(FIRST, OTHER)
    assert any(line.startswith("hit rate: ") and "%" in line for line in lines)
    assert "key/cache-salt: 0 wasted tokens → 8,480 wasted tokens" in lines
