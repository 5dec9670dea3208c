"""The verdict on two sets of sessions: which is worse, by how much, and what costs most, in plain words.

Says what the figures say.  A set of other tasks can have another hit rate and waste no more: that is said too.
"""

from collections.abc import Sequence

from analysis.model.baseline import Baseline, Moved
from analysis.report.baseline import HIT_RATE, REUSABLE, has_moved
from analysis.report.two_sets import LEAST, PER, CauseMoved, causes_moved, shares
from analysis.report.words import IN_WORDS

NAMES = ("A", "B")
MUCH = 1.0  # percentage points: what is less is hardly a difference between sets of other tasks
MOSTLY = 0.5  # of a difference: from here on it is called the reason
REMEDY = (
    "Neither the hit rate nor the reusable share is known on both sides. The hit rate needs a server that reports"
    " cached_tokens (--enable-prompt-tokens-details), the reusable share the tokens of every model."
)


def verdict(before: Baseline, after: Baseline) -> list[str]:
    """What is to be said of two sets, the most important sentence first."""
    found = {one.name: one for one in shares(before, after)}
    leading = next((found[name] for name in (HIT_RATE, REUSABLE) if found[name].change is not None), None)
    if leading is None:
        return ["It cannot be told which set is worse.", REMEDY]
    said = [_headline(leading)]
    if leading.name == REUSABLE:
        said.append(f"{_silent(found[HIT_RATE])}, so what could be reused is compared.")
    causes = causes_moved(before, after)
    worse = 1 if (leading.change or 0) < 0 else 0
    if not has_moved(leading):
        return [*said, *_despite(causes)]
    return [*said, *_reasons(found, leading, _costlier(causes, worse), worse)]


def _headline(leading: Moved) -> str:
    before, after, change = leading.before or 0.0, leading.after or 0.0, leading.change or 0.0
    if not has_moved(leading):
        return f"No difference: the {leading.name} is {after:.1f}% in both sets."
    worse, better = (1, 0) if change < 0 else (0, 1)
    values = (before, after)
    lead = f"Set {NAMES[worse]} is worse: its" if abs(change) >= MUCH else f"Hardly a difference: set {NAMES[worse]}'s"
    return (
        f"{lead} {leading.name} is {values[worse]:.1f}%, {abs(change):.1f} percentage points below the"
        f" {values[better]:.1f}% of set {NAMES[better]}."
    )


def _silent(hit_rate: Moved) -> str:
    """Why the hit rate says nothing."""
    values = zip(NAMES, (hit_rate.before, hit_rate.after), strict=True)
    silent = [f"set {name}" for name, value in values if value is None]
    return f"The hit rate is unknown in {' and '.join(silent)}"


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
