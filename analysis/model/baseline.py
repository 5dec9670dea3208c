"""What is kept of a set of sessions so that a later one can be held against it: sums, and no text of a log."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class SetFigures:
    """Sums in tokens over the turns of one or more sessions.

    ``rendered_tokens`` are the prompts whose tokens are known, of which ``reusable_tokens`` could be reused;
    ``known_tokens`` the prompts for which the server reported ``cached_tokens``.
    """

    num_turns: int
    rendered_tokens: int
    reusable_tokens: int
    known_tokens: int
    cached_tokens: int

    @property
    def reusable_share(self) -> float | None:
        """Reusable over prompt tokens in percent, over the turns whose tokens are known; None where there is none."""
        return 100 * self.reusable_tokens / self.rendered_tokens if self.rendered_tokens else None

    @property
    def hit_rate(self) -> float | None:
        """Cached over prompt tokens in percent, over the turns whose count is known; None where there is none."""
        return 100 * self.cached_tokens / self.known_tokens if self.known_tokens else None


@dataclass(frozen=True, slots=True)
class Baseline:
    """A set of sessions: all of them together, each one by its id, and the tokens that each cause wasted.

    ``settings`` is how they were analysed, as field names and values.
    """

    settings: Mapping[str, str]
    whole: SetFigures
    sessions: Mapping[str, SetFigures]
    causes: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Moved:
    """One figure on both sides; percentages or tokens, None where a side has none."""

    name: str
    before: float | None
    after: float | None

    @property
    def change(self) -> float | None:
        """After minus before; None where a side has none."""
        return None if self.before is None or self.after is None else self.after - self.before


@dataclass(frozen=True, slots=True)
class Comparison:
    """A set held against its baseline.

    ``measures`` are the shares in percent, ``causes`` wasted tokens by code, ``sessions`` those of both sides whose
    share moved, the worst first.  ``settings`` are those that differ, as "name: before → after".
    """

    measures: tuple[Moved, ...]
    causes: tuple[Moved, ...]
    sessions: tuple[Moved, ...]
    settings: tuple[str, ...]
