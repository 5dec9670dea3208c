"""Rates as a table, and out of fields."""

import pandas as pd
import pytest

from analysis.core.price import Price, Rates
from app.rates_view import common, rates_frame, rates_of

GIVEN = {"a": Rates(Price(2, 0.5, 8), 9000), "b": Rates(None, 4000), "gone": Rates(Price(0, 0, 0))}


def test_every_model_of_the_store_and_of_the_rates_has_a_row() -> None:
    frame = rates_frame(["b", "a", "c", "a"], GIVEN, {"c": 8123.4})
    assert frame.model.tolist() == ["a", "b", "c", "gone"]
    assert frame.cached[0] == 0.5 and frame.measured[2] == 8123.4 and frame.uncached[3] == 0
    assert pd.isna(frame.uncached[1]) and pd.isna(frame.prefill[2])


@pytest.mark.parametrize(
    ("prices", "prefill", "rates"),
    [
        pytest.param([None, None, None], None, Rates(), id="nothing"),
        pytest.param([2.0, 0.0, 8.0], None, Rates(Price(2, 0, 8)), id="a price; a cache may be free"),
        pytest.param([None, None, None], 8000.0, Rates(None, 8000), id="a rate"),
        pytest.param([None, None, None], 0.0, Rates(), id="a rate of nothing is none"),
        pytest.param([2.0, None, 8.0], 8000.0, "Give all three prices, or none.", id="half a price"),
    ],
)
def test_a_price_is_whole_or_none(prices: list[float | None], prefill: float | None, rates: Rates | str) -> None:
    assert rates_of(prices, prefill) == rates


def test_fields_begin_with_what_all_chosen_models_have() -> None:
    assert common(["a"], GIVEN) == GIVEN["a"] and common(["c"], GIVEN) == Rates()
    assert common(["a", "b"], GIVEN) == Rates() and common([], GIVEN) == Rates()
    assert common(["x", "y"], {"x": GIVEN["a"], "y": GIVEN["a"]}) == GIVEN["a"]
