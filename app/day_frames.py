"""Wasted tokens day by day, by cause, model or client version, and what was different on one of the days.

Works on frames alone.  A day is one of the time zone that is asked for; turns without a time are on none.
"""

from collections.abc import Collection
from datetime import date

import pandas as pd

from analysis.report.words import counted, in_words

MOST_SERIES = 7  # drawn apart; what is less stands together
OTHER = "all others"
UNNAMED = {"client": "no client named", "model": "no model named", "cause": ""}
_COLUMN = {"cause": "code", "model": "model", "client": "client"}


def dated(frame: pd.DataFrame, zone: str) -> pd.DataFrame:
    """The rows that have a time, with their day."""
    known = frame[frame.started_at.notna()]
    days = pd.to_datetime(known.started_at, unit="s", utc=True).dt.tz_convert(zone).dt.date
    return known.assign(day=days)


def of_sessions(frame: pd.DataFrame, session_keys: Collection[int]) -> pd.DataFrame:
    """The rows of these sessions."""
    return frame[frame.session_key.isin(list(session_keys))]


def days(turns: pd.DataFrame) -> pd.DataFrame:
    """One row per day with turns, in their order: turns, sessions, prompt and wasted tokens and their share.

    The share is over the turns of which the wasted tokens are known; NA where there is none.
    """
    grouped = turns.groupby("day")
    measured = turns[turns.wasted_tokens.notna()].groupby("day")
    frame = pd.DataFrame(
        {
            "turns": grouped.turn.size(),
            "sessions": grouped.session_key.nunique(),
            "prompt_tokens": grouped.prompt_tokens.sum(min_count=1).astype("Int64"),
            "wasted_tokens": grouped.wasted_tokens.sum(min_count=1).astype("Int64"),
        }
    )
    asked = measured.prompt_tokens.sum().reindex(frame.index)
    share = (frame.wasted_tokens.astype("Float64") / asked.where(asked > 0).astype("Float64")).astype("Float64")
    return frame.assign(wasted_share=share).reset_index()


def parted(losses: pd.DataFrame, by: str) -> pd.DataFrame:
    """Wasted tokens by day and name, the costliest names first; NaN-free: a name costs nothing on the other days."""
    names = _named(losses, by)
    sums = losses.tokens.groupby([losses.day, names]).sum()
    totals = sums.groupby(level=1).sum().sort_values(ascending=False, kind="stable")
    return sums.unstack(fill_value=0).reindex(columns=totals.index)


def gathered(table: pd.DataFrame) -> pd.DataFrame:
    """The same with the costliest names only, and the others in one column."""
    if table.shape[1] <= MOST_SERIES + 1:
        return table
    return table.iloc[:, :MOST_SERIES].assign(**{OTHER: table.iloc[:, MOST_SERIES:].sum(axis=1)})


def _named(frame: pd.DataFrame, by: str) -> pd.Series:
    names = frame[_COLUMN[by]].astype(object)
    if by == "cause":
        names = names.map({code: in_words(code) for code in names.unique()})
    return names.where(names.notna() & (names != ""), UNNAMED[by])


def changed(table: pd.DataFrame, turns: pd.DataFrame, day: date) -> tuple[date | None, pd.DataFrame]:
    """The last day with turns before this one, and what each name wasted on both, the largest change first."""
    earlier = [one for one in sorted(set(turns.day)) if one < day]
    before = earlier[-1] if earlier else None
    frame = pd.DataFrame(
        {
            "before": table.loc[before] if before in table.index else 0,
            "after": table.loc[day] if day in table.index else 0,
        },
        index=table.columns,
    ).astype("int64")
    frame = frame.assign(change=frame.after - frame.before).rename_axis("name").reset_index()
    frame = frame[(frame.before > 0) | (frame.after > 0)]
    return before, frame.sort_values("change", key=abs, ascending=False, kind="stable", ignore_index=True)


def day_of_change(turns: pd.DataFrame, losses: pd.DataFrame) -> date | None:
    """The day since which the causes waste most otherwise than before it; None where nothing was wasted, or on one day.

    Shares of the prompt tokens are held against each other, so a day with more traffic is no change; both sides weigh
    in with their prompt tokens, so a single odd session at either end is hardly one.
    """
    if losses.empty:
        return None
    prompts = turns[turns.wasted_tokens.notna()].groupby("day").prompt_tokens.sum().astype("float64").sort_index()
    wasted = parted(losses, "cause").reindex(prompts.index, fill_value=0).cumsum()
    before, whole = prompts.cumsum(), prompts.sum()
    after = whole - before
    change = wasted.div(before, axis=0) - (wasted.iloc[-1] - wasted).div(after, axis=0)
    moved = (change.abs().sum(axis=1) * (before * after / whole) ** 0.5)[(before > 0) & (after > 0)]
    if moved.empty or not moved.max() > 0:
        return None
    found: date = prompts.index[prompts.index.get_loc(moved.idxmax()) + 1]
    return found


def first_seen(turns: pd.DataFrame, losses: pd.DataFrame, day: date) -> list[str]:
    """Clients, models and causes that no earlier day has, in words; nothing on the first day of all."""
    if turns.empty or day <= min(turns.day):
        return []
    found = []
    for by, words, frame in (
        ("client", "client version", turns),
        ("model", "model", turns),
        ("cause", "cause", losses),
    ):
        names = _named(frame, by)
        now, earlier = set(names[frame.day == day]), set(names[frame.day < day])
        found += [f"{words} {name}" for name in sorted(now - earlier - {UNNAMED[by]})]
    return found


def said(day: date, before: date | None, moved: pd.DataFrame) -> str:
    """What changed on a day, in one sentence."""
    now = int(moved.after.sum())
    name = f"{day:%A} {day}"
    if before is None:
        return f"{name} is the first day of all: {counted(now, 'token')} wasted."
    was = int(moved.before.sum())
    if now == was:
        return f"{name}: {counted(now, 'token')} wasted, as many as on {before:%A} {before}."
    most = moved.iloc[0]
    times = f" ({now / was:.1f} times as many)" if was and now > 2 * was else ""
    return (
        f"{name}: {counted(now, 'token')} wasted, {abs(now - was):,} {'more' if now > was else 'fewer'} than on"
        f" {before:%A} {before}{times}. The largest change: {most['name']}, {most.change:+,}."
    )
