"""What a turn of a report has to say beyond its row."""

from dataclasses import replace

from analysis.report.quotes import Placeholder, Shown
from analysis.report.turn_document import TextChange
from tests.sample_reports import part


def test_a_turn_tells_more_where_it_leaves_the_one_before_it_or_has_a_cause() -> None:
    first, second = part("03").turns[:2]
    assert (first.tells_more, second.tells_more) == (False, True)
    assert not replace(second, change=None, reasons=()).tells_more


def test_a_turn_that_was_compared_by_text_tells_more_where_its_text_parts() -> None:
    first = part("03").turns[0]
    grown: TextChange[Shown] = TextChange(1, ("nothing of turn 1 changed",), "all", None, None)
    assert not replace(first, by_text=grown).tells_more
    assert replace(first, by_text=replace(grown, old=Placeholder("a"), new=Placeholder("b"))).tells_more
