"""Days: in the zone that is asked for, parted by cause, model and client, and what was different on one."""

from datetime import date
from typing import Any

import pandas as pd
import pytest

from analysis.report.words import NOT_EXPLAINED
from app.day_frames import (
    MOST_SERIES,
    OTHER,
    changed,
    dated,
    day_of_change,
    days,
    first_seen,
    gathered,
    of_sessions,
    parted,
    said,
)

MON, TUE, WED = (date(2026, 11, day) for day in (23, 24, 25))
MIDNIGHT = 1_795_478_400.0  # 2026-11-24 00:00 UTC
HOUR = 3600.0


def turns(*rows: tuple[int, float | None, str | None, int | None]) -> pd.DataFrame:
    """Rows of (session, hours after Tuesday began, client, wasted tokens) with 100 prompt tokens each."""
    return pd.DataFrame(
        {
            "session_key": [row[0] for row in rows],
            "turn": range(1, len(rows) + 1),
            "started_at": [None if row[1] is None else MIDNIGHT + HOUR * row[1] for row in rows],
            "model": "m",
            "client": pd.Categorical([row[2] for row in rows]),
            "prompt_tokens": 100,
            "wasted_tokens": [row[3] for row in rows],
        }
    )


def losses(*rows: tuple[date, str, int]) -> pd.DataFrame:
    columns: dict[str, list[Any]] = {
        "day": [row[0] for row in rows],
        "code": [row[1] for row in rows],
        "model": ["m"] * len(rows),
        "client": [None] * len(rows),
        "tokens": [row[2] for row in rows],
    }
    return pd.DataFrame(columns).astype({"code": "category"})


@pytest.mark.parametrize(
    ("zone", "expected"),
    [("UTC", [MON, TUE]), ("America/New_York", [MON, MON]), ("Asia/Tokyo", [TUE, TUE])],
)
def test_a_day_is_one_of_the_zone(zone: str, expected: list[date]) -> None:
    frame = dated(turns((1, -1.0, None, 0), (1, 1.0, None, 0), (2, None, None, 0)), zone)
    assert frame.day.tolist() == expected, "a turn without a time is on no day"
    assert of_sessions(frame, {2}).empty


def test_days_add_up_what_is_known() -> None:
    frame = days(dated(turns((1, -1.0, "x", 30), (2, -2.0, "x", None), (2, 1.0, "x", None)), "UTC"))
    assert frame.day.tolist() == [MON, TUE] and frame.turns.tolist() == [2, 1] and frame.sessions.tolist() == [2, 1]
    assert frame.wasted_tokens[0] == 30 and frame.wasted_share[0] == 0.3, "over the turns whose waste is known"
    assert pd.isna(frame.wasted_tokens[1]) and pd.isna(frame.wasted_share[1])


def test_waste_is_parted_by_name_the_costliest_first() -> None:
    found = losses((MON, "a", 5), (MON, "b", 20), (TUE, "a", 7), (TUE, "a", 1))
    table = parted(found, "cause")
    assert table.columns.tolist() == ["b", "a"] and table.index.tolist() == [MON, TUE]
    assert table.b.tolist() == [20, 0] and table.a.tolist() == [5, 8]
    assert parted(found, "client").columns.tolist() == ["no client named"]
    assert parted(losses(), "cause").empty


def test_causes_are_named_in_words() -> None:
    found = losses((MON, "tools/order", 5), (TUE, "unexplained", 7))
    assert parted(found, "cause").columns.tolist() == [NOT_EXPLAINED, "the tools came in another order"]
    times = dated(turns((1, -1.0, None, 0), (1, 1.0, None, 0)), "UTC")
    assert first_seen(times, found, TUE) == [f"cause {NOT_EXPLAINED}"]


def test_many_names_stand_together() -> None:
    table = parted(losses(*((MON, f"c{number}", 100 - number) for number in range(12))), "cause")
    few = gathered(table)
    assert few.shape[1] == MOST_SERIES + 1 and few[OTHER].tolist() == [sum(100 - number for number in range(7, 12))]
    assert gathered(table.iloc[:, :8]).columns.tolist() == table.columns[:8].tolist(), "one alone keeps its name"


def test_a_day_is_held_against_the_last_one_with_turns() -> None:
    table = parted(losses((MON, "a", 5), (MON, "b", 20), (WED, "a", 90), (WED, "c", 1)), "cause")
    times = dated(turns((1, -1.0, None, 0), (1, 30.0, None, 0)), "UTC")
    before, moved = changed(table, times, WED)
    assert before == MON
    assert moved.to_dict("list") == {
        "name": ["a", "b", "c"], "before": [5, 20, 0], "after": [90, 0, 1], "change": [85, -20, 1],
    }  # fmt: skip
    assert changed(table, times, MON)[0] is None


def test_a_day_without_waste_counts_as_none() -> None:
    table = parted(losses((MON, "a", 5)), "cause")
    times = dated(turns((1, -1.0, None, 0), (1, 1.0, None, 0)), "UTC")
    before, moved = changed(table, times, TUE)
    assert (before, moved.change.tolist()) == (MON, [-5])


def test_what_is_seen_for_the_first_time() -> None:
    times = dated(turns((1, -1.0, "x/1", 0), (1, 1.0, "x/2", 0), (1, 2.0, "x/1", 0), (1, 3.0, None, 0)), "UTC")
    found = losses((MON, "a", 5), (TUE, "a", 5), (TUE, "b", 5))
    assert first_seen(times, found, TUE) == ["client version x/2", "cause b"]
    assert first_seen(times, found, MON) == [], "on the first day everything is new"


@pytest.mark.parametrize(
    ("was", "now", "sentence"),
    [
        pytest.param(
            100, 350,
            "Tuesday 2026-11-24: 350 tokens wasted, 250 more than on Monday 2026-11-23 (3.5 times as many)."
            " The largest change: a, +250.",
            id="more",
        ),
        pytest.param(
            100, 99,
            "Tuesday 2026-11-24: 99 tokens wasted, 1 fewer than on Monday 2026-11-23. The largest change: a, -1.",
            id="fewer",
        ),
        pytest.param(
            7, 7, "Tuesday 2026-11-24: 7 tokens wasted, as many as on Monday 2026-11-23.", id="the same",
        ),
        pytest.param(None, 7, "Tuesday 2026-11-24 is the first day of all: 7 tokens wasted.", id="the first day"),
    ],
)  # fmt: skip
def test_what_changed_is_one_sentence(was: int | None, now: int, sentence: str) -> None:
    moved = pd.DataFrame({"name": ["a"], "before": [was or 0], "after": [now], "change": [now - (was or 0)]})
    assert said(TUE, None if was is None else MON, moved) == sentence


def on_days(*wasted: int | None) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Turns and losses of one turn a day from Tuesday on, by what each wasted; None is not known."""
    found = turns(*((number, 24.0 * number, None, one) for number, one in enumerate(wasted)))
    rows = [(date(2026, 11, 24 + number), "a", one) for number, one in enumerate(wasted) if one]
    return dated(found, "UTC"), losses(*rows)


@pytest.mark.parametrize(
    ("wasted", "day"),
    [
        pytest.param((1, 2, 1, 50, 48), 27, id="from here on more"),
        pytest.param((50, 48, 1, 2, 1), 26, id="from here on less"),
        pytest.param((0, 0, 40), 26, id="first waste of all"),
        pytest.param((None, 0, None, 40), 27, id="days of which nothing is known do not count"),
    ],
)
def test_the_day_since_which_most_is_otherwise(wasted: tuple[int | None, ...], day: int) -> None:
    assert day_of_change(*on_days(*wasted)) == date(2026, 11, day)


def test_more_traffic_is_no_change() -> None:
    found, lost = on_days(10, 20, 20, 10)
    assert day_of_change(found.assign(prompt_tokens=[100, 200, 200, 400]), lost) == date(2026, 11, 27)


@pytest.mark.parametrize("wasted", [(0, 0, 0), (5,), (None, 7)])
def test_no_waste_or_one_day_is_no_change(wasted: tuple[int | None, ...]) -> None:
    assert day_of_change(*on_days(*wasted)) is None
