"""The verdict on two sets of sessions: which is worse, by how much, and what costs most, in plain words.

Says what the figures say.  A set of other tasks can have another hit rate and waste no more: that is said too.
"""

from collections.abc import Sequence

from analysis.model.baseline import Baseline, Moved
from analysis.report.baseline import HIT_RATE, REUSABLE, has_moved
from analysis.report.set_doubt import Sets, hangs_on_one, too_few
from analysis.report.two_sets import LEAST, NAMES, PER, CauseMoved, causes_moved, shares
from analysis.report.words import IN_WORDS

MUCH = 1.0  # percentage points: what is less is hardly a difference between sets of other tasks
MOSTLY = 0.5  # of a difference: from here on it is called the reason
REMEDY = (
    "Neither the hit rate nor the reusable share is known on both sides. The hit rate needs a server that reports"
    " cached_tokens (--enable-prompt-tokens-details), the reusable share the tokens of every model."
)
TOO_LITTLE = "Too little to tell which set is worse"


def verdict(before: Baseline, after: Baseline, members: Sets) -> list[str]:
    """What is to be said of two sets, the most important sentence first; ``members`` are the sessions of each.

    Neither is called worse where the hit rate of one is unknown, where a set has too few sessions, or where the
    difference is one of a single session.
    """
    found = {one.name: one for one in shares(before, after)}
    leading = next((found[name] for name in (HIT_RATE, REUSABLE) if found[name].change is not None), None)
    if leading is None:
        return ["It is unknown which set is worse.", REMEDY]
    causes = causes_moved(before, after)
    worse = 1 if (leading.change or 0) < 0 else 0
    few = too_few(leading.name, members)
    one = hangs_on_one(leading.name, members) if few is None and has_moved(leading) else None
    said = _silent(found[HIT_RATE], leading) if leading.name == REUSABLE else []
    if few is not None or one is not None:
        said += _doubted(leading, few, one, is_first=not said)
        costly = _costlier(causes, worse)
        return said if costly is None else [*said, _cost(costly, worse)]
    if not said:
        said = [_headline(leading)]
    if not has_moved(leading):
        return [*said, *_despite(causes)]
    return [*said, *_reasons(found, leading, _costlier(causes, worse), worse)]


def _headline(leading: Moved) -> str:
    if not has_moved(leading):
        return f"No difference: {_values(leading)}."
    worse = 1 if (leading.change or 0.0) < 0 else 0
    lead = f"Set {NAMES[worse]} is worse: its" if _is_much(leading) else f"Hardly a difference: set {NAMES[worse]}'s"
    return f"{lead} {_below(leading)}"


def _is_much(leading: Moved) -> bool:
    return abs(leading.change or 0.0) >= MUCH


def _below(leading: Moved) -> str:
    """How far the lower share lies below the other one."""
    values, change = (leading.before or 0.0, leading.after or 0.0), leading.change or 0.0
    worse, better = (1, 0) if change < 0 else (0, 1)
    return (
        f"{leading.name} is {values[worse]:.1f}%, {abs(change):.1f} percentage points below the"
        f" {values[better]:.1f}% of set {NAMES[better]}."
    )


def _values(leading: Moved) -> str:
    """A share on both sides, with no word on which is worse."""
    before, after = f"{leading.before or 0.0:.1f}%", f"{leading.after or 0.0:.1f}%"
    if not has_moved(leading):
        return f"the {leading.name} is {after} in both sets"
    return f"the {leading.name} is {before} in set {NAMES[0]} and {after} in set {NAMES[1]}"


def _silent(hit_rate: Moved, leading: Moved) -> list[str]:
    """That the hit rate says nothing, and what could be reused instead."""
    values = zip(NAMES, (hit_rate.before, hit_rate.after), strict=True)
    silent = " and ".join(f"set {name}" for name, value in values if value is None)
    return [
        f"It is unknown which set is worse: the server reported no cached_tokens in {silent}.",
        f"What could be reused is known: {_values(leading)}.",
    ]


def _doubted(leading: Moved, few: str | None, one: str | None, is_first: bool) -> list[str]:
    """Why a difference is no verdict, with the share on both sides where it was not said before."""
    why = f"{TOO_LITTLE}: {few or 'the difference hangs on one session'}."
    values = _values(leading)
    if one is not None:
        values += f"; {one}"
    return [why, f"{values[0].upper()}{values[1:]}."] if is_first or one is not None else [why]


def _costlier(causes: Sequence[CauseMoved], worse: int) -> CauseMoved | None:
    """The cause that costs most more in the worse set, or may where the other is not known; None where none does."""
    return max((one for one in causes if _extra(one, worse) >= LEAST), key=lambda one: _extra(one, worse), default=None)


def _extra(cause: CauseMoved, worse: int) -> float:
    """How much more a cause costs in the worse set; at most, where the other is not known."""
    more = _more(cause.rate.change, worse)
    return more if more is not None else (cause.rate.before, cause.rate.after)[worse] or 0.0


def _reasons(found: dict[str, Moved], leading: Moved, cause: CauseMoved | None, worse: int) -> list[str]:
    """What the difference is made of: the cause that costs most more, and how much of it is waste at all."""
    more, drop = _more(found["wasted"].change, worse), abs(leading.change or 0)
    said = []
    if cause is not None:
        said.append(_cost(cause, worse))
    elif more is None:
        said.append("What was wasted is not known on both sides, so no cause can be named.")
    else:
        said.append(f"No cause wastes more in set {NAMES[worse]} than in set {NAMES[1 - worse]}.")
    if more is not None and more < MOSTLY * drop:
        share = f"only {more:.1f} of the {drop:.1f} points are" if more >= 0.05 else "none of it is"
        said.append(f"But {share} waste: most of the difference is what the prompts hold, more text that is new.")
    if leading.name == HIT_RATE and _is_of_the_server(found, drop, worse):
        said.append(
            "What could be reused did not fall with it, so it is the server that did not hit: look at memory, routing"
            " and flags."
        )
    return said


def _cost(cause: CauseMoved, worse: int) -> str:
    rate, other = (cause.rate.after, cause.rate.before) if worse else (cause.rate.before, cause.rate.after)
    words = IN_WORDS.get(cause.code)
    named = f"{words} ({cause.code})" if words else cause.code
    there = (
        f"{other:,.1f} in set {NAMES[1 - worse]}" if other is not None else f"in set {NAMES[1 - worse]} it is unknown"
    )
    return f"What costs most: {named}, {rate or 0.0:,.1f} wasted of every {PER:,} prompt tokens, {there}."


def _is_of_the_server(found: dict[str, Moved], drop: float, worse: int) -> bool:
    gained, missed = _more(found[REUSABLE].change, worse), _more(found["missed"].change, worse)
    return gained is not None and missed is not None and gained > -MOSTLY * drop and missed >= MOSTLY * drop


def _more(change: float | None, worse: int) -> float | None:
    """A change as seen from the worse set: how much more it has than the other one."""
    return change if change is None or worse else -change


def _despite(causes: Sequence[CauseMoved]) -> list[str]:
    """What changed although the shares are the same."""
    known = [one for one in causes if one.fate in ("gained", "gone", "grown", "shrunk")]
    if not known:
        return ["No cause wastes more or less in one of them."]
    most = max(known, key=lambda one: abs(one.rate.change or 0))
    return [f"The causes differ all the same: {IN_WORDS.get(most.code, most.code)} ({most.code}) is {most.fate}."]
