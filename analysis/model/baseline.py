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
class WasteFigures:
    """Sums in tokens over the turns of one or more sessions, and over which of their prompts each can be said.

    ``prompt_tokens`` are all prompts of known length.  Of ``checked_tokens``, those with a token account,
    ``lost_tokens`` were lost; of ``reported_tokens``, those of which the server said besides what it had cached,
    ``missed_tokens`` were missed: turns with a deliberate event wasted nothing.  Of ``following_tokens``, the prompts
    that follow another turn, ``ideal_tokens`` could be reused had the session only grown.
    """

    prompt_tokens: int
    checked_tokens: int
    lost_tokens: int
    reported_tokens: int
    missed_tokens: int
    following_tokens: int
    ideal_tokens: int

    @property
    def lost_share(self) -> float | None:
        """Lost over prompt tokens in percent; None where no account is known."""
        return 100 * self.lost_tokens / self.checked_tokens if self.checked_tokens else None

    @property
    def missed_share(self) -> float | None:
        """Missed over prompt tokens in percent; None where the server reported nothing."""
        return 100 * self.missed_tokens / self.reported_tokens if self.reported_tokens else None

    @property
    def wasted_share(self) -> float | None:
        """Missed and lost together in percent; None where either is not known."""
        if self.lost_share is None or self.missed_share is None:
            return None
        return self.lost_share + self.missed_share

    @property
    def ideal_share(self) -> float | None:
        """Ideal over prompt tokens in percent, over the turns that follow another; None where there is none."""
        return 100 * self.ideal_tokens / self.following_tokens if self.following_tokens else None


@dataclass(frozen=True, slots=True)
class Baseline:
    """A set of sessions: all of them together, each one by its id, and the tokens that each cause wasted.

    ``settings`` is how they were analysed, as field names and values.  ``waste`` is None where it was not kept.
    """

    settings: Mapping[str, str]
    whole: SetFigures
    sessions: Mapping[str, SetFigures]
    causes: Mapping[str, int]
    waste: WasteFigures | None = None


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
