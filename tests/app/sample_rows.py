"""Block rows of made-up sessions, the same for the same seed: what the tests and the benchmark draw."""

from collections.abc import Callable, Sequence
from itertools import pairwise

import numpy as np

from analysis.model.finding import BLOCK_STATES, BlockState
from app.block_map import BlockRows

BLOCK_SIZE = 16

Run = tuple[int, BlockState]


def block_rows(
    rows: Sequence[Sequence[Run]], num_blocks: Sequence[int], cached_blocks: Sequence[float | None]
) -> BlockRows:
    """Rows given as runs of (start block, state); a divergence stands wherever a run says so."""
    runs = [run for row in rows for run in row]
    return BlockRows(
        turn_numbers=range(1, len(rows) + 1),
        num_blocks=num_blocks,
        run_offsets=np.cumsum([0, *map(len, rows)], dtype=np.uint32),
        run_starts=np.array([start for start, _ in runs], dtype=np.uint32),
        run_states=np.array([BLOCK_STATES.index(state) for _, state in runs], dtype=np.uint8),
        divergences=[(index, start) for index, row in enumerate(rows) for start, state in row if state == "diverged"],
        cached_blocks=cached_blocks,
        block_size=BLOCK_SIZE,
    )


def one_block() -> BlockRows:
    return block_rows([[(0, "new")]], [1], [None])


def three_turns() -> BlockRows:
    """A first turn, a clean extension, a divergence in block 12 of 70."""
    return block_rows(
        [
            [(0, "new")],
            [(0, "reused"), (40, "tail"), (41, "new")],
            [(0, "reused"), (12, "diverged"), (13, "lost"), (58, "new")],
        ],
        [40, 55, 70],
        [0, 40, 12],
    )


def agent_session(num_turns: int = 18, seed: int = 7, growth: int = 14) -> BlockRows:
    """A session that shows every state: divergences, evictions, and two turns that the server did not report."""
    random = np.random.default_rng(seed)
    rows: list[list[Run]] = [[(0, "new")]]
    sizes = [30]
    cached: list[float | None] = [0]
    for index in range(1, num_turns):
        before, size = sizes[-1], sizes[-1] + int(random.integers(2, growth))
        row, hit = _turn(random, before, size, index)
        rows.append(row)
        cached.append(None if row[0][1] == "unreported" else hit)
        sizes.append(size)
    return block_rows(rows, sizes, cached)


def typical_session(num_turns: int = 200, max_blocks: int = 12_500, seed: int = 1) -> BlockRows:
    """A long session: one turn in ten diverges, one in sixteen is partly evicted, ends alternate lost and new."""
    random = np.random.default_rng(seed)
    sizes = np.linspace(max_blocks // 40, max_blocks, num_turns).astype(int)
    rows: list[list[Run]] = [[(0, "new")]]
    cached: list[float | None] = [0]
    for before, size in pairwise(sizes.tolist()):
        row, hit = _turn(random, before, size, int(random.integers(0, 10)))
        rows.append(row)
        cached.append(None if row[0][1] == "unreported" else hit)
    return block_rows(rows, sizes.tolist(), cached)


def noisy_session(num_turns: int = 200, num_blocks: int = 12_500, seed: int = 2) -> BlockRows:
    """The worst case: runs of a few blocks everywhere, a divergence in every turn."""
    random = np.random.default_rng(seed)
    rows: list[list[Run]] = []
    states: list[BlockState] = ["reused", "lost", "new", "tail", "missed"]
    for _ in range(num_turns):
        starts = np.unique(np.concatenate(([0], random.integers(0, num_blocks, num_blocks // 10)))).tolist()
        row: list[Run] = [
            (start, states[int(choice)])
            for start, choice in zip(starts, random.integers(0, 5, len(starts)), strict=True)
        ]
        broken = int(random.integers(1, len(row)))
        row[broken] = (row[broken][0], "diverged")
        rows.append(row)
    return block_rows(rows, [num_blocks] * num_turns, random.integers(0, num_blocks, num_turns).tolist())


SESSIONS: dict[str, Callable[[], BlockRows]] = {
    "one": one_block,
    "three": three_turns,
    "agent": agent_session,
    "typical": typical_session,
    "noisy": noisy_session,
}


def _turn(random: np.random.Generator, before: int, size: int, kind: int) -> tuple[list[Run], int]:
    """Runs of one turn of ``size`` blocks after one of ``before``, and its cached blocks."""
    if kind % 10 == 3:
        split = int(random.integers(before // 8, before - 2))
        return [(0, "reused"), (split, "diverged"), *_alternating(random, split + 1, before), (before, "new")], split
    if kind % 10 == 6:
        split = int(random.integers(1, before))
        return [(0, "reused"), (split, "missed"), (before, "tail"), (before + 1, "new")], split
    if kind % 10 == 8:
        return [(0, "unreported"), (before, "tail"), (before + 1, "new")], before
    return [(0, "reused"), (before, "tail"), (before + 1, "new")], before


def _alternating(random: np.random.Generator, start: int, stop: int) -> list[Run]:
    """Lost blocks with a few new ones between them."""
    runs: list[Run] = [(start, "lost")]
    while (start := start + int(random.integers(6, 200))) + 2 < stop:
        runs += [(start, "new"), (start + 1, "lost")]
        start += 1
    return runs
