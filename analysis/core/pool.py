"""vLLM's block pool for one full-attention group: which blocks of a prompt are still cached when it is scheduled.

Follows ``vllm/v1/core/block_pool.py`` and ``kv_cache_manager.py`` (0.32): new blocks come from the head of the free
queue, where they lose their hash; a finished request gives its hashed blocks back to the tail, deepest first, and its
partial block to the head; a hit takes a block out of the queue.  One block of the pool is never used (the null block).

Blocks are told apart by content: one number per distinct chained hash.  All work is on arrays, so a request costs a
few operations however long it is.  Does not model preemption: a pool too small for what runs is an error.
"""

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Numbers = npt.NDArray[np.int64]

ABSENT = -1
VOID_PLACES = 4  # times the pool's blocks that the queue may hold before void places are dropped


@dataclass(slots=True, eq=False)
class Running:
    """A request in the pool: its contents, one per full block of prompt and reply, and the blocks it holds."""

    contents: Numbers
    blocks: Numbers
    hit_blocks: int
    named_blocks: int  # leading blocks that have their hash


class Pool:
    """A pool of ``num_blocks`` blocks.  ``evicted`` are the contents that the latest call took a block from."""

    def __init__(self, num_blocks: int) -> None:
        if num_blocks < 2:
            raise ValueError(f"a pool of {num_blocks} blocks holds nothing: one block is never used")
        self.num_blocks = num_blocks
        self.evicted: Numbers = np.empty(0, np.int64)
        self._content_of = np.full(num_blocks, ABSENT, np.int64)  # by block; ABSENT: no hash
        self._references = np.zeros(num_blocks, np.int32)  # by block
        self._stamps = np.zeros(num_blocks, np.int64)  # by block: its newest place in the queue, older ones are void
        self._block_of = np.full(1024, ABSENT, np.int64)  # by content: the oldest block that holds it
        self._copies: dict[int, list[int]] = {}  # by content: further blocks that hold it, oldest first
        self._unnamed: list[int] = []  # free blocks without a hash, the next one to take last
        self._queue = deque([(np.arange(1, num_blocks, dtype=np.int64), np.zeros(num_blocks - 1, np.int64))])
        self._queued = num_blocks - 1  # places in the queue, void ones included
        self._clock = 0

    def holds(self, contents: Numbers) -> npt.NDArray[np.bool_]:
        """Which contents are in a block; shape as ``contents``."""
        self._know(contents)
        held: npt.NDArray[np.bool_] = self._block_of[contents] != ABSENT
        return held

    def start(self, contents: Numbers, prompt_tokens: int, block_size: int, most_hits: int | None = None) -> Running:
        """Schedule a request and give its prompt room; ``hit_blocks`` of the result is the prefix cache hit.

        ``contents`` are those of the full blocks of prompt and reply; of what they hit the server uses ``most_hits``
        blocks at most.  Raise ValueError where there is no room; the pool is of no use from then on.
        """
        self._know(contents)
        hits = self._hits(contents[: (prompt_tokens - 1) // block_size])[:most_hits]
        free = hits[self._references[hits] == 0]
        self._stamps[free] = self._tick()
        self._references[hits] += 1
        running = Running(contents, hits, len(hits), len(hits))
        self._grow(running, -(-prompt_tokens // block_size))
        self._name(running, prompt_tokens // block_size)
        return running

    def finish(self, running: Running, num_blocks: int) -> None:
        """Let a request generate until it holds ``num_blocks`` blocks, and take everything back."""
        self._grow(running, num_blocks)
        self._name(running, len(running.contents))
        self._release(running.blocks)

    def _hits(self, contents: Numbers) -> Numbers:
        """The blocks that hold the leading contents, up to the first that is gone."""
        blocks = self._block_of[contents]
        gone = blocks == ABSENT
        return blocks[: int(gone.argmax())] if gone.any() else blocks

    def _grow(self, running: Running, num_blocks: int) -> None:
        fresh = list(self._taken(num_blocks - len(running.blocks)))
        blocks = np.concatenate([*fresh, np.empty(0, np.int64)])
        self.evicted = self._forget(blocks)
        self._references[blocks] = 1
        running.blocks = np.concatenate([running.blocks, blocks])

    def _taken(self, count: int) -> Iterator[Numbers]:
        """Blocks from the head of the free queue, in pieces."""
        while count > 0 and self._unnamed:
            count -= 1
            yield np.array([self._unnamed.pop()], np.int64)
        while count > 0:
            if not self._queue:
                raise ValueError(f"the pool of {self.num_blocks} blocks has no room for the requests that run at once")
            blocks, stamps = self._queue.popleft()
            self._queued -= len(blocks)
            valid = self._stamps[blocks] == stamps
            blocks, stamps = blocks[valid], stamps[valid]
            if len(blocks) > count:
                self._queue.appendleft((blocks[count:], stamps[count:]))
                self._queued += len(blocks) - count
            blocks = blocks[:count]
            self._stamps[blocks] = self._tick()
            count -= len(blocks)
            yield blocks

    def _forget(self, blocks: Numbers) -> Numbers:
        """Take the hash from blocks that get new content; return the contents they held."""
        contents = self._content_of[blocks]
        self._content_of[blocks] = ABSENT
        holding = contents != ABSENT
        blocks, contents = blocks[holding], contents[holding]
        several = np.isin(contents, list(self._copies))
        self._block_of[contents[~several]] = ABSENT
        for block, content in zip(blocks[several].tolist(), contents[several].tolist(), strict=True):
            self._forget_one(block, content)
        forgotten: Numbers = contents
        return forgotten

    def _forget_one(self, block: int, content: int) -> None:
        """The same for one block of a content that is held more than once: the next oldest takes its place."""
        copies = self._copies.get(content, [])
        if block in copies:
            copies.remove(block)
        else:
            self._block_of[content] = copies.pop(0) if copies else ABSENT
        if not copies:
            self._copies.pop(content, None)

    def _name(self, running: Running, stop: int) -> None:
        """Give the full blocks of a request up to ``stop`` their hash."""
        start, running.named_blocks = running.named_blocks, stop
        blocks, contents = running.blocks[start:stop], running.contents[start:stop]
        self._content_of[blocks] = contents
        held = self._block_of[contents] != ABSENT
        self._block_of[contents[~held]] = blocks[~held]
        for block, content in zip(blocks[held].tolist(), contents[held].tolist(), strict=True):
            self._copies.setdefault(content, []).append(block)

    def _release(self, blocks: Numbers) -> None:
        """Take blocks back: those with a hash to the tail, deepest first, the others to the head."""
        self._references[blocks] -= 1
        freed = blocks[self._references[blocks] == 0][::-1]
        named = self._content_of[freed] != ABSENT
        self._unnamed.extend(freed[~named][::-1].tolist())
        tail = freed[named]
        stamp = self._tick()
        self._stamps[tail] = stamp
        self._queue.append((tail, np.full(len(tail), stamp, np.int64)))
        self._queued += len(tail)
        if self._queued > VOID_PLACES * self.num_blocks:
            self._tidy()

    def _tidy(self) -> None:
        """Drop the void places: hits that are never followed by an eviction would let the queue grow for ever."""
        blocks = np.concatenate([blocks for blocks, _stamps in self._queue])
        stamps = np.concatenate([stamps for _blocks, stamps in self._queue])
        valid = self._stamps[blocks] == stamps
        self._queue = deque([(blocks[valid], stamps[valid])])
        self._queued = int(valid.sum())

    def _know(self, contents: Numbers) -> None:
        needed = int(contents.max()) + 1 if len(contents) else 0
        if needed > len(self._block_of):
            more = np.full(max(needed, 2 * len(self._block_of)) - len(self._block_of), ABSENT, np.int64)
            self._block_of = np.concatenate([self._block_of, more])

    def _tick(self) -> int:
        self._clock += 1
        return self._clock
