"""One server's history: requests in the order they were scheduled, and what each could hit.

Puts together who shares blocks with whom (lineage), how many blocks there are (pool) and which of them a hybrid model
keeps (windows).  A request's prompt can be hit once it is scheduled, its reply once the request has ended.  Does not
model a request that waits for room or is preempted, nor the blocks that the other groups of a hybrid model take.
"""

from collections.abc import Hashable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from analysis.core.blocks import Fingerprints, fingerprints, full_blocks, reusable_tokens
from analysis.core.growth import Growing
from analysis.core.lineage import Candidate, History, leading
from analysis.core.media import marks, shared_tokens
from analysis.core.pool import Pool, Running
from analysis.core.pool_size import Step
from analysis.core.windows import Windows
from analysis.model.session import Media, TokenIds
from analysis.model.settings import Settings

Numbers = npt.NDArray[np.int64]

BLOCKS = object()  # no scope is called so


@dataclass(frozen=True, slots=True, eq=False)
class Asked:
    """A request as the server gets it.

    ``full_ids`` are the prompt, ``prompt_tokens`` of them, and what the reply leaves in the cache.  ``keys`` is what
    blocks are shared within, and ``media`` what is hashed with the blocks that it stands in (None where its place is
    not known: it counts as equal); ``session`` names a session whose requests may differ in either, None where they do
    not.  ``previous`` is the session's turn before, ``lcp_tokens`` what its sequence shares with this prompt.
    ``place`` names the replica, which has a block pool of its own.  ``skips_cache``: vLLM does not read its cache for
    it.  Times are seconds.
    """

    full_ids: TokenIds
    prompt_tokens: int
    keys: Hashable
    session: Hashable | None = None
    started_at: float | None = None
    ended_at: float | None = None
    previous: "Served | None" = None
    lcp_tokens: int = 0
    place: Hashable = None
    skips_cache: bool = False
    media: tuple[Media, ...] | None = ()


@dataclass(slots=True, eq=False)
class Served:
    """A request that was scheduled.

    ``same_keys`` is its donor among the requests with its keys, as far as their replies had been written; ``anyone``
    its donor among those and its session's own, the previous turn taken whole.  Of what ``same_keys`` lets it reuse,
    ``kept_tokens`` were in the pool, and ``hit_tokens`` is what the cache is predicted to have given; ``most_blocks``
    could be hit with memory unlimited, before drafting drops one.  ``overlaps``
    says that the session's previous turn was still running.  ``evicted_by`` are the requests (their index) for which
    the missing blocks had to go, the latest first.
    """

    index: int
    asked: Asked
    blocks: Fingerprints  # of the tokens alone
    keyed: Fingerprints  # with the images in them
    numbers: dict[Hashable, Numbers]
    same_keys: Candidate | None = None
    anyone: Candidate | None = None
    kept_tokens: int = 0
    hit_tokens: int = 0
    most_blocks: int = 0
    overlaps: bool = False
    running: Running | None = None
    evicted_by: tuple[int, ...] = ()
    memory: dict[Hashable, Growing] = field(default_factory=dict)  # of its blocks and numbers, shared with ``previous``


@dataclass(slots=True, eq=False)
class Serving:
    """The history of one server under these settings."""

    settings: Settings
    steps: list[Step] = field(default_factory=list)  # starts and ends of requests, in their order
    _history: History = field(init=False)
    _limited: bool = field(init=False)
    _pools: dict[Hashable, Pool] = field(default_factory=dict)  # by place
    _windows: dict[Hashable, Windows] = field(default_factory=dict)
    _running: list[Served] = field(default_factory=list)
    _media: list[tuple[Media, ...]] = field(default_factory=list)  # by request
    _removed: list[int] = field(default_factory=list)  # contents that lost a block, in their order
    _evictor: dict[int, int] = field(default_factory=dict)  # by content: the request that took its block

    def __post_init__(self) -> None:
        self._history = History(self.settings.hit_size)
        self._limited = self.settings.num_blocks is not None

    def serve(self, asked: Asked) -> Served:
        """Schedule a request after all that had ended by then.

        Raise ValueError where the pool has no room for what runs; ``forget_pools`` and serve it again to go on.
        """
        self._finish(asked.started_at)
        served = self._numbered(asked)
        self._find_donors(served)
        self._predict(served)
        size = self.settings.hit_size
        prompt = {scope: numbers[: asked.prompt_tokens // size] for scope, numbers in served.numbers.items()}
        served.index = self._history.add(asked.full_ids[: asked.prompt_tokens], prompt)
        self._media.append(asked.media or ())
        self._running.append(served)
        self.steps.append((served.index, True))
        return served

    def forget_pools(self) -> None:
        """Take memory as unlimited from now on."""
        self._limited = False
        self._pools.clear()

    def all_removed(self) -> list[int] | None:
        """Let every request end; the contents that lost a block in this history, in their order.

        None where memory is unlimited or the pools were forgotten.  Raise ValueError where a reply has no room.
        """
        self._finish(None)
        return self._removed if self._limited else None

    def _finish(self, now: float | None) -> None:
        """Let every request end that had ended by now; without times, each ends before the next begins."""
        ended = [one for one in self._running if now is None or one.asked.ended_at is None or one.asked.ended_at <= now]
        for served in sorted(ended, key=lambda one: (one.asked.ended_at or 0.0, one.index)):
            self._history.extend(served.index, served.asked.full_ids, served.numbers)
            pool = self._pools.get(served.asked.place)
            if pool is not None and served.running is not None:
                pool.finish(served.running, -(-len(served.asked.full_ids) // self.settings.hit_size))
                self._note_evictions(served.index, pool)
            served.running = None
            self._running.remove(served)
            self.steps.append((served.index, False))

    def _numbered(self, asked: Asked) -> Served:
        size, last, lcp = self.settings.hit_size, asked.previous, asked.lcp_tokens
        memory = last.memory if last else {}
        blocks = keyed = _kept(memory, BLOCKS, fingerprints(asked.full_ids, size, last.blocks if last else None, lcp))
        alike = shared_tokens(lcp, asked.media or (), last.asked.media or ()) if last else lcp
        if asked.media:
            known = last.keyed if last else None
            keyed = fingerprints(asked.full_ids, size, known, alike, marks(asked.media, size, len(blocks)))
        numbers = {}
        for scope, of_scope, shared in ((asked.keys, keyed, alike), (asked.session, blocks, lcp)):
            if scope is not None:
                numbered = last.numbers.get(scope) if last else None
                found = self._history.number(of_scope, scope, numbered, shared // size)
                numbers[scope] = _kept(memory, scope, found)
        return Served(-1, asked, blocks, keyed, numbers, memory=memory)

    def _find_donors(self, served: Served) -> None:
        asked, last, size = served.asked, served.asked.previous, self.settings.hit_size
        prompt = asked.full_ids[: asked.prompt_tokens]
        in_prompt = full_blocks(asked.prompt_tokens, size)
        whole = Candidate(last.index, asked.lcp_tokens) if last is not None and asked.lcp_tokens else None
        served.overlaps = last is not None and last in self._running
        written = whole
        if whole is not None and served.overlaps:
            written = Candidate(whole.index, min(whole.lcp_tokens, self._history.tokens_of(whole.index)))
        shared = self._alike(written, asked) if last is not None and last.asked.keys == asked.keys else None
        same = self._history.donor(prompt, served.numbers[asked.keys][:in_prompt], asked.keys, shared)
        served.same_keys = self._alike(same, asked)
        found = [candidate for candidate in (served.same_keys, whole) if candidate]
        if asked.session is not None:
            own = self._history.donor(prompt, served.numbers[asked.session][:in_prompt], asked.session, written)
            found += [own] if own else []
        served.anyone = max(found, key=lambda it: (it.lcp_tokens // size, it == whole, it.index), default=None)

    def _alike(self, candidate: Candidate | None, asked: Asked) -> Candidate | None:
        """The candidate with only the tokens before the first image that it does not have there."""
        if candidate is None:
            return None
        return replace(
            candidate, lcp_tokens=shared_tokens(candidate.lcp_tokens, asked.media or (), self._media[candidate.index])
        )

    def _predict(self, served: Served) -> None:
        """What the cache gives: the donor's blocks, as far as the pool and the windows have kept them."""
        asked, size = served.asked, self.settings.hit_size
        numbers, pool = served.numbers[asked.keys], self._pool(asked.place)
        lcp = served.same_keys.lcp_tokens if served.same_keys else 0
        kept = most = reusable_tokens(lcp, asked.prompt_tokens, size) // size
        if pool is not None:
            held = pool.holds(numbers[:kept])
            gone = numbers[:kept][~held].tolist()
            served.evicted_by = tuple(sorted({self._evictor[one] for one in gone if one in self._evictor})[::-1])
            kept = leading(held)
        served.most_blocks = 0 if asked.skips_cache else min(most, self._within_window(asked, numbers))
        hit = max(0, min(kept, served.most_blocks) - self.settings.dropped_blocks)
        served.kept_tokens, served.hit_tokens = kept * size, hit * size
        if pool is not None:
            served.running = pool.start(numbers, asked.prompt_tokens, size, hit)
            self._note_evictions(self._history.num_requests, pool)

    def _within_window(self, asked: Asked, numbers: Numbers) -> int:
        """Blocks from the start that a hybrid's windows let it use: all of them where it has none."""
        if not self.settings.window:
            return len(numbers)
        size, retention = self.settings.hit_size, self.settings.retention
        windows = self._windows.setdefault(asked.keys, Windows(size, self.settings.window, retention))
        return windows.serve(numbers, asked.prompt_tokens)

    def _pool(self, place: Hashable) -> Pool | None:
        if self._limited and self.settings.num_blocks is not None and place not in self._pools:
            self._pools[place] = Pool(self.settings.num_blocks)
        return self._pools.get(place)

    def _note_evictions(self, index: int, pool: Pool) -> None:
        """Remember who took which blocks in the pool's latest call."""
        gone = pool.evicted.tolist()
        self._removed.extend(gone)
        self._evictor.update(dict.fromkeys(gone, index))


def _kept(memory: dict[Hashable, Growing], name: Hashable, array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    return memory.setdefault(name, Growing()).keep(array)
