"""The session page: which turn it opens with, and what it says of a session as a whole."""

from dataclasses import replace
from pathlib import Path

import pytest

from analysis.model.finding import Account, Divergence
from analysis.model.record import SessionRecord, TurnRecord
from analysis.pipeline.importing import store
from analysis.pipeline.renderers import Renderers
from analysis.store.repository import Repository
from app.session_view import FIDELITY, turn_table, wasted_from, worst_cell
from tests.app.dashboard import Open, cards, key_of, no_exception, without_tokens, words
from tests.sample_store import record_of, sample

CHARTS = "plotly_chart"


def turn(
    number: int, missed: int | None = 0, lost: int = 0, diverged: int | None = None, cached: int = 0
) -> TurnRecord:
    return replace(
        record_of("01").turns[0],
        turn=number,
        account=Account(None if missed is None else cached, missed, 0, lost, 0, None, 0),
        divergence=None if diverged is None else Divergence(diverged * 16, diverged),
    )


def session(*turns: TurnRecord) -> SessionRecord:
    return replace(record_of("01"), turns=turns)


@pytest.mark.parametrize(
    ("turns", "cell"),
    [
        pytest.param([], None, id="no turn"),
        pytest.param([turn(1), turn(2)], None, id="nothing wasted"),
        pytest.param([replace(turn(1), account=None)], None, id="nothing known"),
        pytest.param([turn(1), turn(2, lost=5, diverged=3), turn(3, lost=9, diverged=4)], (3, 4), id="most lost"),
        pytest.param([turn(1, lost=5, diverged=3), turn(2, 9, cached=112)], (2, 7), id="missed behind a hit"),
        pytest.param([turn(1, 9)], (1, 0), id="missed from the front"),
        pytest.param([turn(1, 9, cached=119)], (1, 7), id="a hit that ends within a block"),
        pytest.param([turn(1, 4), turn(2, 3, lost=3, diverged=2)], (2, 2), id="missed and lost together"),
        pytest.param([turn(1), turn(2, diverged=6)], (2, 6), id="a divergence that cost nothing"),
        pytest.param([turn(1, 5), turn(2, lost=5, diverged=1)], (2, 1), id="as much: the one that diverges"),
        pytest.param([turn(1, lost=5, diverged=1), turn(2, lost=5, diverged=2)], (1, 1), id="as much: the first"),
        pytest.param([turn(1, None), turn(2, None, lost=2, diverged=1)], (2, 1), id="not reported, but lost"),
    ],
)
def test_the_cell_that_wasted_most(turns: list[TurnRecord], cell: tuple[int, int] | None) -> None:
    assert worst_cell(session(*turns)) == cell


@pytest.mark.parametrize(
    ("start", "cell"),
    [("01", None), ("02", (7, 77)), ("03", (8, 2)), ("07", (8, 0)), ("12", None), ("busy", (6, 73))],
)
def test_the_cell_of_a_recorded_session(start: str, cell: tuple[int, int] | None) -> None:
    assert worst_cell(record_of(start)) == cell


def test_where_a_turn_begins_to_waste() -> None:
    assert [wasted_from(one, 16) for one in (turn(1, 9, cached=119), turn(1, 9, 5, 3, 119), turn(1))] == [7, 3, 0]


def test_the_cell_is_the_same_without_the_blocks() -> None:
    record = record_of("busy")
    bare = replace(record, turns=tuple(replace(one, block_runs=()) for one in record.turns))
    assert worst_cell(bare) == worst_cell(record), "the page reads a session without them"
    (run,) = (run for run in record.turns[5].block_runs if run.state == "missed")
    assert worst_cell(record) == (6, run.start)


@pytest.mark.parametrize(
    ("first_token_at", "seconds"),
    [
        pytest.param(1000.25, 0.25, id="after the request"),
        pytest.param(1000.0, 0.0, id="at once"),
        pytest.param(None, None, id="unknown"),
        pytest.param(999.0, None, id="before the request"),
    ],
)
def test_the_first_token_comes_after_its_request_or_at_no_known_time(
    first_token_at: float | None, seconds: float | None
) -> None:
    one = replace(record_of("02").turns[0], started_at=1000.0, first_token_at=first_token_at)
    (found,) = turn_table((one,), "UTC")["First token after (s)"]
    assert found == seconds


def test_the_page_opens_where_most_was_missed(visit: Open, samples: Path) -> None:
    shown = no_exception(visit("session", samples, session=key_of("busy")))
    assert "Shown below: the turn that wasted most." in words(shown)
    assert "Turn 6 continues turn 5 without a change · block 73" in words(shown)


def test_a_session_without_waste_opens_without_a_turn(visit: Open, samples: Path) -> None:
    said = words(no_exception(visit("session", samples, session=key_of("01"))))
    assert "No turn leaves the turn before it. Click any cell of the map" in said and "wasted most" not in said


@pytest.mark.parametrize(
    ("start", "summary"),
    [
        ("02", "Of 47,743 prompt tokens 42,832 were reused, 2,176 lost (the chat template strips earlier reasoning)."),
        (
            "busy",
            "Of 23,078 prompt tokens 18,720 were reused, 1,712 missed (the memory was needed for other requests).",
        ),
    ],
)
def test_a_session_is_said_in_one_sentence(visit: Open, samples: Path, start: str, summary: str) -> None:
    shown = no_exception(visit("session", samples, session=key_of(start)))
    assert summary in words(shown) and shown.get(CHARTS)


@pytest.mark.parametrize("start", ["02", "busy"])
def test_only_a_server_with_a_known_pool_is_told_a_size(visit: Open, samples: Path, start: str) -> None:
    shown = no_exception(visit("session", samples, session=key_of(start)))
    enough = "busy-server.jsonl: with 535 blocks no hit would have been lost."
    assert (enough in words(shown)) == (start == "busy")


def test_how_the_tokens_are_known_stands_in_the_header(visit: Open, tmp_path: Path) -> None:
    record = record_of("07")
    kinds = ("exact", "approximate", "mismatch", None, *["logged"] * 4)
    turns = tuple(replace(one, fidelity=kind) for one, kind in zip(record.turns, kinds, strict=True))
    repository = Repository.open(tmp_path / "kinds.duckdb")
    store(replace(sample("07"), records=(replace(record, turns=turns),)), Renderers(), repository)
    repository.close()
    said = words(no_exception(visit("session", tmp_path / "kinds.duckdb", session="1")))
    numbers = {"exact": "1 turn", "approximate": "1 turn", "mismatch": "1 turn", "logged": "4 turns"}
    assert all(f"{FIDELITY[kind]} ({number})" in said for kind, number in numbers.items())
    assert "tokens unknown (1 turn)" in said


def test_nothing_known_is_unknown_and_no_zero(visit: Open, tmp_path: Path) -> None:
    database = without_tokens(tmp_path)
    shown = no_exception(visit("session", database, session="1"))
    figures = cards(shown)
    assert len(figures) == 6 and figures.pop("Turns") == "2"
    assert set(figures.values()) == {"?"}
    assert next(metric for metric in shown.metric if metric.label == "Turns").delta == "1 change by text"
    assert not shown.get(CHARTS) and "tokens unknown (2 turns)" in words(shown)
