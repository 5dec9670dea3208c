"""Markers of turns: of how many they speak, and what they mean."""

from dataclasses import replace

import pytest

from analysis.model.record import TurnRecord
from analysis.model.session import Mark
from app.markers import APART, LONGEST, PUT_TOGETHER, UNSEEN, clients, markers
from tests.sample_store import text_record

TURN = text_record().turns[0]


def turn(*marks: Mark, lineage: str | None = None) -> TurnRecord:
    return replace(TURN, completeness=frozenset(marks), lineage=lineage)


@pytest.mark.parametrize(
    ("turns", "labels"),
    [
        pytest.param([turn()], [], id="a whole request"),
        pytest.param([turn("no_tools"), turn("no_tools")], [("incomplete: no tools", True)], id="all alike"),
        pytest.param(
            [turn("no_system", "no_tools"), turn(), turn("redacted")],
            [("incomplete: no system prompt, no tools (1 turn)", True), ("incomplete: blacked out (1 turn)", True)],
            id="some",
        ),
        pytest.param([turn("reconstructed")], [("put together from a transcript", False)], id="a transcript"),
        pytest.param(
            [turn(), turn(lineage="title"), turn(lineage="agent-2"), turn(lineage="agent-2")],
            [("lineage: title (1 turn)", False), ("lineage: agent-2 (2 turns)", False)],
            id="lineages",
        ),
        pytest.param(
            [turn(), *(turn(lineage=f"agent-{number}") for number in range(4))],
            [("4 lineages (4 turns)", False)],
            id="many lineages",
        ),
    ],
)
def test_markers(turns: list[TurnRecord], labels: list[tuple[str, bool]]) -> None:
    assert [(one.label, one.is_warning) for one in markers(turns)] == labels


def test_every_marker_says_what_it_means() -> None:
    lacking, put_together, apart = markers([turn("no_tools"), turn("reconstructed"), turn(lineage="title")])
    assert (lacking.sentence, put_together.sentence) == (UNSEEN, PUT_TOGETHER)
    assert "no divergence is claimed inside of it" in lacking.sentence
    assert apart.sentence == APART


def test_clients_are_named_once_with_their_versions_and_cut() -> None:
    record = text_record()
    assert clients(record) == "agent/1.2.3"
    long = replace(TURN, client="x" * 99)
    assert clients(replace(record, turns=(TURN, TURN, long))) == f"agent/1.2.3, {'x' * LONGEST}…"
    assert clients(replace(record, turns=(replace(TURN, client=None),))) == ""
