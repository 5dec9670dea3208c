"""The bars of causes: two a cause, in the palette, and no bar for what is not known."""

import pytest

from analysis.model.baseline import Moved
from analysis.report.palette import palette
from analysis.report.two_sets import CauseMoved
from app.sets_chart import LONGEST, MOST_CAUSES, cause_bars, drawn


def cause(code: str, before: float | None, after: float | None) -> CauseMoved:
    return CauseMoved(code, (None, None), Moved(code, before, after))


@pytest.mark.parametrize("dark", [False, True])
def test_every_cause_has_a_bar_for_each_set(dark: bool) -> None:
    figure = cause_bars([cause("a", 0.0, 45.6), cause("b", 3.0, 1.0)], dark)
    first, second = figure.data
    assert (list(first.y), list(first.x), list(second.x)) == (["a", "b"], [0.0, 3.0], [45.6, 1.0])
    assert list(second.text) == ["45.6  gained", "1.0  shrunk"] and list(first.text) == ["0.0", "3.0"]
    assert [one.marker.color for one in figure.data] == list(palette(dark).series[:2])
    assert (first.marker.pattern.shape, second.marker.pattern.shape) == ("", "/"), "never by colour alone"
    assert figure.layout.yaxis.autorange == "reversed" and not figure.layout.annotations


def test_what_is_not_known_is_a_question_mark_and_no_bar() -> None:
    figure = cause_bars([cause("a", 5.0, None)], False)
    assert figure.data[1].x == (None,) and figure.data[1].text == ("",)
    (mark,) = figure.layout.annotations
    assert (mark.text, mark.y) == ("?", "a") and mark.yshift < 0, "on the side of set B"


def test_names_of_a_file_are_no_markup() -> None:
    figure = cause_bars([cause("<a href='http://x'>" + "y" * 99, 5.0, 1.0)], False)
    assert figure.data[0].y[0].startswith("&lt;a href=") and len(figure.data[0].y[0]) < LONGEST + 30


def test_the_causes_that_differ_most_are_drawn_in_their_order() -> None:
    many = [cause(f"c{index:02}", 0.0, 30.0 - index) for index in range(MOST_CAUSES + 5)]
    assert [one.code for one in drawn(many)] == [f"c{index:02}" for index in range(MOST_CAUSES)]
    assert drawn([cause("same", 5.0, 5.0)]) == []
    assert [one.code for one in drawn([*many, cause("unknown", 99.0, None)])][-1] == "unknown"
