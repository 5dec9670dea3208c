"""A map in few columns: the most alarming state of a column wins, and nothing of one block vanishes."""

import pytest

from analysis.model.finding import BLOCK_STATES, BlockRun
from analysis.report.map_rows import SIGNS, STATE_WORDS, as_signs, columns, num_blocks


def test_few_blocks_stay_what_they_are() -> None:
    runs = (BlockRun(0, 3, "reused"), BlockRun(3, 4, "diverged"), BlockRun(4, 9, "lost"))
    assert columns(runs, 9, 9) == runs and as_signs(runs) == "███◆▒▒▒▒▒"


@pytest.mark.parametrize(
    ("runs", "signs"),
    [
        pytest.param([BlockRun(0, 999, "reused"), BlockRun(999, 1000, "diverged")], "█████████◆", id="at the end"),
        pytest.param(
            [BlockRun(0, 500, "reused"), BlockRun(500, 501, "missed"), BlockRun(501, 1000, "new")],
            "█████✖····",
            id="within",
        ),
        pytest.param([BlockRun(0, 450, "reused")], "█████", id="a shorter prompt"),
        pytest.param([], "", id="unknown tokens"),
    ],
)
def test_a_thousand_blocks_in_ten_columns(runs: list[BlockRun], signs: str) -> None:
    assert as_signs(columns(runs, 1000, 10)) == signs


def test_the_longest_prompt_takes_all_columns() -> None:
    assert num_blocks([(BlockRun(0, 5, "new"),), (), (BlockRun(0, 7, "new"),)]) == 7
    assert num_blocks([()]) == 0


def test_every_state_has_a_sign_of_its_own_and_words() -> None:
    assert set(SIGNS) == set(STATE_WORDS) == set(BLOCK_STATES)
    assert len(set(SIGNS.values())) == len(SIGNS)
