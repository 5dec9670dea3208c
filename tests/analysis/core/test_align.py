"""Where two sequences agree."""

import numpy as np
import pytest

from analysis.core.align import WINDOW, Run, common_prefix, differing, matched_runs, seen_elsewhere
from analysis.model.session import TokenIds
from tests.builders import tokens


@pytest.mark.parametrize(
    ("left", "right", "length"),
    [
        pytest.param(tokens(), tokens(), 0, id="both empty"),
        pytest.param(tokens(1), tokens(), 0, id="one empty"),
        pytest.param(tokens(1, 2), tokens(3, 2), 0, id="nothing"),
        pytest.param(tokens(1, 2, 3), tokens(1, 2, 4), 2, id="some"),
        pytest.param(tokens(1, 2), tokens(1, 2, 3), 2, id="all of the shorter"),
    ],
)
def test_common_prefix(left: TokenIds, right: TokenIds, length: int) -> None:
    assert common_prefix(left, right) == length
    assert common_prefix(right, left) == length


@pytest.mark.parametrize("position", [4095, 4096, 4097, 12_287, 12_288, 99_999])
def test_common_prefix_of_long_sequences(position: int) -> None:
    left = tokens(range(100_000))
    right = left.copy()
    right[position] = -1
    assert common_prefix(left, right) == position


@pytest.mark.parametrize(
    ("num_shared", "marked"), [(WINDOW - 1, 0), (WINDOW, WINDOW), (WINDOW + 9, WINDOW + 9)], ids=str
)
def test_content_counts_as_seen_from_a_window_on(num_shared: int, marked: int) -> None:
    shared = range(100, 100 + num_shared)
    marks = seen_elsewhere(tokens(range(20), shared, range(50, 70)), tokens(7, shared, 8))
    assert int(marks.sum()) == marked
    assert marks[20 : 20 + marked].all()


def test_content_may_have_moved() -> None:
    first, second = range(100, 120), range(200, 220)
    marks = seen_elsewhere(tokens(second, 1, first), tokens(first, 2, second))
    assert marks.tolist() == [True] * 20 + [False] + [True] * 20


@pytest.mark.parametrize("short", [tokens(), tokens(range(WINDOW - 1))], ids=["empty", "short"])
def test_too_little_is_never_seen(short: TokenIds) -> None:
    assert not seen_elsewhere(short, tokens(range(100))).any()
    assert not seen_elsewhere(tokens(range(100)), short).any()


BODY = range(1000, 1100)


@pytest.mark.parametrize(
    ("old", "new", "runs"),
    [
        pytest.param(tokens(range(9)), tokens(range(9)), [Run(0, 0, 9)], id="equal"),
        pytest.param(tokens(1, 2), tokens(3, 4), [], id="nothing in common"),
        pytest.param(tokens(), tokens(1), [], id="empty"),
        pytest.param(tokens(1, 2, 9), tokens(1, 3, 9), [Run(0, 0, 1), Run(2, 2, 1)], id="one token replaced"),
        pytest.param(tokens(1, BODY), tokens(1, 5, 6, BODY), [Run(0, 0, 1), Run(1, 3, 100)], id="inserted"),
        pytest.param(tokens(7, BODY, 8), tokens(1, 2, BODY, 3), [Run(1, 2, 100)], id="only the middle"),
    ],
)
def test_matched_runs(old: TokenIds, new: TokenIds, runs: list[Run]) -> None:
    assert matched_runs(old, new) == runs


def test_of_two_moved_pieces_the_longer_is_kept() -> None:
    long, short = range(100, 180), range(200, 230)
    assert matched_runs(tokens(1, short, 2, long, 3), tokens(4, long, 5, short, 6)) == [Run(32, 1, 80)]


def test_repeated_content_is_anchored_by_what_is_unique() -> None:
    filler = [5] * 60
    old, new = tokens(1, filler, range(100, 140), filler, 2), tokens(3, filler, range(100, 140), filler, 4)
    (run,) = matched_runs(old, new)
    assert (run.old_start, run.new_start) == (1, 1), "grown to the left over what is not unique"
    assert run.length >= 100


def test_runs_are_ints() -> None:
    runs = matched_runs(tokens(7, BODY, 8), tokens(1, 2, BODY, 3))
    assert all(type(value) is int for run in runs for value in run), f"numpy leaks out: {runs!r}"
    assert isinstance(seen_elsewhere(tokens(1), tokens(1)), np.ndarray)


@pytest.mark.parametrize(
    ("old", "new", "old_marks", "new_marks"),
    [
        pytest.param([1, 2, 3], [1, 2, 3], "000", "000", id="equal"),
        pytest.param([1, 2, 3], [1, 9, 3], "010", "010", id="one changed"),
        pytest.param([1, 2], [1, 2, 3, 4], "00", "0011", id="grown"),
        pytest.param([1, 2, 3, 4], [1, 4], "0110", "00", id="removed"),
        pytest.param([], [1], "", "1", id="against nothing"),
    ],
)
def test_differing(old: list[int], new: list[int], old_marks: str, new_marks: str) -> None:
    found = differing(tokens(*old), tokens(*new))
    assert ["".join(str(int(mark)) for mark in marks) for marks in found] == [old_marks, new_marks]


def test_moved_text_is_recognised_behind_an_insertion() -> None:
    rest = list(range(100, 140))
    old_marks, new_marks = differing(tokens(1, *rest), tokens(1, 2, 3, *rest))
    assert not old_marks.any() and new_marks.tolist() == [False, True, True, *[False] * 40]
