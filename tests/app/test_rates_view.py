"""Rates as a table and back."""

import pandas as pd

from analysis.core.price import Price, Rates
from app.rates_view import rates_frame, rates_in

GIVEN = {"a": Rates(Price(2, 0.5, 8), 9000), "b": Rates(None, 4000), "gone": Rates(Price(0, 0, 0))}


def test_rates_are_a_row_per_model_and_come_back_as_they_were() -> None:
    frame = rates_frame(["b", "a", "c", "a"], GIVEN, {"c": 8123.4})
    assert frame.model.tolist() == ["a", "b", "c", "gone"]
    assert pd.isna(frame.uncached[1]) and frame.cached[0] == 0.5 and frame.measured[2] == 8123.4
    assert rates_in(frame) == (GIVEN, [])


def test_a_price_is_whole_or_none() -> None:
    frame = rates_frame(["a", "b"], {}, {})
    frame.loc[0, "uncached"] = 2.0
    frame.loc[1, "prefill"] = 0.0
    assert rates_in(frame) == ({}, ["a"]), "and a rate of nothing is none"
