"""The list for the keyboard: what the browser gets, and that anything can come back from it."""

import pytest

from app.row_list import MOST_ROWS, Row, keys_in, message, number_in

ROWS = [Row(7, "seven", ("new", "3 wasted")), Row(9, "<b>nine</b>")]


def test_rows_are_named_and_ticked_in_their_order() -> None:
    sent = message(ROWS, "All", {9, 11}, 4)
    assert sent["rows"] == [[7, "seven", "new", "3 wasted"], [9, "<b>nine</b>"]]
    assert (sent["ticked"], sent["answered"], sent["more"]) == ([9], 4, "")
    assert "tick" in str(sent["keys"])


def test_rows_that_cannot_be_ticked_say_so() -> None:
    sent = message(ROWS, "All", None, 0)
    assert sent["ticked"] is None and "tick" not in str(sent["keys"])


def test_a_long_list_is_cut_and_says_how_much_is_left_out() -> None:
    sent = message([Row(number, "x") for number in range(MOST_ROWS + 1234)], "All", (), 0)
    assert isinstance(sent["rows"], list) and len(sent["rows"]) == MOST_ROWS
    assert sent["more"] == "… and 1,234 more rows: search to narrow them down."


@pytest.mark.parametrize(
    ("sent", "keys", "number"),
    [
        pytest.param({"keys": [9, 7, 9], "number": 3}, [7, 9], 3, id="in the order of the rows"),
        pytest.param({"keys": [], "number": 4}, [], 4, id="none"),
        pytest.param({"keys": [8], "number": "4"}, [], 0, id="no row of the list"),
        pytest.param({"keys": [True, "7", 7.0, None, [7]]}, [], 0, id="no keys"),
        pytest.param({"keys": "79"}, [], 0, id="a text"),
        pytest.param(None, [], 0, id="nothing"),
        pytest.param([7], [], 0, id="a bare list"),
    ],
)
def test_only_rows_of_the_list_are_heard(sent: object, keys: list[int], number: int) -> None:
    assert (keys_in(sent, [7, 9]), number_in(sent)) == (keys, number)
