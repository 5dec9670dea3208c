"""Two sets of sessions as figures."""

from analysis.model.baseline import Moved
from app.case_comparison import causes_moved


def test_causes_as_a_table() -> None:
    frame = causes_moved([Moved("tools/order", 0, 1200), Moved("odd/code", 30, 10)])
    assert frame.to_dict("list") == {
        "Cause": ["tools/order", "odd/code"],
        "In words": ["the tools came in another order", ""],
        "Wasted before": [0, 30],
        "Wasted after": [1200, 10],
        "Change": [1200, -20],
    }
