"""What wasted tokens cost: in seconds of prefill, and in money at the prices that a person gives.

Does not know any price, and no server's speed: a rate is given, or measured from the turns that say when they began and
when their first token came.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from statistics import median

MILLION = 1_000_000
FEWEST_TURNS = 5  # that a rate is measured from
MOST_TURNS = 300  # that are compared with one another
SPREAD = 2.0  # the longest prefill over the shortest: with less a slope is the noise of the queue


@dataclass(frozen=True, slots=True)
class Price:
    """Of a model, per million tokens: prompt tokens that are computed, those from the cache, and output."""

    uncached: float
    cached: float
    output: float


@dataclass(frozen=True, slots=True)
class Rates:
    """What a person gave for a model: its price, and the computed tokens a second of its prefill; None is not given."""

    price: Price | None = None
    prefill: float | None = None


def total_cost(price: Price, prompt_tokens: int, cached_tokens: int, output_tokens: int) -> float:
    """What these tokens cost, in the currency of the price."""
    computed = prompt_tokens - cached_tokens
    return (computed * price.uncached + cached_tokens * price.cached + output_tokens * price.output) / MILLION


def wasted_cost(price: Price, wasted_tokens: int) -> float:
    """What was paid for tokens because they were computed again, and would not have been from the cache."""
    return wasted_tokens * (price.uncached - price.cached) / MILLION


def prefill_rate(turns: Sequence[tuple[int, float]]) -> float | None:
    """Computed tokens per second, from (computed tokens, seconds to the first token) of turns; None if they do not say.

    The median slope over all pairs of turns (Theil and Sen's estimator): what every request waits for besides, and the
    odd one that waited in a queue, do not count.
    """
    known = sorted((tokens, seconds) for tokens, seconds in turns if tokens > 0 and seconds > 0)
    step = -(-len(known) // MOST_TURNS) or 1
    known = known[::step]
    if len(known) < FEWEST_TURNS or known[-1][0] < SPREAD * known[0][0]:
        return None
    slopes = [
        (later[1] - earlier[1]) / (later[0] - earlier[0])
        for earlier, later in combinations(known, 2)
        if later[0] > earlier[0]
    ]
    seconds_per_token = median(slopes)
    return 1 / seconds_per_token if seconds_per_token > 0 else None
