"""The sessions as the triage desk lists them: with marks, seconds and money, filtered and in the order asked for.

Works on frames alone.  What is not known is NA, is sorted behind all that is known, and passes no filter on it.
"""

from collections.abc import Callable, Mapping
from datetime import date, datetime, time
from zoneinfo import ZoneInfo

import pandas as pd

from analysis.core.price import MOST_TURNS, Rates, prefill_rate, total_cost, wasted_cost
from analysis.model.desk import Mark
from analysis.report.words import in_words
from app.desk_address import LONGEST, Asked

SORTED_BY = {
    "tokens": "wasted_tokens",
    "seconds": "wasted_seconds",
    "cost": "wasted_cost",
    "share": "wasted_share",
    "newest": "started",
}
NOBODY, UNLABELLED, UNNAMED = "", "", ""  # what a filter calls those without assignee, label or client


def with_shares(sessions: pd.DataFrame, shares: pd.DataFrame) -> pd.DataFrame:
    """The sessions with the clients and fidelities of their turns, when the last turn began, and a text to search."""
    columns = {
        name: sessions.session_key.map(_joined(shares.session_key, shares[name])) for name in ("clients", "fidelities")
    }
    last = pd.to_datetime(sessions.session_key.map(shares.groupby("session_key").last_at.max()), unit="s", utc=True)
    texts = [
        "\n".join(
            (one.session_id, one.source, one.model, one.verdict, *one.causes, *map(in_words, one.causes), *clients)
        ).lower()
        for one, clients in zip(sessions.itertuples(), columns["clients"], strict=True)
    ]
    return sessions.assign(**columns, last=last, searched=pd.Series(texts, sessions.index, dtype=object))


def _joined(keys: pd.Series, lists: pd.Series) -> dict[int, list[str]]:
    """By session key, the names of all its lists."""
    found: dict[int, set[str]] = {}
    for key, names in zip(keys, lists, strict=True):
        found.setdefault(int(key), set()).update(map(str, names))
    return {key: sorted(names) for key, names in found.items()}


def with_marks(frame: pd.DataFrame, marks: Mapping[int, Mark]) -> pd.DataFrame:
    """The sessions with status, assignee and labels; those that nobody marked are new."""
    found = [marks.get(key, Mark()) for key in frame.session_key]
    return frame.assign(
        status=pd.Series([mark.status for mark in found], frame.index, dtype=object),
        assignee=pd.Series([mark.assignee for mark in found], frame.index, dtype=object),
        labels=pd.Series([list(mark.labels) for mark in found], frame.index, dtype=object),
    )


def speeds(timed: pd.DataFrame) -> dict[str, float]:
    """Computed tokens a second by model, measured from the turns that say when their first token came."""
    found = {str(model): _speed(mine) for model, mine in timed.groupby("model", observed=True)}
    return {model: rate for model, rate in found.items() if rate is not None}


def _speed(turns: pd.DataFrame) -> float | None:
    """The rate of the turns of one model; of very many, every so many are enough."""
    step = -(-len(turns) // MOST_TURNS) or 1
    few = turns.sort_values("computed_tokens", kind="stable").iloc[::step]
    return prefill_rate(list(zip(few.computed_tokens.tolist(), few.seconds_to_first_token.tolist(), strict=True)))


def with_costs(
    frame: pd.DataFrame, shares: pd.DataFrame, rates: Mapping[str, Rates], measured: Mapping[str, float]
) -> pd.DataFrame:
    """The sessions with wasted seconds, wasted cost and cost; a given rate goes before one that is measured."""
    prefill = {**measured, **{model: one.prefill for model, one in rates.items() if one.prefill}}
    prices = {model: one.price for model, one in rates.items() if one.price}
    rows = list(shares.itertuples())
    seconds = [one.wasted_tokens / prefill[one.model] if one.model in prefill else None for one in rows]
    wasted = [wasted_cost(prices[one.model], one.wasted_tokens) if one.model in prices else None for one in rows]
    total = [
        total_cost(prices[one.model], one.prompt_tokens, one.cached_tokens, one.output_tokens)
        if one.model in prices and not one.unsaid_turns
        else None
        for one in rows
    ]
    needed = shares.wasted_tokens > 0
    is_known = frame.wasted_tokens.notna()
    return frame.assign(
        wasted_seconds=_summed(frame, shares, seconds, needed).where(is_known),
        wasted_cost=_summed(frame, shares, wasted, needed).where(is_known),
        total_cost=_summed(frame, shares, total, needed | True),
    )


def _summed(frame: pd.DataFrame, shares: pd.DataFrame, parts: list[float | None], needed: pd.Series) -> pd.Series:
    """Sums of parts by session; NA where a needed part is unknown, or all are."""
    values = pd.Series(parts, shares.index, dtype="Float64")
    lacking = (values.isna() & needed).groupby(shares.session_key).any()
    by_size = values.sort_values(kind="stable")  # floats come to the same sum only where they are added in one order
    sums = by_size.groupby(shares.session_key).sum(min_count=1)
    return frame.session_key.map(sums.mask(lacking)).astype("Float64")


def filtered(frame: pd.DataFrame, asked: Asked, keys_with_cause: set[int], zone: str) -> pd.DataFrame:
    """The sessions that every filter and every word of the search let through.

    ``keys_with_cause`` are the sessions of the causes asked for.  A session passes the days if it was under way then.
    Of a long name so much counts as an address holds.
    """
    passes = pd.Series(True, frame.index)
    if asked.model:
        passes &= frame.model.str.slice(stop=LONGEST).isin(asked.model)
    if asked.source:
        passes &= frame.source.str.slice(stop=LONGEST).isin(asked.source)
    if asked.status:
        passes &= frame.status.isin(asked.status)
    if asked.assignee:
        passes &= frame.assignee.isin(asked.assignee)
    if asked.cause:
        passes &= frame.session_key.isin(keys_with_cause)
    for name, column in (("label", "labels"), ("client", "clients"), ("fidelity", "fidelities")):
        if wanted := set(getattr(asked, name)):
            passes &= frame[column].map(_holds_any(wanted)).astype(bool)
    passes &= _under_way(frame, asked.since, asked.until, zone)
    return searched(frame[passes], asked.q)


def _holds_any(wanted: set[str]) -> Callable[[list[str]], bool]:
    return lambda names: bool(wanted.intersection(name[:LONGEST] for name in names or [""]))


def _under_way(frame: pd.DataFrame, since: date | None, until: date | None, zone: str) -> pd.Series:
    """Whether sessions had begun by the end of the last day and had not ended before the first."""
    passes = pd.Series(True, frame.index)
    if since is not None:
        passes &= frame["last"] >= datetime.combine(since, time.min, ZoneInfo(zone))
    if until is not None:
        passes &= frame.started <= datetime.combine(until, time.max, ZoneInfo(zone))
    return passes


def searched(frame: pd.DataFrame, search: str) -> pd.DataFrame:
    """The sessions of which id, source, model, client, verdict, causes and marks hold every word of the search."""
    for word in search.lower().split():
        marked = [
            word in assignee.lower() or any(word in label.lower() for label in labels)
            for assignee, labels in zip(frame.assignee, frame.labels, strict=True)
        ]
        frame = frame[frame.searched.str.contains(word, regex=False) | pd.Series(marked, frame.index, dtype=bool)]
    return frame


def ordered(frame: pd.DataFrame, order: str) -> pd.DataFrame:
    """The worst first; of equal ones those that wasted more tokens, and last those that are not known."""
    return frame.sort_values(SORTED_BY[order], ascending=False, kind="stable", na_position="last")
