"""How many blocks would have kept what a history lost, for the whole of it and turn by turn.

Does not look for them where the search would take long: then the sizes are not known.
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

from analysis.core.pool_size import Stay, Step, sizes_needed
from analysis.model.settings import Settings
from analysis.pipeline.gaps import Visit

MANY_BLOCKS = 200_000  # of all requests: beyond, the search takes too long


@dataclass(frozen=True, slots=True)
class PoolSizes:
    """Blocks of a pool, the reserved one included: in which no hit is lost, and in which each visit's is not.

    Where replicas have a pool each, ``whole`` is that of the one that needs most.  None and empty where nobody asked.
    """

    whole: int | None = None
    by_visit: Sequence[int] = ()


def pool_sizes(visits: Sequence[Visit], steps: Sequence[Step], settings: Settings) -> PoolSizes:
    """Search, place by place; the pool's size must be given for anything to be lost."""
    stays = [_stay(visit, settings) for visit in visits]
    if settings.num_blocks is None or not stays or sum(stay.num_blocks for stay in stays) > MANY_BLOCKS:
        return PoolSizes()
    by_place: dict[Hashable, list[int]] = {}
    for index, visit in enumerate(visits):
        by_place.setdefault(visit.served.asked.place, []).append(index)
    needed = [0] * len(visits)
    for members in by_place.values():
        within = {index: place for place, index in enumerate(members)}
        own = [(within[index], starts) for index, starts in steps if index in within]
        sizes = sizes_needed([stays[index] for index in members], own, settings.hit_size)
        for index, size in zip(members, sizes, strict=True):
            needed[index] = size
    return PoolSizes(max(needed), needed)


def _stay(visit: Visit, settings: Settings) -> Stay:
    asked, size = visit.served.asked, settings.hit_size
    return Stay(
        contents=visit.served.numbers[asked.keys],
        prompt_tokens=asked.prompt_tokens,
        num_blocks=-(-len(asked.full_ids) // size),
        most_blocks=visit.served.most_blocks,
        drops=settings.dropped_blocks,
    )
