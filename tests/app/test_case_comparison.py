"""Two sets of sessions as figures."""

import pytest

from analysis.model.baseline import Moved
from app.case_comparison import causes_moved, held, percent
from tests.sample_store import record_of


@pytest.mark.parametrize(("value", "words"), [(None, "?"), (0.0, "0.0%"), (87.06, "87.1%")])
def test_a_share(value: float | None, words: str) -> None:
    assert percent(value) == words


def test_two_sets_and_the_same_set() -> None:
    before, after = record_of("02"), record_of("14")
    found = held([before], [after])
    assert [one.name for one in found.measures] == ["hit rate", "reusable share"]
    assert {one.name for one in found.causes} == {"template/reasoning-stripped", "volatile-head/template-date"}
    same = held([before], [before])
    assert same.causes == () and same.sessions == () and all(one.change == 0 for one in same.measures)


def test_causes_as_a_table() -> None:
    frame = causes_moved([Moved("tools/order", 0, 1200), Moved("odd/code", 30, 10)])
    assert frame.to_dict("list") == {
        "Cause": ["tools/order", "odd/code"],
        "In words": ["the tools came in another order", ""],
        "Wasted before": [0, 30],
        "Wasted after": [1200, 10],
        "Change": [1200, -20],
    }
