"""Two sets of sessions held against each other: before and after a release, an agent, a template.

Compares sums and shares.  Does not say why a session moved: its own report does.
"""

from collections.abc import Iterable, Mapping
from dataclasses import asdict

from analysis.core.account import wasted_by_cause
from analysis.model.baseline import Baseline, Comparison, Moved, SetFigures, WasteFigures
from analysis.model.record import SessionRecord, TurnRecord
from analysis.model.settings import Settings

HIT_RATE = "hit rate"
REUSABLE = "reusable share"
UNMOVED = 0.05  # percentage points: what is printed as no change


def baseline_of(records: Iterable[SessionRecord], settings: Settings | None = None) -> Baseline:
    """What is kept of these sessions.  Those of one id, in several logs, count as one.

    ``settings`` are those of all of them; without, each has its own.
    """
    known_records = list(records)
    every_setting = [settings] if settings else [record.settings for record in known_records]
    turns: dict[str, list[TurnRecord]] = {}
    for record in known_records:
        turns.setdefault(record.session_id, []).extend(record.turns)
    every = [turn for known in turns.values() for turn in known]
    return Baseline(
        settings=merged(map(asdict, every_setting)),
        whole=figures_of(every),
        sessions={session_id: figures_of(known) for session_id, known in sorted(turns.items())},
        causes=wasted_by_cause(every),
        waste=waste_of(every),
    )


def merged(settings: Iterable[Mapping[str, object]]) -> dict[str, str]:
    """How sessions were analysed, by the names of settings; where they differ, every value."""
    found: dict[str, set[str]] = {}
    for one in settings:
        for name, value in one.items():
            found.setdefault(name, set()).add(str(value))
    return {name: " / ".join(sorted(values)) for name, values in found.items()}


def figures_of(turns: Iterable[TurnRecord]) -> SetFigures:
    """The sums over these turns; one that came out at another length than the server counted has no tokens to trust."""
    every = list(turns)
    rendered = [turn for turn in every if turn.reusable_tokens is not None and turn.fidelity != "mismatch"]
    known = [turn for turn in every if turn.cached_tokens is not None and turn.prompt_tokens is not None]
    return SetFigures(
        num_turns=len(every),
        rendered_tokens=sum(turn.prompt_tokens or 0 for turn in rendered),
        reusable_tokens=sum(turn.reusable_tokens or 0 for turn in rendered),
        known_tokens=sum(turn.prompt_tokens or 0 for turn in known),
        cached_tokens=sum(turn.cached_tokens or 0 for turn in known),
    )


def waste_of(turns: Iterable[TurnRecord]) -> WasteFigures:
    """What these turns wasted, and over which of their prompts that is known."""
    every = list(turns)
    accounts = [(turn, turn.account) for turn in every if turn.account is not None]
    faults = [account for turn, account in accounts if not any(cause.deliberate for cause in turn.causes)]
    following = [turn for turn in every if turn.ideal_tokens is not None]
    return WasteFigures(
        prompt_tokens=sum(turn.prompt_tokens or 0 for turn in every),
        checked_tokens=sum(turn.prompt_tokens or 0 for turn, _account in accounts),
        lost_tokens=sum(account.lost for account in faults),
        reported_tokens=sum(turn.prompt_tokens or 0 for turn, account in accounts if account.missed is not None),
        missed_tokens=sum(account.missed or 0 for account in faults),
        following_tokens=sum(turn.prompt_tokens or 0 for turn in following),
        ideal_tokens=sum(turn.ideal_tokens or 0 for turn in following),
    )


def held_against(before: Baseline, after: Baseline) -> Comparison:
    """What moved between a baseline and a later set."""
    sessions = [
        worst_share(session_id, before.sessions[session_id], after.sessions[session_id])
        for session_id in before.sessions
        if session_id in after.sessions
    ]
    return Comparison(
        measures=measures(before.whole, after.whole),
        causes=_causes(before.causes, after.causes),
        sessions=tuple(sorted((one for one in sessions if has_moved(one)), key=lambda one: one.change or 0)),
        settings=differing(before.settings, after.settings),
    )


def regressions(found: Comparison, max_drop: float) -> list[str]:
    """Every share that fell by more than this many percentage points, a sentence each.

    Raise ValueError where a share of the baseline is unknown now, or nothing is known on both sides: not knowing is
    no pass.
    """
    vanished = [one.name for one in found.measures if one.before is not None and one.after is None]
    if vanished:
        raise ValueError(
            f"the {' and the '.join(vanished)} cannot be compared: the baseline has it and this log does not."
            " The hit rate needs a server that reports cached_tokens (--enable-prompt-tokens-details), the reusable"
            " share the tokens of every model (--model or --endpoint)."
        )
    if all(one.change is None for one in found.measures):
        raise ValueError("nothing can be compared: the baseline has neither a hit rate nor a reusable share.")
    return [
        f"the {one.name} fell by {-one.change:.2f} percentage points, from {one.before:.2f}% to {one.after:.2f}%;"
        f" {max_drop:g} are allowed."
        for one in found.measures
        if one.change is not None and -one.change > max_drop
    ]


def measures(before: SetFigures, after: SetFigures) -> tuple[Moved, Moved]:
    """The hit rate and the reusable share on both sides, in percent."""
    return (
        Moved(HIT_RATE, before.hit_rate, after.hit_rate),
        Moved(REUSABLE, before.reusable_share, after.reusable_share),
    )


def worst_share(session_id: str, before: SetFigures, after: SetFigures) -> Moved:
    """The share of a session that fell most; of two that rose the one that rose less."""
    first, second = (Moved(session_id, one.before, one.after) for one in measures(before, after))
    if first.change is None or second.change is None:
        return second if first.change is None else first
    return min(first, second, key=lambda one: one.change or 0)


def has_moved(one: Moved) -> bool:
    """Whether a share in percent is another one, as far as it is printed."""
    return one.change is not None and abs(one.change) >= UNMOVED


def _causes(before: Mapping[str, int], after: Mapping[str, int]) -> tuple[Moved, ...]:
    """Causes whose wasted tokens changed, those that cost most more first."""
    moved = [Moved(code, before.get(code, 0), after.get(code, 0)) for code in {*before, *after}]
    return tuple(sorted((one for one in moved if one.change), key=lambda one: (-(one.change or 0), one.name)))


def differing(before: Mapping[str, str], after: Mapping[str, str]) -> tuple[str, ...]:
    """The settings that are not the same on both sides, as "name: before → after"."""
    names = sorted({*before, *after})
    return tuple(
        f"{name}: {before.get(name, 'not known')} → {after.get(name, 'not known')}"
        for name in names
        if before.get(name) != after.get(name)
    )
