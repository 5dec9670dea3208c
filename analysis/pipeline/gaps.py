"""The ground on which a gap between prediction and report is read.

Says what happened between two turns and which patterns a whole server history shows.  Does not name causes.  Times of
the log and of the events are taken to be of one clock.
"""

from bisect import bisect_left
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from math import gcd, inf
from typing import NamedTuple

from analysis.core.align import common_prefix
from analysis.core.blocks import reusable_tokens
from analysis.core.hashes import block_hashes, hasher, low_64
from analysis.core.media import shared_tokens
from analysis.core.serving import Served
from analysis.model.evidence import Counters, KvEvent
from analysis.model.finding import TurnAnalysis
from analysis.model.gap import Gap, SourceFacts
from analysis.model.session import Turn
from analysis.model.settings import Settings

FEW = 3  # turns that must agree before they are a pattern
FAR_ABOVE = 4  # times the block size before a common divisor of all hits means something


@dataclass(frozen=True, slots=True, eq=False)
class Visit:
    """A turn in the order the server got it: its session and lineage, what was served and what was found."""

    session: int
    name: str
    served: Served
    found: TurnAnalysis
    lineage: str | None = None

    @property
    def continues(self) -> Hashable:
        """What the turn continues."""
        return self.session, self.lineage


class Told(NamedTuple):
    """One event of a block: how often all had been cleared before, the time in seconds, a copy more or one less."""

    cleared: int
    at: float
    copies: int


@dataclass(frozen=True, slots=True)
class SideFiles:
    """What was said beside a log: KV cache events, and the counters' rise while it was recorded."""

    events: tuple[KvEvent, ...] = ()
    counters: Counters | None = None
    hash_algorithm: str = "sha256"


def source_facts(visits: Sequence[Visit], settings: Settings, side: SideFiles) -> SourceFacts:
    """The patterns of a history.  Only turns count that could reuse something and whose hit is known."""
    known = [visit for visit in visits if visit.found.turn.usage.cached_tokens is not None and visit.served.hit_tokens]
    hits = [visit.found.turn.usage.cached_tokens or 0 for visit in known]
    size = settings.hit_size
    short = [visit.served.hit_tokens - hit for visit, hit in zip(known, hits, strict=True)]
    return SourceFacts(
        settings=settings,
        all_zero=len(hits) >= FEW and not any(hits),
        unit=_unit(hits, size),
        short_by_block=len(short) >= FEW and all(gap == size for gap in short),
        only_prompts_kept=_only_prompts(known, size),
        dropped_at=_drops(visits),
        counters=side.counters,
        outside_tokens=_outside(visits, side.counters),
    )


def never_cached(turns: Iterable[Turn]) -> frozenset[str]:
    """Models of which several turns say what was cached, and none of them a token."""
    said: dict[str, list[int]] = {}
    for turn in turns:
        if turn.usage.cached_tokens is not None:
            said.setdefault(turn.request.model, []).append(turn.usage.cached_tokens)
    return frozenset(model for model, hits in said.items() if len(hits) >= FEW and not any(hits))


def looked_up(visits: Sequence[Visit]) -> int:
    """Prompt tokens that the server looks up in its cache: it does not ask for requests that skip it."""
    return sum(visit.served.asked.prompt_tokens for visit in visits if not visit.served.asked.skips_cache)


def _outside(visits: Sequence[Visit], counters: Counters | None) -> int | None:
    if counters is None or counters.queries is None:
        return None
    return max(0, round(counters.queries) - looked_up(visits))


@dataclass(slots=True)
class Gaps:
    """Builds the facts around the visits of one history."""

    visits: Sequence[Visit]
    settings: Settings
    side: SideFiles
    blocks_needed: Sequence[int] = ()  # by visit: the pool that would have kept all it could hit; empty: not known
    _cleared: list[float] = field(default_factory=list)
    _told: dict[int, list[Told]] = field(default_factory=dict)  # by hash, in the order of the events
    _by_lineage: dict[Hashable, list[int]] = field(default_factory=dict)
    _place: list[int] = field(default_factory=list)  # of a visit among its lineage's
    _tokens_before: list[int] = field(default_factory=lambda: [0])  # prompt tokens of all visits before

    def __post_init__(self) -> None:
        for event in self.side.events:
            if event.kind == "cleared":
                self._cleared.append(event.at)
            for one in event.hashes:
                step = 1 if event.kind == "stored" else -1
                self._told.setdefault(one, []).append(Told(len(self._cleared), event.at, step))
        for index, visit in enumerate(self.visits):
            places = self._by_lineage.setdefault(visit.continues, [])
            self._place.append(len(places))
            places.append(index)
            self._tokens_before.append(self._tokens_before[-1] + visit.served.asked.prompt_tokens)

    def of(self, index: int) -> Gap:
        """The facts around the visit of this index."""
        visit, earlier = self.visits[index], self._earlier(index)
        served, size = visit.served, self.settings.hit_size
        lcp = served.same_keys.lcp_tokens if served.same_keys else 0
        unlimited = reusable_tokens(lcp, served.asked.prompt_tokens, size)
        cached = visit.found.turn.usage.cached_tokens or 0
        last = self.visits[earlier[-1]].found.turn if earlier else None
        start = served.asked.started_at
        others = index - earlier[-1] - 1 if earlier else 0
        return Gap(
            unlimited_tokens=unlimited,
            kept_tokens=served.kept_tokens,
            predicted_tokens=served.hit_tokens,
            overlaps=served.overlaps,
            idle_seconds=_seconds(last.ended_at if last else None, start),
            other_requests=others,
            other_tokens=self._tokens_before[index] - self._tokens_before[index - others],
            evicted_by=tuple(self.visits[one].name for one in served.evicted_by),
            missing_blocks=max(0, unlimited // size - cached // size),
            removed_blocks=self._removed_blocks(visit, cached // size, unlimited // size),
            cleared=self._was_cleared(last, start),
            blocks_needed=self.blocks_needed[index] if self.blocks_needed else None,
            media_placed=served.asked.media is not None,
            older_turn=self._older(visit, earlier, cached),
            last_request_tokens=_shared(self.visits[index - 1], visit) if others else None,
        )

    def _earlier(self, index: int) -> list[int]:
        """The visits of its lineage before this one."""
        return self._by_lineage[self.visits[index].continues][: self._place[index]]

    def _was_cleared(self, last: Turn | None, start: float | None) -> bool:
        since = None if last is None else last.started_at if last.ended_at is None else last.ended_at
        return since is not None and start is not None and any(since <= at <= start for at in self._cleared)

    def _removed_blocks(self, visit: Visit, first: int, stop: int) -> int | None:
        """Missing blocks announced as removed; None without times, for salted turns and where no event tells of them.

        0 where the hit ended at a block that was still there: whatever went behind it was out of reach already.
        Adapters are hashed as well, and images by the server's own hash: where the log lacks it, nothing is found.
        """
        digest = hasher(self.side.hash_algorithm)
        asked, size = visit.served.asked, self.settings.hit_size
        if not self._told or digest is None or asked.started_at is None or visit.found.turn.request.salt is not None:
            return None
        ids = asked.full_ids[: stop * size].tolist()
        hashes = map(low_64, block_hashes(ids, size, digest, media=asked.media or ()))
        told = [self._told.get(one) for index, one in enumerate(hashes) if index >= first]
        if not any(told):
            return None
        ended = asked.started_at if asked.ended_at is None else asked.ended_at
        gone = [steps is not None and _gone(steps, asked.started_at, ended) for steps in told]
        return sum(gone) if gone[0] else 0

    def _older(self, visit: Visit, earlier: Sequence[int], cached: int) -> int | None:
        """A turn of the session, older than the previous one, whose common prefix is what was hit."""
        if not cached:
            return None
        size, prompt = self.settings.hit_size, visit.served.asked.prompt_tokens
        for one in reversed(earlier[:-1]):
            if reusable_tokens(_shared(self.visits[one], visit), prompt, size) == cached:
                return self.visits[one].found.turn.number
        return None


def _seconds(start: float | None, stop: float | None) -> float | None:
    return None if start is None or stop is None else max(0.0, stop - start)


def _gone(steps: Sequence[Told], start: float, stop: float) -> bool:
    """Whether at some moment between start and stop the removal of the last known copy had been announced.

    A request that misses a block stores it anew at once and holds it to its end: what was removed until then was
    removed before the request was scheduled.
    """
    cleared, copies, removed = 0, 0, False
    for step in steps:
        if step.at > start and removed and copies <= 0:
            return True
        if step.at > stop:
            break
        if step.cleared > cleared:
            cleared, copies = step.cleared, 0
        copies += step.copies
        removed = step.copies < 0
    return removed and copies <= 0


def _shared(one: Visit, visit: Visit) -> int:
    then, now = one.served.asked, visit.served.asked
    alike = common_prefix(then.full_ids, now.full_ids[: now.prompt_tokens])
    return shared_tokens(alike, then.media or (), now.media or ())


def _unit(hits: Sequence[int], size: int) -> int | None:
    """The number that every hit is a multiple of, where several different hits make it mean something."""
    if len({hit for hit in hits if hit}) < FEW:
        return None
    unit = gcd(*hits)
    return unit if unit >= FAR_ABOVE * size else None


def _only_prompts(known: Sequence[Visit], size: int) -> bool:
    """Every hit ends with the previous prompt, although the reply was part of what could be reused."""
    telling = []
    for visit in known:
        last = visit.served.asked.previous
        if last is None:
            continue
        prompt_only = reusable_tokens(
            min(visit.served.asked.lcp_tokens, last.asked.prompt_tokens), visit.served.asked.prompt_tokens, size
        )
        if prompt_only < visit.served.hit_tokens:
            telling.append(visit.found.turn.usage.cached_tokens == prompt_only)
    return len(telling) >= FEW and all(telling)


def _drops(visits: Sequence[Visit]) -> tuple[float, ...]:
    """Instants at which several sessions paused and all of them started at 0 again, after others had hit."""
    pauses, cold = [], []
    last: dict[Hashable, float] = {}
    first_hit = inf
    for visit in visits:
        start, cached = visit.found.turn.started_at, visit.found.turn.usage.cached_tokens
        if start is None:
            return ()
        if visit.continues in last and visit.served.hit_tokens and cached is not None:
            pauses.append((last[visit.continues], start))
            cold += [] if cached else [pauses[-1]]
        first_hit = min(first_hit, start if cached else inf)
        last[visit.continues] = start
    every, dropped = _spans(pauses), _spans(cold)
    instants = sorted({stop for _start, stop in cold if stop > first_hit})
    return tuple(instant for instant in instants if FEW <= dropped(instant) == every(instant))


def _spans(pauses: Sequence[tuple[float, float]]) -> Callable[[float], int]:
    """How many of the pauses an instant lies in, their end included."""
    starts, stops = sorted(start for start, _stop in pauses), sorted(stop for _start, stop in pauses)
    return lambda instant: bisect_left(starts, instant) - bisect_left(stops, instant)
