"""What tokens cost: money at given prices, and seconds at a rate that a log shows."""

import random

import pytest

from analysis.core.price import FEWEST_TURNS, Price, prefill_rate, total_cost, wasted_cost

PRICE = Price(uncached=2.0, cached=0.5, output=8.0)


def test_costs_are_per_million_tokens() -> None:
    assert total_cost(PRICE, 3_000_000, 1_000_000, 500_000) == 2 * 2.0 + 0.5 + 4.0
    assert wasted_cost(PRICE, 2_000_000) == 3.0


def test_a_cache_that_saves_no_money_wastes_none() -> None:
    assert wasted_cost(Price(2.0, 2.0, 8.0), 1_000) == 0


def steady(rate: float, overhead: float, *tokens: int) -> list[tuple[int, float]]:
    return [(number, overhead + number / rate) for number in tokens]


@pytest.mark.parametrize("overhead", [0.001, 0.5, 30.0])
def test_the_rate_is_that_of_the_prefill_whatever_a_request_waits_for(overhead: float) -> None:
    assert prefill_rate(steady(8000, overhead, 100, 900, 2000, 4000, 8000)) == pytest.approx(8000)


def test_turns_that_waited_in_a_queue_do_not_count() -> None:
    turns = steady(8000, 0.05, *range(500, 20_000, 500))
    late = [(tokens, seconds + 9 * (index % 5 == 0)) for index, (tokens, seconds) in enumerate(turns)]
    assert prefill_rate(late) == pytest.approx(8000, rel=0.02)


def test_a_long_log_is_measured_on_a_part_of_it() -> None:
    chance = random.Random(1)
    turns = [(tokens, tokens / 5000 + chance.gauss(0.1, 0.01)) for tokens in range(100, 60_100, 10)]
    assert prefill_rate(turns) == pytest.approx(5000, rel=0.02)


@pytest.mark.parametrize(
    "turns",
    [
        pytest.param([], id="none"),
        pytest.param(steady(8000, 0.1, *range(100, 100 * FEWEST_TURNS, 100)), id="too few"),
        pytest.param(steady(8000, 0.1, 1000, 1100, 1200, 1300, 1400), id="too much alike"),
        pytest.param([(100, 9.0), (200, 8.0), (400, 7.0), (800, 6.0), (1600, 5.0)], id="falling"),
        pytest.param([(0, 1.0), (0, 2.0), (-5, 1.0), (10, 0.0), (20, -1.0), (40, 1.0)], id="no times"),
        pytest.param([(500, 1.0)] * 9, id="all the same"),
    ],
)
def test_what_says_no_rate(turns: list[tuple[int, float]]) -> None:
    assert prefill_rate(turns) is None
