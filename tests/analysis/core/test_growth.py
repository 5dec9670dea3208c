"""A growing sequence lies in one memory, and no array that was given out ever changes."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.core.growth import Growing


def test_what_grows_shares_its_memory() -> None:
    growing = Growing()
    grown = [growing.keep(np.arange(length, dtype=np.int32)) for length in (100, 101, 120, 150)]
    assert [array.tolist() for array in grown] == [list(range(length)) for length in (100, 101, 120, 150)]
    assert not np.shares_memory(grown[0], grown[1])  # it had no room yet
    assert np.shares_memory(grown[1], grown[2]) and np.shares_memory(grown[2], grown[3])


@given(st.lists(st.tuples(st.integers(0, 12), st.lists(st.integers(0, 2), max_size=9)), max_size=12))
def test_nothing_that_was_given_out_changes(edits: list[tuple[int, list[int]]]) -> None:
    """Each array keeps some values of the one before it and goes on with others."""
    growing, values = Growing(), []
    given_out, expected = [], []
    for kept, more in edits:
        values = values[:kept] + more
        given_out.append(growing.keep(np.array(values, np.int32)))
        expected.append(list(values))
        assert [array.tolist() for array in given_out] == expected
        assert given_out[-1].dtype == np.int32


def test_the_callers_array_is_not_kept() -> None:
    mine = np.arange(3)
    kept = Growing().keep(mine)
    mine[0] = 9
    assert kept.tolist() == [0, 1, 2]
    with pytest.raises(ValueError, match="read-only"):
        kept[0] = 1


def test_another_kind_of_number_begins_anew() -> None:
    growing = Growing()
    growing.keep(np.array([1, 2], np.int32))
    assert growing.keep(np.array([1, 2, 3], np.int64)).dtype == np.int64
