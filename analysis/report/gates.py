"""Figures over sets of sessions that a CI gate compares."""

from collections.abc import Iterable, Sequence

from analysis.model.record import SessionRecord


def lost_percent(records: Iterable[SessionRecord]) -> float | None:
    """100 × lost / prompt tokens, first turns and deliberate events left out; None where nothing can be measured."""
    lost = prompt_tokens = 0
    for record in records:
        for turn in record.turns:
            if turn.account is None or turn.previous is None or any(cause.deliberate for cause in turn.causes):
                continue
            lost += turn.account.lost
            prompt_tokens += turn.prompt_tokens or 0
    return 100 * lost / prompt_tokens if prompt_tokens else None


def causes_among(records: Iterable[SessionRecord], codes: Sequence[str]) -> list[str]:
    """Where one of these causes stands, a line per turn: ``session turn 3: key/cache-salt``."""
    return [
        f"{record.session_id} turn {turn.turn}: {cause.code}"
        for record in records
        for turn in record.turns
        for cause in turn.causes
        if cause.code in codes and not cause.deliberate
    ]
