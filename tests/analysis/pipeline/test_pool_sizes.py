"""The pools that would have kept what was lost, of a whole history and turn by turn."""

from dataclasses import replace

import pytest

from analysis.model.session import Turn
from analysis.pipeline.pool_sizes import MANY_BLOCKS, PoolSizes, pool_sizes
from tests.builders import tokens
from tests.evidence import SETTINGS, logged, served_visits

A, B = range(1000, 1160), range(5000, 5160)
SMALL = replace(SETTINGS, num_blocks=15)
TURNS = [
    ("a", logged(tokens(A), at=0)),
    ("b", logged(tokens(B), at=2)),
    ("a", logged(tokens(A, 7), at=4)),
    ("b", logged(tokens(B, 7), at=6)),
]


def sizes(turns: list[tuple[str, Turn]], **settings: int | None) -> PoolSizes:
    given = replace(SMALL, **settings)  # type: ignore[arg-type]
    return pool_sizes(*served_visits(turns, given), given)


def test_two_sessions_of_ten_blocks_need_both_and_the_reserved_one() -> None:
    """The first goes on while twenty blocks are in use; its eleventh must not be taken from the second."""
    assert sizes(TURNS) == PoolSizes(22, [12, 12, 21, 22])


def test_replicas_have_a_pool_each() -> None:
    assert sizes([(name, replace(turn, replica=name)) for name, turn in TURNS]).whole == 12


@pytest.mark.parametrize(
    ("turns", "num_blocks"),
    [pytest.param(TURNS, None, id="memory unlimited"), pytest.param([], 15, id="no turns")],
)
def test_nobody_asked(turns: list[tuple[str, Turn]], num_blocks: int | None) -> None:
    assert sizes(turns, num_blocks=num_blocks) == PoolSizes()


def test_a_very_long_history_is_not_searched() -> None:
    long = [("a", logged(tokens(range(16 * (MANY_BLOCKS // 2 + 1))), at=at)) for at in (0, 2)]
    assert sizes(long, num_blocks=MANY_BLOCKS) == PoolSizes()
