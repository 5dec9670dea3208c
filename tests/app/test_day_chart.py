"""The bars of wasted tokens per day, as figure data."""

from datetime import date

import pandas as pd
import pytest

from analysis.report.palette import palette
from app.day_chart import day_bars

TABLE = pd.DataFrame({"a": [20, 0], "b": [5, 8]}, index=[date(2026, 11, 23), date(2026, 11, 24)])


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_a_series_per_name_told_apart_by_colour_and_hatching(dark: bool) -> None:
    figure = day_bars(TABLE, dark)
    assert [(trace.name, list(trace.x), list(trace.y)) for trace in figure.data] == [
        ("a", ["2026-11-23", "2026-11-24"], [20, 0]),
        ("b", ["2026-11-23", "2026-11-24"], [5, 8]),
    ]
    assert figure.layout.barmode == "stack"
    assert [trace.marker.color for trace in figure.data] == list(palette(dark).series[:2])
    many = day_bars(pd.DataFrame([range(8)], index=[date(2026, 11, 23)]), dark)
    assert len({(trace.marker.color, trace.marker.pattern.shape) for trace in many.data}) == 8
    assert len({trace.marker.pattern.shape for trace in many.data}) == 8


def test_one_day_is_no_wall() -> None:
    first, last = (pd.Timestamp(end) for end in day_bars(TABLE.iloc[:1], False).layout.xaxis.range)
    assert (last - first).days == 6 and first < pd.Timestamp("2026-11-23") < last
