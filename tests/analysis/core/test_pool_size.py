"""The smallest pool that keeps a hit, against serving the same traffic in every size with the plain server."""

from random import Random

import numpy as np
import pytest

from analysis.core.pool_size import NOT_SERVED, Stay, Step, hits, sizes_needed
from analysis.core.serving import Serving
from analysis.model.settings import Settings
from tests.served_traffic import served
from tests.traffic import Call, PlainServer, traffic

SIZE = 4


def stays_of(calls: list[Call], drops: bool = False) -> tuple[list[Stay], list[Step]]:
    """What a server with unlimited memory makes of the calls."""
    serving = Serving(Settings(SIZE, "given", spec_decode=drops))
    made = served(serving, calls)
    serving.all_removed()
    stays = [
        Stay(one.numbers["k"], one.asked.prompt_tokens, -(-len(one.asked.full_ids) // SIZE), one.most_blocks, drops)
        for one in made
    ]
    return stays, serving.steps


def plainly(calls: list[Call], num_blocks: int, drops: bool) -> list[int]:
    server, found = PlainServer(SIZE, num_blocks, drops), [NOT_SERVED] * len(calls)
    try:
        for index, call in enumerate(calls):
            found[index] = server.serve(call).hit // SIZE
    except ValueError:
        pass
    return found


@pytest.mark.slow
@pytest.mark.parametrize("drops", [False, True], ids=["plain", "with drafting"])
def test_a_history_is_served_again_as_the_plain_server_would(drops: bool) -> None:
    for seed in range(150):
        calls = traffic(seed, most=20, skips=0.1)
        stays, steps = stays_of(calls, drops)
        size = Random(seed).randint(12, 50)
        assert hits(stays, steps, size, SIZE) == plainly(calls, size, drops), seed


@pytest.mark.slow
def test_the_smallest_pool_of_every_request() -> None:
    """In the size that was found it hits all that it could, in the next smaller one it does not, in none above less."""
    wanting = 0
    for seed in range(60):
        calls = traffic(seed, most=20)
        stays, steps = stays_of(calls)
        needed = sizes_needed(stays, steps, SIZE)
        least = max(stay.num_blocks for stay in stays) + 1
        by_size = {size: plainly(calls, size, False) for size in range(least, max(needed) + 3)}
        for index, stay in enumerate(stays):
            enough = [size for size, found in by_size.items() if found[index] >= stay.most_blocks]
            assert min(enough) == needed[index] and enough == list(range(needed[index], max(needed) + 3)), seed
            wanting += needed[index] > least
    assert wanting > 100, "pools that are always large enough test nothing"


def test_a_request_that_has_no_room_is_not_served() -> None:
    stay = Stay(np.arange(6), 24, 6, 0)
    assert hits([stay, stay], [(0, True), (1, True)], 7, 4) == [0, NOT_SERVED]
    assert hits([], [], 7, 4) == [] == sizes_needed([], [], 4)
