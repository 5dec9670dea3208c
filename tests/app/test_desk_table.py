"""The table of sessions: a column of nothing is not shown."""

import pandas as pd

from app.desk_table import IF_ANY, SHOWN, shown_columns

BLANK = pd.DataFrame(
    {
        name: pd.Series(
            [[], []] if name == "labels" else ["", ""] if name == "assignee" else [None, None], dtype=object
        )
        for name in SHOWN
    }
)


def test_columns_that_say_nothing_are_left_out() -> None:
    assert shown_columns(BLANK) == [name for name in SHOWN if name not in IF_ANY]


def test_a_zero_says_something_and_one_value_is_enough() -> None:
    costs = pd.array([0.0, None], dtype="Float64")
    said = BLANK.assign(wasted_cost=costs, labels=[[], ["eu"]], assignee=["ada", ""])
    assert set(IF_ANY) - set(shown_columns(said)) == {"wasted_seconds", "total_cost"}
