"""What the other sessions of a history let a request reuse, whatever its own session sends.

Built once per history, asked once per changed request: the rest of the history need not be served again.  Memory is
unlimited here; the pool and the windows need the whole history (serving).
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from analysis.core.align import common_prefix
from analysis.core.blocks import Fingerprints, fingerprints
from analysis.core.lineage import leading
from analysis.model.session import TokenIds

Numbers = npt.NDArray[np.int64]

NEVER = np.iinfo(np.int64).max


@dataclass(frozen=True, slots=True, eq=False)
class Left:
    """A request and what it left behind: the first ``prompt_tokens`` at once, the reply when it had ended."""

    session: int
    keys: Hashable
    full_ids: TokenIds
    prompt_tokens: int
    started_at: float | None = None
    ended_at: float | None = None


@dataclass(frozen=True, slots=True, eq=False)
class _Known:
    """Blocks of one key: the place in the order from which each is there, the earliest and the earliest by another."""

    blocks: Fingerprints
    first: Numbers
    session: Numbers
    second: Numbers


@dataclass(frozen=True, slots=True, eq=False)
class Elsewhere:
    """The blocks of all sessions, so that those of one can be left out."""

    size: int
    _known: dict[Hashable, _Known]

    def blocks(self, prompt: TokenIds, keys: Hashable, session: int, place: int) -> int:
        """Leading full blocks of a prompt, sent at ``place`` in the order, that other sessions than this one left."""
        known = self._known.get(keys)
        asked = fingerprints(prompt, self.size)
        if known is None or not len(asked):
            return 0
        index = np.minimum(np.searchsorted(known.blocks, asked), len(known.blocks) - 1)
        there_from = np.where(known.session[index] != session, known.first[index], known.second[index])
        return leading((known.blocks[index] == asked) & (there_from <= place))


def elsewhere(order: Sequence[Left], size: int) -> Elsewhere:
    """Index the requests of a history, in the order the server got them, by blocks of ``size`` tokens."""
    pieces: dict[Hashable, list[tuple[Fingerprints, Numbers, Numbers]]] = {}
    latest: dict[Hashable, tuple[Left, Fingerprints]] = {}
    for place, left in enumerate(order):
        last, known = latest.get((left.session, left.keys), (None, None))
        alike = common_prefix(last.full_ids, left.full_ids) if last else 0
        blocks = fingerprints(left.full_ids, size, known, alike)
        latest[left.session, left.keys] = left, blocks
        known_blocks = min(alike, last.prompt_tokens) // size if last else 0  # they were there before
        there_from = np.full(len(blocks) - known_blocks, _ended(order, place), np.int64)
        there_from[: max(0, left.prompt_tokens // size - known_blocks)] = place + 1
        session = np.full(len(there_from), left.session, np.int64)
        pieces.setdefault(left.keys, []).append((blocks[known_blocks:].copy(), there_from, session))
    return Elsewhere(
        size, {keys: _known(of_keys) for keys, of_keys in pieces.items() if any(len(p[0]) for p in of_keys)}
    )


def _ended(order: Sequence[Left], place: int) -> int:
    """The place of the first request behind this one that finds its reply written."""
    ended = order[place].ended_at
    for later in range(place + 1, len(order)):
        started = order[later].started_at
        if ended is None or started is None or ended <= started:
            return later
    return len(order)


def _known(pieces: Sequence[tuple[Fingerprints, Numbers, Numbers]]) -> _Known:
    blocks, there_from, sessions = (np.concatenate(column) for column in zip(*pieces, strict=True))
    sort = np.lexsort((there_from, blocks))
    blocks, there_from, sessions = blocks[sort], there_from[sort], sessions[sort]
    unique, first, counts = np.unique(blocks, return_index=True, return_counts=True)
    by_another = sessions != np.repeat(sessions[first], counts)
    shared, at = np.unique(blocks[by_another], return_index=True)
    second = np.full(len(unique), NEVER, np.int64)
    second[np.searchsorted(unique, shared)] = there_from[by_another][at]
    return _Known(unique, there_from[first], sessions[first], second)
