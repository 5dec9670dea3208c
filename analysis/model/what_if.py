"""One session before and after a change to its requests."""

from dataclasses import dataclass

from analysis.model.finding import Account


@dataclass(frozen=True, slots=True)
class TurnFigures:
    """One turn of a what-if; all counts are tokens, ``reusable_tokens`` is predicted."""

    turn: int
    prompt_tokens: int
    reusable_tokens: int
    account: Account | None


@dataclass(frozen=True, slots=True)
class WhatIf:
    """A session before and after a change to its requests, turn by turn.

    Where it could not be verified, ``after`` is empty and ``reason`` says why.
    """

    change: str
    before: tuple[TurnFigures, ...]
    after: tuple[TurnFigures, ...] = ()
    reason: str | None = None
