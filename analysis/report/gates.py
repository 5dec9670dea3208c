"""Figures over sets of sessions that a CI gate compares."""

from collections.abc import Iterable

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
