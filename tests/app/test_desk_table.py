"""The table of sessions: a column of nothing is not shown."""

import pandas as pd

from app.desk_table import IF_ANY, SHOWN, by_keyboard, in_plain_words, rows_of, shown_columns
from app.row_list import Row

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


LISTED = pd.DataFrame(
    {
        "session_key": [5, 3],
        "session_id": ["a", "b" * 400],
        "status": ["new", "fixed"],
        "causes": [["tools/order", "made/up"], []],
        "wasted_tokens": pd.array([12345, None], dtype="Int64"),
        "verdict": ["Bad.", "Unknown."],
    }
)


def test_causes_stand_in_words_and_an_endless_id_is_cut() -> None:
    shown = in_plain_words(LISTED)
    assert shown.causes.tolist() == [["the tools came in another order", "made/up"], []]
    assert shown.session_id.tolist() == ["a", "b" * 300]
    assert LISTED.causes.iloc[0][0] == "tools/order", "the frame of the store stays as it is"


def test_sessions_are_ticked_where_they_stand() -> None:
    assert rows_of(LISTED, (3, 99)) == [1] and rows_of(LISTED, ()) == []


def test_the_keyboard_has_the_same_rows_in_the_same_order() -> None:
    assert by_keyboard(LISTED) == [
        Row(5, "a", ["new", "12,345 wasted", "Bad."]),
        Row(3, "b" * 60 + "…", ["fixed", "?", "Unknown."]),
    ]
