"""What every form of a report has or has not."""

from dataclasses import replace

import pytest

from analysis.report.case_document import Pinned
from analysis.report.quotes import Placeholder, Shown
from analysis.report.shape import ELSEWHERE, GONE, extra_heads, ordinal, remark_of, said_of_absent
from tests.sample_reports import leaving

PIN: Pinned[Shown] = Pinned("a", "b", 1, Placeholder("s"), 2, 3, (), True, Placeholder("author A"), "then")


def test_columns_that_some_reports_have() -> None:
    busy = leaving("busy")
    assert extra_heads(busy) == []
    first, *others = busy.overview
    marked = replace(first, labels=(Placeholder("label A"),))
    assert extra_heads(replace(busy, overview=(marked, *others))) == ["Labels"]
    assert extra_heads(replace(busy, overview=(replace(marked, side="after"), *others))) == ["Set", "Labels"]


def test_of_several_sessions_each_has_a_number() -> None:
    assert (ordinal(leaving("busy"), 2), ordinal(leaving("03"), 1)) == ("2. ", "")


def test_sessions_that_are_left_out_are_said() -> None:
    assert said_of_absent(replace(leaving("busy"), left_out=7)) == "7 more sessions left out: too many for one report."
    assert said_of_absent(leaving("busy")) == ""


@pytest.mark.parametrize(
    ("pin", "words"),
    [(PIN, ""), (replace(PIN, is_found=False), GONE), (replace(PIN, session=None, is_found=False), ELSEWHERE)],
)
def test_what_became_of_a_pinned_finding(pin: Pinned[Shown], words: str) -> None:
    assert remark_of(pin) == words
