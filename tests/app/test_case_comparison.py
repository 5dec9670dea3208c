"""Two sets of sessions as figures."""

from analysis.model.baseline import Moved
from app.case_comparison import causes_moved, sessions_moved


def test_causes_as_a_table() -> None:
    frame = causes_moved([Moved("tools/order", 0, 1200), Moved("odd/code", 30, 10)])
    assert frame.to_dict("list") == {
        "Cause": ["tools/order", "odd/code"],
        "In words": ["the tools came in another order", ""],
        "Wasted before": [0, 30],
        "Wasted after": [1200, 10],
        "Change": [1200, -20],
    }


def test_sessions_as_a_table() -> None:
    frame = sessions_moved([Moved("s1", 91.25, 40.04), Moved("s2", 10, 12.5)])
    assert frame.to_dict("list") == {
        "Session in both sets": ["s1", "s2"],
        "Before, %": [91.2, 10.0],
        "After, %": [40.0, 12.5],
        "Change": [-51.2, 2.5],
    }
