"""Whether a difference between two sets tells them apart at all: too few sessions, or a difference of one of them.

The unit is the session: the turns of one hang together, so a long session is no more than one.
"""

from collections.abc import Hashable, Sequence
from dataclasses import astuple

from analysis.model.baseline import Moved, SetFigures
from analysis.report.baseline import has_moved, measures
from analysis.report.figure_words import percent
from analysis.report.two_sets import NAMES, Member, added
from analysis.report.words import counted

# Even where every session of one set is worse than all of the other: chance alone deals two and two sessions like that
# once in 3 times, three and three once in 10.
LEAST_SESSIONS = 3  # of a set, of which the share is known
LONGEST_NAME = 60  # characters of a session id

Sets = tuple[Sequence[Member], Sequence[Member]]


def too_few(share: str, members: Sets) -> str | None:
    """Which set has too few sessions of which a share is known, and how many; None where neither has."""
    counts = [sum(_share(share, one.figures, one.figures).before is not None for one in side) for side in members]
    few = [
        f"set {name} has {counted(count, 'session')}"
        for name, count in zip(NAMES, counts, strict=True)
        if count < LEAST_SESSIONS
    ]
    if not few:
        return None
    return f"{' and '.join(few)} of which the {share} is known, and with fewer than {LEAST_SESSIONS} it may be chance"


def hangs_on_one(share: str, members: Sets) -> str | None:
    """The session without which the difference in a share is none, or the other way round; None where there is none."""
    whole = (added(one.figures for one in members[0]), added(one.figures for one in members[1]))
    change = _share(share, *whole).change or 0.0
    weakest: tuple[float, Member, Moved] | None = None
    for parts in _one_by_one(members):
        left = _share(share, *(_less(sums, part) for sums, part in zip(whole, parts, strict=True)))
        kept = (left.change or 0.0) * (1 if change > 0 else -1) if has_moved(left) else 0.0
        if kept <= 0 and (weakest is None or kept < weakest[0]):
            weakest = (kept, next(one for one in parts if one is not None), left)
    return None if weakest is None else _without(weakest[1], share, weakest[2])


def _one_by_one(members: Sets) -> list[tuple[Member | None, Member | None]]:
    """Every session on its own; one that stands in both sets is left out of both."""
    found: dict[Hashable, list[Member | None]] = {}
    for index, side in enumerate(members):
        for number, one in enumerate(side):
            key: Hashable = one.key if one.key is not None else (index, number)
            found.setdefault(key, [None, None])[index] = one
    return [(first, second) for first, second in found.values()]


def _less(sums: SetFigures, part: Member | None) -> SetFigures:
    if part is None:
        return sums
    return SetFigures(*(all_of_it - one for all_of_it, one in zip(astuple(sums), astuple(part.figures), strict=True)))


def _share(name: str, before: SetFigures, after: SetFigures) -> Moved:
    return next(one for one in measures(before, after) if one.name == name)


def _without(one: Member, share: str, left: Moved) -> str:
    values = percent(left.before), percent(left.after)
    cut = "…" if len(one.session_id) > LONGEST_NAME else ""
    name = f"{one.session_id[:LONGEST_NAME]}{cut}"
    return f"without session {name} the {share} is {values[0]} in set {NAMES[0]} and {values[1]} in set {NAMES[1]}"
