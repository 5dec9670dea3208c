"""A server history held against what the server said beside the log: counters, block hashes and removals.

Does not explain a difference; that is what causes are for.
"""

from collections import Counter
from collections.abc import Hashable, Sequence

from analysis.core.hashes import Hasher, block_hashes, hasher, low_64, recomputed
from analysis.core.pool import Request, blocks_needed
from analysis.model.evidence import Reconciliation
from analysis.model.prompt import BlockHash
from analysis.model.settings import Settings
from analysis.pipeline.gaps import SideFiles, Visit

MANY_BLOCKS = 200_000  # of all requests: beyond, the search for the pool that loses nothing takes too long


def reconcile(
    visits: Sequence[Visit], removed: Sequence[int] | None, settings: Settings, side: SideFiles
) -> Reconciliation:
    """Hold a history against the counters and the events, and look for the pool that would have lost nothing.

    ``removed`` are the contents that lost a block in the pool model, None where none was followed to the end.
    """
    turns = [visit.found for visit in visits]
    reported = [turn.turn.usage.cached_tokens for turn in turns]
    digest = hasher(side.hash_algorithm)
    same, different = recomputed(side.events, digest) if side.events and digest else (None, None)
    announced = sum(len(event.hashes) for event in side.events if event.kind == "removed")
    rise = side.counters.hits if side.counters else None
    comparable = digest if side.events and not any(turn.turn.request.salt for turn in turns) else None
    return Reconciliation(
        hits_counted=None if rise is None else round(rise),
        hits_reported=None if None in reported else sum(count or 0 for count in reported),
        hits_predicted=sum(turn.reusable_tokens or 0 for turn in turns),
        removals_predicted=None if removed is None else len(removed),
        removals_announced=announced if side.events else None,
        removals_confirmed=_confirmed(visits, removed, settings, side, comparable),
        hashes_same=same,
        hashes_different=different,
        blocks_needed=_blocks_needed(visits, settings) if settings.num_blocks else None,
    )


def _blocks_needed(visits: Sequence[Visit], settings: Settings) -> int | None:
    size = settings.hit_size
    requests: dict[Hashable, list[Request]] = {}
    for visit in visits:
        asked = visit.served.asked
        request = (visit.served.numbers[asked.keys], asked.prompt_tokens, -(-len(asked.full_ids) // size))
        requests.setdefault(asked.place, []).append(request)
    if sum(blocks for each in requests.values() for _numbers, _tokens, blocks in each) > MANY_BLOCKS:
        return None
    return max((blocks_needed(each, size) for each in requests.values()), default=None)


def _confirmed(
    visits: Sequence[Visit], removed: Sequence[int] | None, settings: Settings, side: SideFiles, digest: Hasher | None
) -> int | None:
    """How many of the removals that the pool predicts were announced; None where they cannot be compared."""
    if removed is None or digest is None:
        return None
    hash_of: dict[int, BlockHash] = {}
    for visit in visits:
        asked = visit.served.asked
        numbers = visit.served.numbers[asked.keys].tolist()
        known = next((index for index, one in enumerate(numbers) if one not in hash_of), len(numbers))
        parent = hash_of[numbers[known - 1]] if known else None
        start = known * settings.hit_size
        ids = asked.full_ids[start:].tolist()
        hashes = block_hashes(ids, settings.hit_size, digest, parent, asked.media or (), start)
        hash_of.update(zip(numbers[known:], hashes, strict=False))
    announced = Counter(one for event in side.events if event.kind == "removed" for one in event.hashes)
    predicted = Counter(low_64(hash_of[one]) for one in removed)
    return sum(min(count, announced[one]) for one, count in predicted.items())
