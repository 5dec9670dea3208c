"""The places that a note can be put at."""

from dataclasses import replace

import pytest

from app.note_form import spots
from tests.sample_store import record_of

RECORD = record_of("02")


@pytest.mark.parametrize(
    ("at", "known", "labels"),
    [
        pytest.param(
            (7, 77), True,
            ["The divergence of turn 7", "Block 77 of turn 7", "Turn 7", "The whole session", "Tokens of turn 7 …"],
            id="at the divergence",
        ),
        pytest.param(
            (7, 3), True,
            ["Block 3 of turn 7", "The divergence of turn 7", "Turn 7", "The whole session", "Tokens of turn 7 …"],
            id="elsewhere in the turn",
        ),
        pytest.param(
            (2, 1), True, ["Block 1 of turn 2", "Turn 2", "The whole session", "Tokens of turn 2 …"], id="no divergence"
        ),
        pytest.param((7, 77), False, ["Turn 7", "The whole session"], id="no tokens"),
        pytest.param(None, False, [*(f"Turn {n}" for n in range(1, 19)), "The whole session"], id="no turn is shown"),
        pytest.param((99, 0), True, [*(f"Turn {n}" for n in range(1, 19)), "The whole session"], id="no such turn"),
    ],
)  # fmt: skip
def test_what_a_note_can_be_about(at: tuple[int, int] | None, known: bool, labels: list[str]) -> None:
    assert [spot.label for spot in spots(RECORD, at, known)] == labels


def test_the_last_block_ends_with_the_prompt() -> None:
    turn = replace(RECORD.turns[1], prompt_tokens=20, divergence=None)
    (block, *_others) = spots(replace(RECORD, turns=(turn,)), (2, 1), True)
    assert (block.start, block.stop) == (16, 20)
