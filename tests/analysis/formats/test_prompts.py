"""Prompts of completion requests: what two have in common, and that like ones are found."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.formats import prompts
from analysis.formats.prompts import Prompt


def ids(*numbers: int) -> Prompt:
    return np.array(numbers, np.int32)


@pytest.mark.parametrize(
    ("old", "new", "least", "expected"),
    [
        pytest.param("abcd", "abcdef", 0, 4, id="all of the shorter one"),
        pytest.param("abxx", "abcd", 0, 2, id="half of it"),
        pytest.param("axxx", "abcd", 0, 0, id="less than half"),
        pytest.param("xbcd", "abcd", 0, 0, id="not from the beginning"),
        pytest.param("abcx", "abcd", 3, 3, id="as much as the best so far"),
        pytest.param("abcx", "abcd", 4, 0, id="less than the best so far"),
        pytest.param(ids(1, 2, 3), ids(1, 2, 4, 5), 0, 2, id="token ids"),
        pytest.param(ids(9, 2, 3), ids(1, 2, 3), 0, 0, id="token ids that begin otherwise"),
        pytest.param("1", ids(1), 0, 0, id="a text and ids"),
        pytest.param("", "a", 0, 0, id="nothing"),
        pytest.param(None, "a", 0, 0, id="no prompt"),
    ],
)
def test_what_two_prompts_share(old: Prompt, new: Prompt, least: int, expected: int) -> None:
    assert prompts.shared(old, new, least) == expected


@given(st.text("ab", max_size=200), st.text("ab", max_size=200), st.integers(0, 200))
def test_all_that_is_shared_is_counted(old: str, new: str, common: int) -> None:
    old = new[:common] + old
    same = next((place for place, pair in enumerate(zip(old, new, strict=False)) if len(set(pair)) > 1), None)
    expected = min(len(old), len(new)) if same is None else same
    assert prompts.shared(old, new) == (expected if 2 * expected >= min(len(old), len(new)) else 0)


@given(st.integers(0, 5000), st.integers(1, 5000), st.integers(0, 5000), st.booleans())
def test_prompts_that_are_alike_are_found(common: int, old_tail: int, new_tail: int, as_ids: bool) -> None:
    old, new = "a" * common + "b" * old_tail, "a" * common + "c" * new_tail
    before: Prompt = ids(*map(ord, old)) if as_ids else old
    after: Prompt = ids(*map(ord, new)) if as_ids else new
    if prompts.shared(before, after):
        assert set(prompts.filed_under(before)) & set(prompts.looked_up(after))


def test_prompts_that_begin_otherwise_are_not_looked_at() -> None:
    old, new = "system text " * 10 + "one " * 50, "system text " * 2 + "two " * 50
    assert not set(prompts.filed_under(old)) & set(prompts.looked_up(new))
