"""What a family of causes is asked, and what it may answer."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

from analysis.model.finding import Cause, Note, TurnAnalysis


@dataclass(frozen=True, slots=True)
class Evidence:
    """One turn with its tokens, account and divergence, and the session's turn before it (None on first turns)."""

    now: TurnAnalysis
    previous: TurnAnalysis | None


class Family(Protocol):
    """A family of causes: a module with one function."""

    def explain(self, evidence: Evidence) -> Iterator[Cause | Note]:
        """Say what this turn shows; nothing where the family has nothing to say."""
