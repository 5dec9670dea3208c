"""Why turns have no tokens, and what to do about it."""

from dataclasses import replace

import pytest

from analysis.core.incomplete import headless_turns, incomplete
from analysis.model.record import TurnRecord
from analysis.model.session import Mark
from tests.sample_store import record_of


def a_turn(*marks: Mark, prompt: int | None = 900, known: bool = False) -> TurnRecord:
    turn = record_of("01").turns[0]
    fidelity = turn.fidelity if known else None
    return replace(turn, completeness=frozenset(marks), prompt_tokens=prompt, fidelity=fidelity)


END = "so no tokenizer can give its tokens. Log whole requests with `whymiss record`."


@pytest.mark.parametrize(
    ("turns", "number", "said"),
    [
        pytest.param([], 0, "", id="no turn"),
        pytest.param([a_turn()], 0, "", id="whole"),
        pytest.param([a_turn("reconstructed")], 0, "", id="a transcript may be whole"),
        pytest.param([a_turn("no_tools")], 1, f"This log leaves out the tools, {END}", id="no tools"),
        pytest.param(
            [a_turn("no_tools"), a_turn("no_system", prompt=None)],
            2,
            f"This log leaves out the system prompt and the tools, {END}",
            id="both, over all turns",
        ),
        pytest.param([a_turn("no_system", prompt=None)], 0, "", id="nothing to hold a render against"),
        pytest.param([a_turn("no_system"), a_turn()], 1, "", id="some turns are whole"),
        pytest.param(
            [a_turn("no_system"), a_turn(known=True)], 1, f"This log leaves out the system prompt, {END}", id="known"
        ),
        pytest.param([a_turn("no_system", known=True)], 0, "", id="ids in the log"),
    ],
)
def test_what_a_log_leaves_out(turns: list[TurnRecord], number: int, said: str) -> None:
    assert (headless_turns(turns), incomplete(turns)) == (number, said)
