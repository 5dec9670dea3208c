"""The block map of a session in few columns: where several blocks share one, the most alarming state is shown."""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from analysis.model.finding import BlockRun, BlockState
from analysis.report.palette import ALARM

SIGNS: dict[BlockState, str] = {
    "reused": "█", "diverged": "◆", "lost": "▒", "new": "·", "tail": "▪", "missed": "✖", "unreported": "▓",
}  # fmt: skip
STATE_WORDS: dict[BlockState, str] = {
    "reused": "reused",
    "diverged": "leaves the turn before here",
    "lost": "seen before, but behind a change",
    "new": "new",
    "tail": "equal, but the block is not full",
    "missed": "unchanged, yet computed again",
    "unreported": "reusable; the server did not say",
}
LEGEND: dict[BlockState, str] = {  # beside a picture, where there is room to say more
    **STATE_WORDS,
    "reused": "reused: the server had these blocks",
    "new": "new: the turn before did not have it; a small cell among blocks seen before is what was changed or put in",
}
BLANK = "blank: the prompt has ended"
_RANK = {state: len(ALARM) - at for at, state in enumerate(ALARM)}


def num_blocks(rows: Sequence[tuple[BlockRun, ...]]) -> int:
    """Blocks of the longest prompt."""
    return max((runs[-1].stop for runs in rows if runs), default=0)


def columns(runs: Sequence[BlockRun], blocks: int, most: int) -> tuple[BlockRun, ...]:
    """The runs of one turn in at most ``most`` columns, of which ``blocks`` take all."""
    if not runs or blocks <= most:
        return tuple(runs)
    ranks = np.repeat([_RANK[run.state] for run in runs], [run.stop - run.start for run in runs])
    firsts = -(-np.arange(most) * blocks // most)  # the first block of every column
    firsts = firsts[firsts < len(ranks)]
    ranks = np.maximum.reduceat(ranks, firsts)
    edges = [0, *(np.flatnonzero(np.diff(ranks)) + 1).tolist(), len(ranks)]
    pairs = pairwise(edges)
    return tuple(BlockRun(start, stop, ALARM[len(ALARM) - int(ranks[start])]) for start, stop in pairs)


def as_signs(runs: Sequence[BlockRun]) -> str:
    """A row as text, one sign per column."""
    return "".join(SIGNS[run.state] * (run.stop - run.start) for run in runs)
