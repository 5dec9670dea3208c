"""What others left, held against the whole history served again."""

from collections.abc import Sequence

import numpy as np
import pytest

from analysis.core.blocks import reusable_tokens
from analysis.core.elsewhere import Left, elsewhere
from analysis.core.serving import Asked, Serving
from analysis.model.session import TokenIds
from analysis.model.settings import Settings
from tests.builders import tokens

SIZE = 4
HEAD = tokens(range(16))


def left(session: int, *values: int, prompt: int = 16, at: float | None = None, until: float | None = None) -> Left:
    return Left(session, "key", tokens(range(16), *values), prompt, at, until)


def asked(one: Left, ids: TokenIds) -> Asked:
    return Asked(ids, one.prompt_tokens, one.keys, started_at=one.started_at, ended_at=one.ended_at)


@pytest.mark.parametrize(
    ("order", "place", "blocks"),
    [
        pytest.param([left(1), left(0)], 1, 4, id="another session's prompt"),
        pytest.param([left(0), left(0)], 1, 0, id="its own does not count"),
        pytest.param([left(0), left(1), left(0)], 0, 0, id="what came later does not count"),
        pytest.param([left(0), left(1), left(0)], 2, 4, id="the later of two sessions"),
        pytest.param([left(1, prompt=8, at=0, until=5), left(0, at=3)], 1, 2, id="a reply that is not written yet"),
        pytest.param([left(1, prompt=8, at=0, until=3), left(0, at=3)], 1, 4, id="a reply that has just been written"),
        pytest.param([Left(1, "other", HEAD, 16), left(0)], 1, 0, id="other keys"),
        pytest.param([Left(1, "key", tokens(range(8), 99, range(9, 16)), 16), left(0)], 1, 2, id="a shared head"),
    ],
)
def test_blocks(order: Sequence[Left], place: int, blocks: int) -> None:
    assert elsewhere(order, SIZE).blocks(HEAD, "key", 0, place) == blocks


def test_a_prompt_without_a_full_block_has_none() -> None:
    assert elsewhere([left(1), left(0)], SIZE).blocks(HEAD[:3], "key", 0, 1) == 0


@pytest.mark.parametrize("seed", range(20))
def test_it_agrees_with_the_history_served_again(seed: int) -> None:
    chance = np.random.default_rng(seed)
    order = []
    for place in range(30):
        ids = chance.integers(0, 2, int(chance.integers(1, 24))).astype(np.int32)
        kept = int(chance.integers(1, len(ids) + 1))
        order.append(
            Left(int(chance.integers(0, 4)), "key", ids, kept, float(place), place + float(chance.random() * 4))
        )
    known = elsewhere(order, SIZE)
    for place, one in enumerate(order):
        prompt = one.full_ids[: one.prompt_tokens]
        serving = Serving(Settings(SIZE))
        for earlier in order[:place]:
            if earlier.session != one.session:
                serving.serve(asked(earlier, earlier.full_ids))
        blocks = known.blocks(prompt, "key", one.session, place)
        assert reusable_tokens(blocks * SIZE, len(prompt), SIZE) == serving.serve(asked(one, prompt)).hit_tokens
