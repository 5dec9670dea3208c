"""What is said to engineers of one session."""

from dataclasses import replace

from app.desk_actions import engineers
from tests.sample_store import record_of


def test_engineers_are_told_where_the_worst_turn_parts_and_why() -> None:
    record = record_of("02")
    lines = engineers(record)
    assert lines[0].startswith("Of ") and "prompt tokens" in lines[0]
    worst = max(record.turns, key=lambda turn: turn.account.lost if turn.account else 0)
    assert worst.divergence is not None
    assert f"Turn {worst.turn} parts at token {worst.divergence.token:,} (block {worst.divergence.block:,})" in lines[1]
    assert any(line.startswith("template/reasoning-stripped (certain): ") and " Fix: " in line for line in lines)


def test_nothing_known_is_said_so() -> None:
    record = record_of("02")
    unknown = replace(record, turns=tuple(replace(turn, account=None, divergence=None) for turn in record.turns))
    assert engineers(unknown) == ["Nothing is known of its tokens."]
