"""The block pool against a plain model of vLLM's free queue, written from its description, one block at a time."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analysis.core.pool import Pool
from tests.builders import ROOT, read_log

BLOCK_SIZE = 4


class PlainPool:
    """Lists and dicts only: ``free`` is the queue, head first; ``holds`` is the content of a block."""

    def __init__(self, num_blocks: int) -> None:
        self.free = list(range(1, num_blocks))
        self.holds: dict[int, object] = {}
        self.order: list[int] = []  # blocks in the order they got their content
        self.users: dict[int, int] = {}
        self.num_evicted = 0

    def serve(self, contents: list[object], prompt_tokens: int, num_tokens: int) -> int:
        hits: list[int] = []
        for content in contents[: (prompt_tokens - 1) // BLOCK_SIZE]:
            found = next((block for block in self.order if self.holds.get(block) == content), None)
            if found is None:
                break
            hits.append(found)
        for block in hits:
            if block in self.free:
                self.free.remove(block)
        blocks = list(hits)
        for position in range(len(hits), -(-num_tokens // BLOCK_SIZE)):
            block = self.free.pop(0)
            if block in self.holds:
                del self.holds[block]
                self.order.remove(block)
                self.num_evicted += 1
            blocks.append(block)
            if position < len(contents):
                self.holds[block] = contents[position]
                self.order.append(block)
        for block in reversed(blocks):
            if block in self.holds:
                self.free.append(block)
        self.free[:0] = [block for block in reversed(blocks) if block not in self.holds]
        return len(hits)


def _contents(tokens: list[int], known: dict[tuple[object, ...], int]) -> list[int]:
    """A number per full block that stands for everything up to its end."""
    stops = range(BLOCK_SIZE, len(tokens) + 1, BLOCK_SIZE)
    return [known.setdefault(tuple(tokens[:stop]), len(known)) for stop in stops]


def _served(pool: Pool, contents: list[int], prompt_tokens: int, num_tokens: int) -> tuple[int, int]:
    running = pool.start(np.array(contents, np.int64), prompt_tokens, BLOCK_SIZE)
    num_evicted = len(pool.evicted)
    pool.finish(running, -(-num_tokens // BLOCK_SIZE))
    return running.hit_blocks, num_evicted + len(pool.evicted)


REQUESTS = st.lists(
    st.tuples(st.integers(0, 3), st.lists(st.integers(0, 2), min_size=1, max_size=9), st.integers(1, 9), st.booleans()),
    min_size=1,
    max_size=40,
)


@pytest.mark.slow
@settings(max_examples=150, deadline=None)
@given(st.integers(16, 40), REQUESTS)
def test_hits_and_evictions_equal_the_plain_model(
    num_blocks: int, requests: list[tuple[int, list[int], int, bool]]
) -> None:
    pool, plain = Pool(num_blocks), PlainPool(num_blocks)
    conversations: dict[int, list[int]] = {}
    known: dict[tuple[object, ...], int] = {}
    num_evicted = 0
    for who, more, generated, again in requests:
        prompt = (conversations.get(who, []) + ([] if again else more)) or more
        prompt = prompt[: (num_blocks - 1) * BLOCK_SIZE - 12]
        full = prompt + [who % 3] * (generated - 1)
        contents = _contents(full, known)
        hit_blocks, evicted = _served(pool, contents, len(prompt), len(full))
        num_evicted += evicted
        assert hit_blocks == plain.serve(list(contents), len(prompt), len(full))
        conversations[who] = full
    assert num_evicted == plain.num_evicted


def test_the_recorded_server_with_two_hundred_blocks() -> None:
    """Hits of all 20 requests and all 570 removals of a real server (its KV events count them)."""
    file = ROOT / "tests" / "data" / "recorded" / "evicted-200-blocks.jsonl"
    turns = [turn for session in read_log(file.read_bytes(), file.name, file.name).sessions for turn in session.turns]
    pool, known, num_evicted = Pool(200), {}, 0
    for turn in sorted(turns, key=lambda turn: turn.started_at or 0.0):
        assert turn.prompt_ids is not None and turn.output_ids is not None
        full = [*turn.prompt_ids.tolist(), *turn.output_ids.tolist()[:-1]]
        contents = [known.setdefault(tuple(full[:stop]), len(known)) for stop in range(16, len(full) + 1, 16)]
        running = pool.start(np.array(contents, np.int64), len(turn.prompt_ids), 16)
        num_evicted += len(pool.evicted)
        pool.finish(running, -(-len(full) // 16))
        num_evicted += len(pool.evicted)
        assert running.hit_blocks * 16 == turn.usage.cached_tokens, turn.line
    assert num_evicted == 570


def test_a_half_evicted_session_still_hits_its_head() -> None:
    pool = Pool(11)  # ten blocks of use
    long, other = np.arange(8), np.arange(100, 104)
    pool.finish(pool.start(long, 32, BLOCK_SIZE), 8)
    pool.finish(pool.start(other, 16, BLOCK_SIZE), 4)  # two blocks were free, two come from the deep end
    assert pool.start(long, 33, BLOCK_SIZE).hit_blocks == 6


def test_requests_that_run_at_once_share_blocks_and_can_fill_the_pool() -> None:
    pool = Pool(9)
    first = pool.start(np.arange(6), 24, BLOCK_SIZE)
    second = pool.start(np.arange(6), 24, BLOCK_SIZE)  # blocks can be hit once they are scheduled; the last is capped
    assert (first.hit_blocks, second.hit_blocks) == (0, 5)
    with pytest.raises(ValueError, match="no room"):
        pool.start(np.arange(50, 54), 16, BLOCK_SIZE)


def test_a_pool_without_a_usable_block_is_refused() -> None:
    with pytest.raises(ValueError, match="holds nothing"):
        Pool(1)


def test_what_a_pool_holds() -> None:
    pool = Pool(9)  # eight blocks of use
    assert pool.holds(np.arange(3)).tolist() == [False, False, False]
    pool.finish(pool.start(np.arange(6), 24, BLOCK_SIZE), 6)
    assert pool.holds(np.array([5, 0, 6, 9999])).tolist() == [True, True, False, False]
    pool.finish(pool.start(np.arange(50, 54), 16, BLOCK_SIZE), 4)
    assert pool.holds(np.arange(6)).tolist() == [True, True, True, True, False, False], "the deep end went"


@pytest.mark.parametrize(("most", "hits"), [(None, 5), (9, 5), (4, 4), (0, 0)])
def test_a_server_may_use_less_than_it_finds(most: int | None, hits: int) -> None:
    """What it does not use it computes again, into blocks of its own that hold the same."""
    pool = Pool(30)
    pool.finish(pool.start(np.arange(6), 24, BLOCK_SIZE), 6)
    again = pool.start(np.arange(6), 24, BLOCK_SIZE, most)
    assert again.hit_blocks == hits
    pool.finish(again, 6)
    other = pool.start(np.arange(50, 69), 77, BLOCK_SIZE)
    assert len(other.blocks) == 20 and len(pool.evicted) == max(0, 20 - (29 - 6 - (6 - hits)))
    assert pool.holds(np.arange(6)).all() == (len(pool.evicted) <= 6 - hits), "copies go before the last of them does"


def test_hits_without_evictions_do_not_let_the_queue_grow() -> None:
    pool = Pool(50)
    for _ in range(2_000):
        pool.finish(pool.start(np.arange(30), 121, BLOCK_SIZE), 31)
    assert sum(len(blocks) for blocks, _stamps in pool._queue) <= 5 * 50
    pool.finish(pool.start(np.arange(100, 130), 120, BLOCK_SIZE), 30)  # 49 - 30 were free: eleven go, deepest first
    assert pool.start(np.arange(30), 121, BLOCK_SIZE).hit_blocks == 19
