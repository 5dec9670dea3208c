"""Sets of sessions on frames: which sessions are in one, what is kept of it, and sets that are worth a look.

Works on frames alone; what the figures mean is in ``analysis.report.two_sets``.
"""

import json
from collections.abc import Collection
from dataclasses import replace
from datetime import date, timedelta

import pandas as pd

from analysis.model.baseline import Baseline, SetFigures, WasteFigures
from analysis.report.baseline import merged
from analysis.report.two_sets import Member
from app.desk_address import LONGEST
from app.sets_address import Pair, without

_FIGURES = ("num_turns", "rendered_tokens", "reusable_tokens", "known_tokens", "cached_tokens")
_COLUMN = {"model": "model", "client": "clients", "label": "labels"}
_WASTE = (
    "prompt_tokens", "checked_tokens", "lost_tokens", "reported_tokens", "missed_tokens", "following_tokens",
    "ideal_tokens",
)  # fmt: skip


def baseline_of(sums: pd.DataFrame, losses: pd.DataFrame) -> Baseline:
    """What is kept of these sessions, as ``whymiss check`` keeps it: sessions of one id count as one."""
    whole = sums[[*_FIGURES, *_WASTE]].sum()
    by_id = sums.groupby("session_id", sort=True)[list(_FIGURES)].sum()
    causes = losses[losses.session_key.isin(sums.session_key)].groupby("code", observed=True).tokens.sum()
    costly = causes.sort_values(ascending=False, kind="stable")
    return Baseline(
        settings=merged(map(json.loads, sums.settings.unique())),
        whole=SetFigures(*map(int, whole[list(_FIGURES)])),
        sessions={str(name): SetFigures(*figures) for name, *figures in by_id.itertuples()},
        causes={str(code): int(tokens) for code, tokens in costly.items()},
        waste=WasteFigures(*map(int, whole[list(_WASTE)])),
    )


def members_of(sums: pd.DataFrame, openings: dict[int, int]) -> list[Member]:
    """The sessions of a set one by one; an opening is a digest of the first prompt, by session key."""
    names = ["session_key", "session_id", "inferred", *_FIGURES]
    return [
        Member(key, name, not inferred, openings.get(key), SetFigures(*figures))
        for key, name, inferred, *figures in sums[names].itertuples(index=False, name=None)
    ]


def suggested(pair: Pair, by: str, frame: pd.DataFrame, zone: str, changed: date | None = None) -> Pair:
    """The pair told apart by something else, with the two values that are worth a look first.

    The day on which most changed (``changed``), else the last one that sessions began on, the two client versions that
    came last, the two logs that were read last, else the two that most sessions have; against a file the latter of the
    two.  Sides as they are where there are not two; files and other filters stay.
    """
    sides = [replace(side, asked=without(side.asked, pair.by), keys=(), case=None) for side in pair.sides]
    pair = replace(pair, a=sides[0], b=sides[1], by=by)
    if by == "own":
        return pair
    if by == "day":
        days = begun(frame, zone)
        if len(days) < 2 or has_file(pair):
            return pair
        return split(pair, changed if changed is not None and changed > days[0] else days[-1])
    two = values(frame, by)[-2:]
    if len(two) < 2:
        return pair
    if has_file(pair):
        two = two[1:] * 2
    first, second = (
        side if side.file else replace(side, asked=replace(side.asked, **{by: (value,)}))
        for side, value in zip(sides, two, strict=True)
    )
    return replace(pair, a=first, b=second)


def begun(frame: pd.DataFrame, zone: str) -> list[date]:
    """The days that sessions began on, in their order."""
    return sorted(set(frame.started.dropna().dt.tz_convert(zone).dt.date))


def has_file(pair: Pair) -> bool:
    """Whether a side is a baseline file, which no filter touches."""
    return any(side.file for side in pair.sides)


def split(pair: Pair, day: date | None) -> Pair:
    """The same pair with all before a day in A, and all from it on in B; None takes a split back."""
    first, second = pair.sides
    before = None if day is None else day - timedelta(days=1)
    since, until = first.asked.since, second.asked.until
    if before is not None and day is not None:  # no days the wrong way round
        since = since if since is not None and since <= before else None
        until = until if until is not None and until >= day else None
    return replace(
        pair,
        a=replace(first, asked=replace(first.asked, since=since, until=before)),
        b=replace(second, asked=replace(second.asked, since=day, until=until)),
    )


def split_day(pair: Pair) -> date | None:
    """The day that a pair is split by; None where the days of A do not end where those of B begin."""
    until, since = pair.a.asked.until, pair.b.asked.since
    return since if since is not None and until == since - timedelta(days=1) else None


def values(frame: pd.DataFrame, by: str) -> list[str]:
    """The values of a filter that sessions have, the most telling last; only these two of a model or a label."""
    if by == "source":
        newest = frame.groupby(frame.source.str.slice(stop=LONGEST)).session_key.max().sort_values()
        return list(map(str, newest.index))
    named, column = _named(frame, by), _COLUMN[by]
    if by == "client":
        order = named.groupby(column).started.min().sort_values(kind="stable", na_position="first")
        return list(map(str, order.index))
    order = named[column].astype(str).value_counts().sort_index(ascending=False).sort_values(kind="stable")
    return list(map(str, order.index[::-1][:2])) if len(order) > 1 else []


def count(frame: pd.DataFrame, by: str) -> int:
    """How many models, client versions or labels sessions have."""
    return int(_named(frame, by)[_COLUMN[by]].nunique())


def _named(frame: pd.DataFrame, by: str) -> pd.DataFrame:
    """A row per session and value of a filter that it has, with when it began."""
    column = _COLUMN[by]
    rows = frame[[column, "started"]].explode(column) if by != "model" else frame[[column, "started"]]
    return rows[rows[column].notna() & (rows[column] != "")]


def narrowed(sums: pd.DataFrame, shown: pd.DataFrame, named: Collection[int] | None) -> pd.DataFrame:
    """The sums of the sessions that pass the filters and, where some are ``named``, are among them."""
    keys = set(shown.session_key)
    return sums[sums.session_key.isin(keys if named is None else keys.intersection(named))]
