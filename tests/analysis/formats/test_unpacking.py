"""Limits of what comes out of a file."""

import pytest

from analysis.formats.base import FormatError
from analysis.formats.unpacking import MOST_BYTES, MOST_DEPTH, MOST_FILES, MOST_RATIO, UNASKED, Budget, too_large


def test_the_ratio_is_asked_only_of_what_is_large() -> None:
    Budget("a", 1).take(UNASKED)
    Budget("a", UNASKED).take(10 * UNASKED)
    with pytest.raises(FormatError, match=f"^a: unpacks to more than {MOST_RATIO} times its size"):
        Budget("a", 1).take(UNASKED + 1)


def test_nothing_larger_than_the_limit_is_unpacked() -> None:
    budget = Budget("a", MOST_BYTES)
    budget.take(MOST_BYTES - 1)
    budget.take(1)
    with pytest.raises(FormatError) as caught:
        budget.take(1)
    assert str(caught.value) == str(too_large("a")) and "a: unpacks to more than 2 GB" in str(caught.value)


def test_archives_lie_neither_too_deep_nor_hold_too_many_files() -> None:
    budget = Budget("a", 1, files=MOST_FILES - 1)
    budget.enter(MOST_DEPTH)
    with pytest.raises(FormatError, match="more than 100,000 files"):
        budget.enter(1)
    with pytest.raises(FormatError, match="more than 3 deep"):
        Budget("a", 1).enter(MOST_DEPTH + 1)
