"""The figure that a CI gate compares: what counts and what does not."""

from dataclasses import replace

import pytest

from analysis.model.finding import Account, Cause, Previous
from analysis.model.record import SessionRecord, TurnRecord
from analysis.report.gates import lost_percent
from tests.sample_store import record_of

EDITED = Cause("client/user-edit", "certain", None, 50, None, "edited", "none needed", deliberate=True)
FAULTY = replace(EDITED, code="template/reasoning-stripped", deliberate=False)


def turn(prompt_tokens: int, lost: int, **fields: object) -> TurnRecord:
    blank = replace(record_of("03").turns[1], previous=Previous(1, 0), causes=())
    given = {"account": Account(0, 0, 0, lost, prompt_tokens - lost, None, 0), **fields}
    return replace(blank, prompt_tokens=prompt_tokens, **given)  # type: ignore[arg-type]


def record(*turns: TurnRecord) -> SessionRecord:
    return replace(record_of("03"), turns=turns)


FIRST = turn(1000, 0, previous=None)


@pytest.mark.parametrize(
    ("turns", "percent"),
    [
        pytest.param([FIRST, turn(200, 50)], 25, id="first turns are left out"),
        pytest.param([turn(200, 50), turn(600, 0)], 6.25, id="over all turns, not their mean"),
        pytest.param([turn(200, 50), turn(400, 400, causes=(EDITED,))], 25, id="deliberate turns are left out"),
        pytest.param([turn(200, 50, causes=(FAULTY,))], 25, id="other causes count"),
        pytest.param([turn(200, 50), turn(200, 50, account=None)], 25, id="unknown turns are left out"),
        pytest.param([turn(200, 0)], 0, id="nothing lost"),
        pytest.param([FIRST], None, id="only a first turn"),
        pytest.param([turn(200, 50, account=None)], None, id="nothing known"),
        pytest.param([turn(200, 50, causes=(FAULTY, EDITED))], None, id="only deliberate turns"),
        pytest.param([], None, id="no turn"),
    ],
)
def test_lost_percent(turns: list[TurnRecord], percent: float | None) -> None:
    assert lost_percent([record(*turns)]) == percent


def test_sessions_are_added_up_before_they_are_divided() -> None:
    assert lost_percent([record(turn(100, 50)), record(turn(300, 0))]) == 12.5
    assert lost_percent([]) is None
