"""The list of the desk: marks, seconds and money by session, filters, search and order; unknown is never zero."""

from datetime import date
from itertools import permutations
from typing import Any

import pandas as pd
import pytest

from analysis.core.price import Price, Rates
from analysis.model.desk import Mark
from app.desk_address import Asked, asked_in, params_of
from app.desk_frame import filtered, ordered, searched, speeds, with_costs, with_marks, with_shares

NOON = 1_795_521_600.0  # 2026-11-24 12:00 UTC, a Tuesday
HOUR = 3600.0


def sessions(**columns: list[Any]) -> pd.DataFrame:
    count = len(next(iter(columns.values()))) if columns else 3
    rows = {
        "session_key": list(range(1, count + 1)),
        "session_id": [f"s{number}" for number in range(1, count + 1)],
        "source": ["proxy.jsonl"] * count,
        "model": ["a"] * count,
        "verdict": ["Clean."] * count,
        "causes": [[] for _ in range(count)],
        "wasted_tokens": pd.array([0] * count, dtype="Int64"),
    } | columns
    rows.setdefault("started", pd.to_datetime([NOON] * count, unit="s", utc=True))
    return pd.DataFrame(rows)


def share(session_key: int, model: str = "a", **columns: Any) -> dict[str, Any]:
    blank = {"wasted_tokens": 0, "prompt_tokens": 0, "cached_tokens": 0, "output_tokens": 0, "unsaid_turns": 0}
    lists = {"clients": [], "fidelities": ["exact"], "last_at": NOON}
    return {"session_key": session_key, "model": model} | blank | lists | columns


def listed(*shares: dict[str, Any], marks: dict[int, Mark] | None = None, **columns: list[Any]) -> pd.DataFrame:
    frame = with_shares(sessions(**columns), pd.DataFrame(list(shares)))
    return with_marks(frame, marks or {})


def test_turns_of_two_models_are_one_session() -> None:
    frame = listed(
        share(1, "a", clients=["x/1"], last_at=NOON),
        share(1, "b", clients=["x/2", "x/1"], fidelities=["unknown"], last_at=NOON + HOUR),
        share(2, "a"),
        session_id=["one", "two"],
    )
    assert frame.clients.tolist() == [["x/1", "x/2"], []]
    assert frame.fidelities.tolist() == [["exact", "unknown"], ["exact"]]
    assert (frame["last"] - frame.started).dt.total_seconds().tolist() == [HOUR, 0]


def test_what_nobody_marked_is_new() -> None:
    frame = listed(share(1), share(2), marks={2: Mark("fixed", "ada", ("eu",))}, session_id=["one", "two"])
    assert frame.status.tolist() == ["new", "fixed"]
    assert frame.assignee.tolist() == ["", "ada"] and frame.labels.tolist() == [[], ["eu"]]


def costs(*shares: dict[str, Any], rates: dict[str, Rates], measured: dict[str, float], **columns: Any) -> pd.DataFrame:
    frame = pd.DataFrame(list(shares))
    found = with_costs(sessions(**columns), frame, rates, measured)
    return found[["wasted_seconds", "wasted_cost", "total_cost"]]


def row(frame: pd.DataFrame, index: int = 0) -> list[float | None]:
    return [None if pd.isna(value) else float(value) for value in frame.iloc[index]]


FULL = {"wasted_tokens": 1_000_000, "prompt_tokens": 3_000_000, "cached_tokens": 1_000_000, "output_tokens": 500_000}
WASTED = {"wasted_tokens": pd.array([1_000_000], dtype="Int64")}


@pytest.mark.parametrize(
    ("shares", "rates", "measured", "expected"),
    [
        pytest.param([share(1, **FULL)], {}, {}, [None, None, None], id="nothing is given"),
        pytest.param([share(1, **FULL)], {}, {"a": 8000.0}, [125.0, None, None], id="a measured rate"),
        pytest.param([share(1, **FULL)], {"a": Rates(None, 4000)}, {"a": 8000.0}, [250.0, None, None], id="given"),
        pytest.param([share(1, **FULL)], {"a": Rates(Price(2, 0.5, 8))}, {}, [None, 1.5, 8.5], id="a price"),
        pytest.param([share(1, **FULL)], {"b": Rates(Price(2, 0.5, 8), 1)}, {}, [None] * 3, id="of another model"),
        pytest.param(
            [share(1, **FULL | {"unsaid_turns": 1})], {"a": Rates(Price(2, 0.5, 8))}, {}, [None, 1.5, None],
            id="a count is not reported",
        ),
        pytest.param(
            [share(1, "a", **FULL), share(1, "b", wasted_tokens=7)], {"a": Rates(Price(2, 0.5, 8), 1e6)}, {},
            [None, None, None], id="half of it has no price",
        ),
        pytest.param(
            [share(1, "a", **FULL), share(1, "b")], {"a": Rates(Price(2, 0.5, 8), 1e6)}, {}, [1.0, 1.5, None],
            id="nothing wasted where there is no price",
        ),
    ],
)  # fmt: skip
def test_seconds_and_money_are_known_or_not(
    shares: list[dict[str, Any]], rates: dict[str, Rates], measured: dict[str, float], expected: list[float | None]
) -> None:
    assert row(costs(*shares, rates=rates, measured=measured, **WASTED)) == expected


def test_waste_that_is_not_known_has_no_price() -> None:
    unknown = pd.array([None], dtype="Int64")
    rates = {"a": Rates(Price(2, 0.5, 8), 8000)}
    assert row(costs(share(1), rates=rates, measured={}, wasted_tokens=unknown))[:2] == [None, None]


def test_a_rate_is_measured_by_model() -> None:
    timed = pd.DataFrame(
        {
            "model": ["a"] * 5 + ["b"] * 5,
            "computed_tokens": [100, 900, 2000, 4000, 8000, 100, 900, None, 4000, 8000],
            "seconds_to_first_token": [0.5 + n / 8000 for n in (100, 900, 2000, 4000, 8000)] + [1.0] * 5,
        }
    )
    assert speeds(timed) == {"a": pytest.approx(8000)}
    assert speeds(timed.iloc[:0]) == {}


THREE = {
    "session_id": ["agent-1", "Agent-2", "chat (3)"],
    "source": ["proxy.jsonl", "other.jsonl", "proxy.jsonl"],
    "model": ["qwen", "qwen", "llama"],
    "verdict": ["Clean.", "40% computed again.", "Clean."],
    "causes": [[], ["tools/order"], []],
    "started": list(pd.to_datetime([NOON - 24 * HOUR, NOON, None], unit="s", utc=True)),
}
FRAME = listed(
    share(1, clients=["x/1"], last_at=NOON - 20 * HOUR),
    share(2, clients=["x/2"], fidelities=["approximate", "unknown"], last_at=NOON + HOUR),
    share(3, last_at=None),
    marks={2: Mark("explained", "Ada", ("Acme GmbH", "eu"))},
    **THREE,
)


@pytest.mark.parametrize(
    ("search", "found"),
    [
        ("", [1, 2, 3]),
        ("   ", [1, 2, 3]),
        ("agent", [1, 2]),
        ("AGENT proxy", [1]),
        ("llama", [3]),
        ("(3)", [3]),
        (".*", []),
        ("agent llama", []),
        ("40% tools/order", [2]),
        ("tools came in another order", [2]),
        ("acme agent", [2]),
        ("ada", [2]),
        ("x/1", [1]),
    ],
)
def test_search_for_every_word(search: str, found: list[int]) -> None:
    assert searched(FRAME, search).session_key.tolist() == found


@pytest.mark.parametrize(
    ("asked", "found"),
    [
        pytest.param(Asked(), [1, 2, 3], id="nothing"),
        pytest.param(Asked(model=("llama", "none")), [3], id="model"),
        pytest.param(Asked(label=("eu",)), [2], id="label"),
        pytest.param(Asked(label=("",)), [1, 3], id="without label"),
        pytest.param(Asked(client=("x/1", "x/2")), [1, 2], id="clients"),
        pytest.param(Asked(client=("",)), [3], id="no client named"),
        pytest.param(Asked(fidelity=("unknown",)), [2], id="any turn of this fidelity"),
        pytest.param(Asked(status=("new",)), [1, 3], id="status"),
        pytest.param(Asked(assignee=("Ada",)), [2], id="assignee"),
        pytest.param(Asked(assignee=("",)), [1, 3], id="nobody"),
        pytest.param(Asked(cause=("tools/order",)), [2], id="cause"),
        pytest.param(Asked(since=date(2026, 11, 24)), [2], id="from a day on"),
        pytest.param(Asked(until=date(2026, 11, 23)), [1], id="up to a day"),
        pytest.param(Asked(since=date(2026, 11, 23), until=date(2026, 11, 24)), [1, 2], id="days"),
        pytest.param(Asked(since=date(1, 1, 1), until=date(9999, 12, 31)), [1, 2], id="all days there are"),
        pytest.param(Asked(model=("qwen",), status=("new",), q="proxy"), [1], id="several"),
    ],
)
def test_filters(asked: Asked, found: list[int]) -> None:
    assert filtered(FRAME, asked, {2}, "UTC").session_key.tolist() == found


def test_a_day_begins_where_the_zone_says() -> None:
    asked = Asked(since=date(2026, 11, 25))
    assert filtered(FRAME, asked, set(), "Asia/Tokyo").empty, "13:00 UTC is 22:00 of the 24th in Tokyo"
    assert filtered(FRAME, asked, set(), "Pacific/Auckland").session_key.tolist() == [2]


def test_a_session_is_under_way_until_its_last_turn() -> None:
    frame = listed(share(1, last_at=NOON + 30 * HOUR), share(2), session_id=["long", "short"])
    asked = Asked(since=date(2026, 11, 25), until=date(2026, 11, 25))
    assert filtered(frame, asked, set(), "UTC").session_id.tolist() == ["long"]


@pytest.mark.parametrize(
    ("order", "found"), [("seconds", [3, 1, 2]), ("cost", [1, 3, 2]), ("tokens", [1, 2, 3]), ("newest", [2, 1, 3])]
)
def test_the_worst_first_and_the_unknown_last(order: str, found: list[int]) -> None:
    frame = FRAME.assign(
        wasted_tokens=pd.array([5, 5, None], dtype="Int64"),
        wasted_seconds=pd.array([1.0, None, 2.0], dtype="Float64"),
        wasted_cost=pd.array([0.5, None, 0.5], dtype="Float64"),
    )
    assert ordered(frame, order).session_key.tolist() == found


def test_of_a_long_name_so_much_counts_as_an_address_holds() -> None:
    frame = listed(share(1, clients=["c" * 400]), share(2), session_id=["one", "two"], model=["m" * 400, "a"])
    for long in (Asked(model=("m" * 400,)), Asked(client=("c" * 400,))):
        assert filtered(frame, asked_in(params_of(long)), set(), "UTC").session_id.tolist() == ["one"]


def test_the_seconds_of_several_models_are_the_same_in_any_order() -> None:
    wasted = {"a": 1, "b": 3, "c": 10**16, "d": 7, "e": 10**15 + 1}
    shares = [share(1, model, **FULL | {"wasted_tokens": tokens}) for model, tokens in wasted.items()]
    rates = {model: Rates(None, 3.0) for model in wasted}
    found = {
        row(costs(*order, rates=rates, measured={}, session_id=["one"], **WASTED))[0] for order in permutations(shares)
    }
    assert len(found) == 1
