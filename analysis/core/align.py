"""Where two token sequences agree: the common prefix, content that survives elsewhere, matched runs, what differs.

Does not look for the smallest edit script: runs shorter than a window between two differences stay unmatched.
"""

from bisect import bisect_left
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from analysis.model.session import TokenIds

WINDOW = 16  # tokens that must agree in a row before content counts as the same

_PRIME = np.uint64(0xD6E8FEB86659FD93)
_ODD = np.uint64(0x9E3779B97F4A7C15)


class Run(NamedTuple):
    """``length`` equal tokens: ``old[old_start:]`` against ``new[new_start:]``."""

    old_start: int
    new_start: int
    length: int


def common_prefix(left: TokenIds, right: TokenIds) -> int:
    """Number of leading tokens that are equal."""
    length = min(len(left), len(right))
    step = 4096
    for start in range(0, length, step):
        stop = min(start + step, length)
        differs = left[start:stop] != right[start:stop]
        if differs.any():
            return start + int(differs.argmax())
        step = min(step * 2, 1 << 20)
    return length


def seen_elsewhere(tokens: TokenIds, other: TokenIds) -> npt.NDArray[np.bool_]:
    """Mark every token that stands in a run of at least ``WINDOW`` tokens that also occurs in ``other``."""
    marks = np.zeros(len(tokens), bool)
    windows, known = _windows(tokens), _windows(other)
    if not len(windows) or not len(known):
        return marks
    starts = np.flatnonzero(np.isin(windows, known))
    edges = np.zeros(len(tokens) + 1, np.int64)
    np.add.at(edges, starts, 1)
    np.add.at(edges, starts + WINDOW, -1)
    return np.cumsum(edges)[:-1] > 0


def matched_runs(old: TokenIds, new: TokenIds) -> list[Run]:
    """Equal runs in the order of both sequences: common ends first, then windows that are unique on both sides."""
    head = common_prefix(old, new)
    tail = common_prefix(old[head:][::-1], new[head:][::-1])
    runs = [Run(0, 0, head)] if head else []
    middle_old, middle_new = old[head : len(old) - tail], new[head : len(new) - tail]
    for run in _extended(middle_old, middle_new, _increasing(_anchors(middle_old, middle_new))):
        runs.append(Run(run.old_start + head, run.new_start + head, run.length))
    if tail:
        runs.append(Run(len(old) - tail, len(new) - tail, tail))
    return runs


def differing(old: TokenIds, new: TokenIds) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.bool_]]:
    """Which tokens of each sequence have no counterpart on the other side; shapes of the sequences."""
    old_marks, new_marks = np.ones(len(old), bool), np.ones(len(new), bool)
    for run in matched_runs(old, new):
        old_marks[run.old_start : run.old_start + run.length] = False
        new_marks[run.new_start : run.new_start + run.length] = False
    return old_marks, new_marks


def _windows(tokens: TokenIds) -> npt.NDArray[np.uint64]:
    """A 64-bit hash of every window of ``WINDOW`` tokens; shape ``(num_tokens - WINDOW + 1,)``."""
    if len(tokens) < WINDOW:
        return np.empty(0, np.uint64)
    mixed = tokens.astype(np.uint64) * _ODD
    mixed ^= mixed >> np.uint64(29)
    count = len(tokens) - WINDOW + 1
    hashes = np.zeros(count, np.uint64)
    for offset in range(WINDOW):
        hashes = hashes * _PRIME + mixed[offset : offset + count]
    return hashes


def _anchors(old: TokenIds, new: TokenIds) -> list[Run]:
    """Windows that occur exactly once on both sides, joined where they follow each other; by old position."""
    old_unique, old_at = _unique(_windows(old))
    new_unique, new_at = _unique(_windows(new))
    _, left, right = np.intersect1d(old_unique, new_unique, assume_unique=True, return_indices=True)
    if not len(left):
        return []
    order = np.argsort(old_at[left])
    old_starts, new_starts = old_at[left][order], new_at[right][order]
    breaks = np.flatnonzero((np.diff(old_starts) != 1) | (np.diff(new_starts) != 1)) + 1
    firsts = np.concatenate([[0], breaks])
    lasts = np.concatenate([breaks, [len(old_starts)]]) - 1
    lengths = old_starts[lasts] - old_starts[firsts] + WINDOW
    return [Run(*map(int, row)) for row in zip(old_starts[firsts], new_starts[firsts], lengths, strict=True)]


def _unique(hashes: npt.NDArray[np.uint64]) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.intp]]:
    values, at, counts = np.unique(hashes, return_index=True, return_counts=True)
    return values[counts == 1], at[counts == 1]


def _increasing(runs: list[Run]) -> list[Run]:
    """The longest chain of runs that rises on the new side too (patience sorting)."""
    tops: list[int] = []
    piles: list[int] = []
    back: list[int] = []
    for index, run in enumerate(runs):
        pile = bisect_left(tops, run.new_start)
        if pile == len(tops):
            tops.append(run.new_start)
            piles.append(index)
        else:
            tops[pile] = run.new_start
            piles[pile] = index
        back.append(piles[pile - 1] if pile else -1)
    chain = []
    index = piles[-1] if piles else -1
    while index >= 0:
        chain.append(runs[index])
        index = back[index]
    return chain[::-1]


def _extended(old: TokenIds, new: TokenIds, chain: list[Run]) -> list[Run]:
    """Drop what overlaps the run before, and grow each run to the left as far as the tokens agree."""
    result: list[Run] = []
    old_stop = new_stop = 0
    for run in chain:
        overlap = max(old_stop - run.old_start, new_stop - run.new_start, 0)
        old_start, new_start, length = run.old_start + overlap, run.new_start + overlap, run.length - overlap
        if length <= 0:
            continue
        grown = common_prefix(old[old_stop:old_start][::-1], new[new_stop:new_start][::-1])
        result.append(Run(old_start - grown, new_start - grown, length + grown))
        old_stop, new_stop = old_start + length, new_start + length
    return result
