"""Two sets of sessions of any size side by side: shares, causes per 1,000 prompt tokens, and the tasks that moved.

The shares are those of ``whymiss check``.  Does not choose the sets, and does not say why a session moved.
"""

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import astuple, dataclass
from typing import Literal

from analysis.model.baseline import Baseline, Moved, SetFigures, WasteFigures
from analysis.report.baseline import has_moved, measures, worst_share
from analysis.report.words import LOST_IN_WORDS

NAMES = ("A", "B")
PER = 1000  # prompt tokens that wasted tokens are given for: sets differ in size
LEAST = 0.05  # wasted tokens per 1,000 prompt tokens: what is printed as none
UNKNOWN = WasteFigures(0, 0, 0, 0, 0, 0, 0)  # no prompt of which anything can be said

Fate = Literal["gained", "gone", "grown", "shrunk", "unchanged", "unknown"]
Basis = Literal["session id", "first prompt"]


@dataclass(frozen=True, slots=True)
class CauseMoved:
    """What a cause wasted on both sides: in tokens, and per 1,000 prompt tokens; None where that is not known."""

    code: str
    tokens: tuple[int | None, int | None]
    rate: Moved

    @property
    def fate(self) -> Fate:
        """What became of the cause from the first set to the second."""
        before, after = self.rate.before, self.rate.after
        if before is None or after is None:
            return "unknown"
        if abs(after - before) < LEAST:
            return "unchanged"
        if before < LEAST:
            return "gained"
        if after < LEAST:
            return "gone"
        return "grown" if after > before else "shrunk"


@dataclass(frozen=True, slots=True)
class Member:
    """One session of a set.  ``key`` is None where only its sums are known.

    ``is_named`` says that the log itself gave the id; ``opening`` is a digest of the tokens of its first prompt, None
    where they are not known.
    """

    key: int | None
    session_id: str
    is_named: bool
    opening: int | None
    figures: SetFigures


@dataclass(frozen=True, slots=True)
class Task:
    """Sessions of both sets that did the same: all of one id, or all that begin with the same prompt."""

    name: str
    basis: Basis
    before: tuple[Member, ...]
    after: tuple[Member, ...]
    hit_rate: Moved
    reusable: Moved
    worst: Moved


def shares(before: Baseline, after: Baseline) -> tuple[Moved, ...]:
    """Every share of the prompt tokens on both sides in percent: hit rate, reusable, ideal, wasted, lost, missed."""
    first, second = before.waste or UNKNOWN, after.waste or UNKNOWN
    return (
        *measures(before.whole, after.whole),
        Moved("ideal share", first.ideal_share, second.ideal_share),
        Moved("wasted", first.wasted_share, second.wasted_share),
        Moved("lost", first.lost_share, second.lost_share),
        Moved("missed", first.missed_share, second.missed_share),
    )


def causes_moved(before: Baseline, after: Baseline) -> tuple[CauseMoved, ...]:
    """Every cause of either set, those that cost most more in the second first; what is not known stands last."""
    found = []
    for code in {*before.causes, *after.causes}:
        sides = [(_tokens(one, code), _rate(one, code)) for one in (before, after)]
        found.append(CauseMoved(code, (sides[0][0], sides[1][0]), Moved(code, sides[0][1], sides[1][1])))
    return tuple(sorted(found, key=lambda one: (one.rate.change is None, -(one.rate.change or 0), one.code)))


def _tokens(side: Baseline, code: str) -> int | None:
    return side.causes.get(code, 0) if _known_over(side, code) else side.causes.get(code)


def _rate(side: Baseline, code: str) -> float | None:
    known = _known_over(side, code)
    return PER * side.causes.get(code, 0) / known if known else None


def _known_over(side: Baseline, code: str) -> int | None:
    """The prompt tokens over which a cause would have been seen: what is missed only where the server reported."""
    if side.waste is None:
        return None
    return side.waste.checked_tokens if code in LOST_IN_WORDS else side.waste.reported_tokens


def members_in(baseline: Baseline) -> tuple[Member, ...]:
    """The sessions of a baseline, of which only the ids and sums are kept; ids that a log did not give name nothing."""
    return tuple(
        Member(None, name, not name.startswith("inferred-"), None, figures)
        for name, figures in baseline.sessions.items()
    )


def tasks(before: Sequence[Member], after: Sequence[Member]) -> tuple[Task, ...]:
    """The sessions of both sets that can be told to have done the same, the share that fell most first.

    Those of one id given by the log, then, of what is left, those whose first prompts are the same tokens.  Sessions
    that stand in both sets are left out: they moved nowhere.
    """
    both = {one.key for one in before if one.key is not None} & {one.key for one in after}
    first, second = ([one for one in side if one.key not in both] for side in (before, after))
    by_id = _paired(first, second, lambda one: one.session_id if one.is_named else None)
    taken = {id(one) for pair in by_id for side in pair for one in side}
    first, second = ([one for one in side if id(one) not in taken] for side in (first, second))
    by_opening = _paired(first, second, lambda one: one.opening)
    found = [_task(one, other, "session id") for one, other in by_id]
    found += [_task(one, other, "first prompt") for one, other in by_opening]
    return tuple(sorted(found, key=lambda one: (one.worst.change is None, one.worst.change or 0, one.name)))


def moved(found: Iterable[Task]) -> tuple[Task, ...]:
    """The tasks of which a share is another one now."""
    return tuple(one for one in found if has_moved(one.worst))


def _paired(
    before: Iterable[Member], after: Iterable[Member], same: Callable[[Member], Hashable]
) -> list[tuple[tuple[Member, ...], tuple[Member, ...]]]:
    """The members of both sides by what they have in common, where both have it."""
    grouped: list[dict[Hashable, list[Member]]] = []
    for side in (before, after):
        groups: dict[Hashable, list[Member]] = {}
        for one in side:
            if (key := same(one)) is not None:
                groups.setdefault(key, []).append(one)
        grouped.append(groups)
    first, second = grouped
    return [(tuple(first[key]), tuple(second[key])) for key in first if key in second]


def _task(before: tuple[Member, ...], after: tuple[Member, ...], basis: Basis) -> Task:
    name = after[0].session_id
    first, second = added(one.figures for one in before), added(one.figures for one in after)
    hit_rate, reusable = measures(first, second)
    return Task(name, basis, before, after, hit_rate, reusable, worst_share(name, first, second))


def added(figures: Iterable[SetFigures]) -> SetFigures:
    """The figures of several sets as one."""
    sums = [sum(column) for column in zip(*map(astuple, figures), strict=True)]
    return SetFigures(*sums) if sums else SetFigures(0, 0, 0, 0, 0)
