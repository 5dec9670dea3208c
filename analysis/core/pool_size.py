"""How large the block pool would have had to be: one history, served again by pools of other sizes.

A larger pool never hits less, so the size is found by halving, for all requests at once.  Keeps the order of starts
and ends as it was: a server with more room might have started a waiting request earlier.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from analysis.core.lineage import leading
from analysis.core.pool import Pool, Running

Numbers = npt.NDArray[np.int64]

Step = tuple[int, bool]  # a request (its index), and whether it starts or ends there
NOT_SERVED = -1


@dataclass(frozen=True, slots=True, eq=False)
class Stay:
    """A request in the pool: a content per full block, and all its blocks once its reply is written.

    It hits ``most_blocks`` with memory unlimited, less ``drops`` where drafting takes them from every hit.
    """

    contents: Numbers
    prompt_tokens: int
    num_blocks: int
    most_blocks: int
    drops: int = 0

    def hit(self, kept_blocks: int) -> int:
        """Blocks hit where this many are kept from the start."""
        return max(0, min(kept_blocks, self.most_blocks) - self.drops)


def hits(stays: Sequence[Stay], steps: Sequence[Step], num_blocks: int, block_size: int) -> list[int]:
    """Blocks that every request hits in a pool of this size; ``NOT_SERVED`` from where the pool has no room."""
    pool, running = Pool(num_blocks), dict[int, Running]()
    found = [NOT_SERVED] * len(stays)
    try:
        for index, starts in steps:
            stay = stays[index]
            if not starts:
                pool.finish(running.pop(index), stay.num_blocks)
                continue
            hit = stay.hit(leading(pool.holds(stay.contents[: stay.most_blocks])))
            running[index] = pool.start(stay.contents, stay.prompt_tokens, block_size, hit)
            found[index] = hit
    except ValueError:  # no room: this server would have made a request wait
        return found
    return found


def sizes_needed(stays: Sequence[Stay], steps: Sequence[Step], block_size: int) -> list[int]:
    """Per request the smallest pool, the reserved block included, in which it hits all that it could."""
    wanted = [stay.hit(stay.most_blocks) for stay in stays]
    least = max((stay.num_blocks for stay in stays), default=1) + 1
    most = 1 + max(1, sum(stay.num_blocks for stay in stays))
    needed = [least] * len(stays)
    open_ranges = [(least, max(least, most), list(range(len(stays))))]
    while open_ranges:
        low, high, asking = open_ranges.pop()
        if low == high:
            for index in asking:
                needed[index] = low
            continue
        middle = (low + high) // 2
        found = hits(stays, steps, middle, block_size)
        served = [index for index in asking if found[index] >= wanted[index]]
        short = [index for index in asking if found[index] < wanted[index]]
        open_ranges += [(low, middle, served)] if served else []
        open_ranges += [(middle + 1, high, short)] if short else []
    return needed
