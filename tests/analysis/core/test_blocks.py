"""Blocks: vLLM's own worked examples, the last-token rule, and fingerprints as prefixes."""

import numpy as np
import pytest

from analysis.core.blocks import fingerprints, full_blocks, left_behind, reusable_tokens
from tests.builders import tokens


@pytest.mark.parametrize(
    ("common", "prompt", "block_size", "reused"),
    [
        pytest.param(10, 14, 4, 8, id='prefix_caching.md "Time 4": 14 tokens, 10 shared'),
        pytest.param(320, 320, 16, 304, id="kB sent twice reuses (k - 1)B"),
        pytest.param(321, 321, 16, 320, id="kB + 1 reuses kB"),
        pytest.param(319, 319, 16, 304, id="kB - 1"),
        pytest.param(16, 16, 16, 0, id="one block never hits"),
        pytest.param(17, 17, 16, 16, id="one block and a token"),
        pytest.param(15, 400, 16, 0, id="less than a block in common"),
        pytest.param(0, 400, 16, 0, id="nothing in common"),
        pytest.param(0, 0, 16, 0, id="empty prompt"),
        pytest.param(100, 33, 16, 32, id="the donor is longer"),
    ],
)
def test_reusable_tokens(common: int, prompt: int, block_size: int, reused: int) -> None:
    assert reusable_tokens(common, prompt, block_size) == reused


@pytest.mark.parametrize(("num_tokens", "blocks"), [(0, 0), (15, 0), (16, 1), (31, 1), (32, 2)])
def test_full_blocks(num_tokens: int, blocks: int) -> None:
    assert full_blocks(num_tokens, 16) == blocks


@pytest.mark.parametrize(("prompt", "output", "left"), [(10, 0, 10), (10, 1, 10), (10, 5, 14)])
def test_the_last_sampled_token_leaves_nothing_behind(prompt: int, output: int, left: int) -> None:
    assert left_behind(prompt, output) == left


def test_fingerprints_depend_on_every_token_before() -> None:
    ids = tokens(range(64))
    same = fingerprints(ids, 16)
    for position in (0, 17, 63):
        changed = ids.copy()
        changed[position] += 1
        block = position // 16
        differs = fingerprints(changed, 16) != same
        assert differs.tolist() == [index >= block for index in range(4)]


@pytest.mark.parametrize("swapped", [(0, 1), (0, 16), (5, 21)], ids=str)
def test_fingerprints_depend_on_the_order(swapped: tuple[int, int]) -> None:
    ids = tokens(range(32))
    left, right = swapped
    ids[[left, right]] = ids[[right, left]]
    assert fingerprints(ids, 16)[1] != fingerprints(tokens(range(32)), 16)[1]


@pytest.mark.parametrize("known_tokens", [0, 15, 16, 40, 48, 1000])
def test_known_fingerprints_change_nothing(known_tokens: int) -> None:
    old, new = tokens(range(48)), tokens(range(min(known_tokens, 48)), range(500, 540))
    known = fingerprints(old, 16)
    assert np.array_equal(fingerprints(new, 16, known, known_tokens), fingerprints(new, 16))


def test_a_partial_block_has_no_fingerprint() -> None:
    assert fingerprints(tokens(range(15)), 16).shape == (0,)
    assert fingerprints(tokens(range(33)), 16).shape == (2,)
