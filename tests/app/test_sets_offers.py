"""Which two sets are offered: by day, client, model, label and log, without the samples where there is more."""

from datetime import date

import pandas as pd
import pytest

from app.desk_address import Asked
from app.sets_address import Pair, Side
from app.sets_offers import offers, own

SAMPLE = "01-clean.jsonl"
FRAME = pd.DataFrame(
    {
        "session_key": [1, 2, 3, 4],
        "source": [SAMPLE, "a.jsonl", "a.jsonl", "b.jsonl"],
        "model": ["sample", "m", "m", "n"],
        "clients": [[], ["v9"], ["v9"], ["v10"]],
        "labels": [[], [], ["eu"], []],
        "started": pd.to_datetime(["2026-11-01T10:00Z", "2026-11-20T10:00Z", "2026-11-22T10:00Z", "2026-11-23T10:00Z"]),
        "last": pd.to_datetime(["2026-11-01T11:00Z", "2026-11-20T11:00Z", "2026-11-22T11:00Z", "2026-11-23T11:00Z"]),
    }
)
DAY = date(2026, 11, 22)
ON_ONE_DAY = FRAME.assign(started=FRAME.started[0])


def moved(days: int) -> pd.DataFrame:
    """The same with the sample so many days later."""
    shift = pd.to_timedelta((FRAME.session_key == 1) * days, unit="D")
    return FRAME.assign(started=FRAME.started + shift, last=FRAME["last"] + shift)


def test_samples_are_left_out_where_there_is_anything_else() -> None:
    assert own(FRAME, {SAMPLE}).session_key.tolist() == [2, 3, 4]
    assert own(FRAME.head(1), {SAMPLE}).session_key.tolist() == [1]


def test_the_most_telling_stand_first() -> None:
    found = offers(FRAME, DAY, "UTC", {SAMPLE})
    assert [(one.words, one.pair.by, one.is_plain) for one in found] == [
        ("Before and after Sunday 2026-11-22", "day", True),
        ("Client versions: v9 against v10", "client", True),
        ("Models: m against n", "model", True),
        ("Logs: a.jsonl against b.jsonl", "source", False),
    ]
    assert found[0].why == "the day on which what is wasted changed most"


@pytest.mark.parametrize(
    ("days", "first", "second"),
    [
        pytest.param(0, Asked(since=date(2026, 11, 20), until=date(2026, 11, 21)), Asked(since=DAY), id="older"),
        pytest.param(
            40, Asked(until=date(2026, 11, 21)), Asked(since=DAY, until=date(2026, 11, 23)), id="younger than all"
        ),
        pytest.param(20, Asked(until=date(2026, 11, 21)), Asked(since=DAY), id="amid the others they cannot be"),
    ],
)
def test_samples_are_in_no_set_where_days_can_leave_them_out(days: int, first: Asked, second: Asked) -> None:
    offer = offers(moved(days), DAY, "UTC", {SAMPLE})[0]
    assert offer.pair == Pair(Side(first), Side(second))


def test_without_a_change_it_is_the_last_day() -> None:
    first = offers(FRAME, None, "UTC", ())[0]
    assert first.words == "Before and after Monday 2026-11-23" and first.why == "the last day that sessions began on"


@pytest.mark.parametrize(
    ("clients", "is_plain"),
    [
        pytest.param([["v9"], ["v9"], ["v10"], []], True, id="two"),
        pytest.param([["v7"], ["v9"], ["v10"], ["v10"]], False, id="three"),
    ],
)
def test_of_more_than_two_clients_none_is_meant_unasked(clients: list[list[str]], is_plain: bool) -> None:
    found = offers(ON_ONE_DAY.assign(clients=clients), None, "UTC", ())[0]
    assert found.pair.by == "client" and found.is_plain is is_plain


def test_a_long_name_is_cut_and_asked_for_whole() -> None:
    long = "x" * 90
    found = offers(ON_ONE_DAY.assign(model=[long, long, "y", "y"]), None, "UTC", ())
    (model,) = [one for one in found if one.pair.by == "model"]
    assert f"{'x' * 40}…" in model.words and len(model.words) < 70
    assert {side.asked.model for side in model.pair.sides} == {(long,), ("y",)}


def test_one_session_offers_nothing() -> None:
    assert offers(FRAME.head(1), None, "UTC", ()) == []
