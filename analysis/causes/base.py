"""What a family of causes is asked, and what it may answer."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

from analysis.causes.comparison import Comparison, Rendering
from analysis.causes.fixes import Sent
from analysis.model.finding import Cause, Confidence, Note, TurnAnalysis
from analysis.model.gap import Gap, SourceFacts
from analysis.model.session import TokenIds, Turn


@dataclass(frozen=True, slots=True, eq=False)
class FirstTurn:
    """The first turn of a session, and requests of other sessions of the same model with their prompts."""

    now: Sent
    ids: TokenIds
    others: tuple[tuple[Sent, TokenIds], ...]
    rendering: Rendering | None


@dataclass(frozen=True, slots=True)
class Evidence:
    """One turn with its tokens, account and divergence, the session's turn before it, and the facts around both.

    ``previous`` is None on first turns; ``gap`` is None where nothing was missed or the turn's tokens are unknown.
    ``before`` and ``after`` are the turns around it even where the tokens of those are unknown.
    ``comparison`` holds the two requests side by side, without ids where they are compared by text, None where there is
    nothing to compare; ``first`` is what a first turn is held against.
    """

    now: TurnAnalysis
    previous: TurnAnalysis | None
    gap: Gap | None
    source: SourceFacts
    comparison: Comparison | None = None
    first: FirstTurn | None = None
    before: Turn | None = None
    after: Turn | None = None

    @property
    def missed(self) -> int:
        """Tokens that could have been reused and were not; 0 where the server did not report."""
        return (self.now.account.missed or 0) if self.now.account else 0

    @property
    def cached(self) -> int:
        """What the server reported, 0 where it did not: ask ``missed`` first."""
        return self.now.turn.usage.cached_tokens or 0

    @property
    def missed_by_keys(self) -> int:
        """Missed tokens that were only there under other keys, or in a reply that was still being written."""
        if self.gap is None:
            return 0
        return max(0, self.missed + self.cached - max(self.gap.unlimited_tokens, self.cached))

    @property
    def missed_within_keys(self) -> int:
        """Missed tokens that requests with this turn's own keys had left."""
        return 0 if self.gap is None else max(0, self.gap.unlimited_tokens - self.cached)


class Family(Protocol):
    """A family of causes: a module with one function."""

    def explain(self, evidence: Evidence) -> Iterator[Cause | Note]:
        """Say what this turn shows; nothing where the family has nothing to say."""


def cause(code: str, confidence: Confidence, tokens: int, evidence: str, fix: str, segment: str | None = None) -> Cause:
    """A cause of missed tokens, which no render can undo: what it recovers stays open."""
    return Cause(code, confidence, segment, tokens, None, evidence, fix)
