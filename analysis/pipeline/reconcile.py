"""A server history held against what the server said beside the log: counters, block hashes and removals.

Does not explain a difference; that is what causes are for.
"""

from collections import Counter
from collections.abc import Sequence

from analysis.core.hashes import Hasher, block_hashes, hasher, low_64, recomputed
from analysis.model.evidence import Reconciliation
from analysis.model.prompt import BlockHash
from analysis.model.settings import Settings
from analysis.pipeline.gaps import SideFiles, Visit, looked_up


def reconcile(
    visits: Sequence[Visit],
    removed: Sequence[int] | None,
    settings: Settings,
    side: SideFiles,
    blocks_needed: int | None = None,
    complete: bool = True,
) -> Reconciliation:
    """Hold a history against the counters and the events.

    ``removed`` are the contents that lost a block in the pool model, None where none was followed to the end;
    ``blocks_needed`` is the pool that would have lost nothing; ``complete``: the tokens of all turns are known.
    """
    turns = [visit.found for visit in visits]
    reported = [turn.turn.usage.cached_tokens for turn in turns]
    digest = hasher(side.hash_algorithm)
    same, different = recomputed(side.events, digest) if side.events and digest else (None, None)
    announced = sum(len(event.hashes) for event in side.events if event.kind == "removed")
    rise, asked = (side.counters.hits, side.counters.queries) if side.counters else (None, None)
    comparable = digest if side.events and not any(turn.turn.request.salt for turn in turns) else None
    return Reconciliation(
        queries_counted=None if asked is None else round(asked),
        queries_logged=looked_up(visits) if complete and asked is not None else None,
        hits_counted=None if rise is None else round(rise),
        hits_reported=None if None in reported else sum(count or 0 for count in reported),
        hits_predicted=sum(turn.reusable_tokens or 0 for turn in turns),
        removals_predicted=None if removed is None else len(removed),
        removals_announced=announced if side.events else None,
        removals_confirmed=_confirmed(visits, removed, settings, side, comparable),
        hashes_same=same,
        hashes_different=different,
        blocks_needed=blocks_needed,
    )


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
