"""A history held against its server: what was predicted, what was counted, what was announced."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from analysis.core.hashes import block_hashes, hasher, low_64
from analysis.model.evidence import Counters, KvEvent, Reconciliation
from analysis.model.finding import SessionAnalysis, TurnAnalysis
from analysis.model.session import Session, Turn
from analysis.model.settings import Settings
from analysis.pipeline.analyse import analyse
from analysis.pipeline.gaps import SideFiles
from analysis.pipeline.reconcile import reconcile
from analysis.pipeline.side_files import read_beside
from analysis.render.template import TemplateRenderer
from tests.builders import RECORDED, ROOT, SAMPLES, log_of, of_turns, tokens
from tests.evidence import SETTINGS, logged, visits

DATA = ROOT / "tests" / "data"
FILES = {path.stem: path for path in (*SAMPLES, *RECORDED)}
FLAGS = tuple(DATA / "http" / "serve-default-flags" / f"metrics_{when}.response.txt" for when in ("before", "after"))
BUSY = tuple(DATA / "metrics" / f"busy-server.{when}.txt" for when in ("before", "after"))
EVICTED_EVENTS, BUSY_EVENTS = (DATA / "kv_events" / f"{name}.jsonl" for name in ("evicted-200-blocks", "busy-server"))


def analysed(
    name: str,
    settings: Settings,
    metrics: Sequence[Path] = (),
    events: Path | None = None,
    renderer: TemplateRenderer | None = None,
) -> tuple[list[TurnAnalysis], Reconciliation]:
    beside = read_beside(metrics, events, None)
    settings = beside.settings(settings)
    found = analyse(log_of(FILES[name]).sessions, lambda _model: renderer, settings, side=beside.side)
    (said,) = {session.reconciliation for session in found}
    assert said is not None
    return [turn for session in found for turn in session.turns], said


def exact(turns: Sequence[TurnAnalysis]) -> int:
    return sum(turn.reusable_tokens == turn.turn.usage.cached_tokens for turn in turns)


def test_a_recorded_server_of_two_hundred_blocks() -> None:
    """Every hit and every removal: predicted, announced, and the same ones."""
    turns, said = analysed("evicted-200-blocks", Settings(16, "given", num_blocks=200), events=EVICTED_EVENTS)
    assert (exact(turns), len(turns)) == (20, 20)
    assert said == Reconciliation(
        hits_reported=12640,
        hits_predicted=12640,
        removals_predicted=570,
        removals_announced=570,
        removals_confirmed=570,
        hashes_same=960,
        hashes_different=0,
        blocks_needed=309,
    )


@pytest.mark.parametrize("num_blocks", [199, 201])
def test_another_pool_predicts_something_else(num_blocks: int) -> None:
    turns, said = analysed("evicted-200-blocks", Settings(16, "given", num_blocks=num_blocks), events=EVICTED_EVENTS)
    assert exact(turns) < 20 and said.removals_predicted != 570


def test_the_busy_server(sample_renderer: TemplateRenderer) -> None:
    """The number of blocks and the counters from its metrics, the removals from its events."""
    turns, said = analysed("busy-server", Settings(), BUSY, BUSY_EVENTS, sample_renderer)
    assert (exact(turns), len(turns)) == (24, 24)
    assert said == Reconciliation(
        queries_counted=39_747,
        queries_logged=39_747,
        hits_counted=29_840,
        hits_reported=29_840,
        hits_predicted=29_840,
        removals_predicted=348,
        removals_announced=348,
        removals_confirmed=348,
        hashes_same=746,
        hashes_different=0,
        blocks_needed=535,
    )


def test_the_pool_that_loses_nothing_loses_nothing(sample_renderer: TemplateRenderer) -> None:
    enough, _said = analysed("busy-server", Settings(num_blocks=535), renderer=sample_renderer)
    assert [turn.reusable_tokens for turn in enough] == [turn.best_tokens for turn in enough]
    less, _said = analysed("busy-server", Settings(num_blocks=534), renderer=sample_renderer)
    assert [turn.reusable_tokens for turn in less] != [turn.best_tokens for turn in less]


def test_a_server_that_does_not_report_is_checked_by_its_counters() -> None:
    turns, said = analysed("usage-details-off-block128", Settings(), FLAGS)
    assert (said.hits_counted, said.hits_predicted, said.hits_reported) == (3456, 3456, None)
    assert {turn.turn.usage.cached_tokens for turn in turns} == {None}
    assert sum(turn.best_tokens or 0 for turn in turns) == 3456, "in blocks of 128, as the metrics say"
    assert (said.removals_predicted, said.removals_announced, said.removals_confirmed) == (0, None, None)


def test_without_side_files_only_the_log_speaks() -> None:
    _turns, said = analysed("clean-tool-loop", Settings(16, "given"))
    assert said == Reconciliation(hits_reported=said.hits_predicted, hits_predicted=said.hits_predicted)
    assert said.hits_predicted


A, B = range(1000, 1160), range(5000, 5160)
SMALL = replace(SETTINGS, num_blocks=15)
TURNS = [
    ("a", logged(tokens(A), at=0)),
    ("b", logged(tokens(B), at=2)),
    ("a", logged(tokens(A, 7), cached=64, at=4)),
]


def reconciled(
    turns: Sequence[tuple[str, Turn]], removed: list[int] | None, settings: Settings, **side: Any
) -> Reconciliation:
    return reconcile(visits(turns, settings), removed, settings, SideFiles(**side))


def test_removals_are_confirmed_one_by_one() -> None:
    made = visits(TURNS, SMALL)
    removed = made[0].served.numbers["m", None, None][[9, 8, 8]].tolist()
    digest = hasher("sha256")
    assert digest is not None
    hashes = list(map(low_64, block_hashes(A, 16, digest)))
    events = (KvEvent(3, "removed", (hashes[9], hashes[8])), KvEvent(3.5, "removed", (hashes[2],)))
    said = reconcile(made, removed, SMALL, SideFiles(events))
    assert (said.removals_predicted, said.removals_announced, said.removals_confirmed) == (3, 3, 2)
    none = reconcile(made, [], SMALL, SideFiles(events))
    assert (none.removals_predicted, none.removals_confirmed) == (0, 0)
    unknown = reconcile(made, removed, SMALL, SideFiles(events, hash_algorithm="xxhash"))
    assert (unknown.removals_confirmed, unknown.hashes_same, unknown.removals_announced) == (None, None, 3)


def test_salted_turns_cannot_be_compared_with_events() -> None:
    salted = [(name, replace(turn, request=replace(turn.request, salt="A"))) for name, turn in TURNS]
    said = reconciled(salted, [], SMALL, events=(KvEvent(0, "removed", (1,)),))
    assert (said.removals_announced, said.removals_confirmed) == (1, None)


def test_counters_without_hits_say_nothing() -> None:
    assert reconciled(TURNS, None, SETTINGS, counters=Counters(queries=5)).hits_counted is None
    assert reconciled(TURNS, None, SETTINGS, counters=Counters(hits=64.0)).hits_counted == 64


def test_replicas_are_predicted_each_with_its_own_pool() -> None:
    """A pool of eleven holds one of the two sessions; two of them hold both."""
    sessions = [
        replace(of_turns(*(turn for who, turn in TURNS if who == name)), session_id=name, source="one") for name in "ab"
    ]
    apart = [replace(it, turns=tuple(replace(turn, replica=it.session_id) for turn in it.turns)) for it in sessions]
    pool = replace(SETTINGS, num_blocks=12)
    assert [_hits(pool, sessions), _hits(pool, apart)] == [[0, 16, 0], [0, 160, 0]]


def _hits(settings: Settings, sessions: list[Session]) -> list[int | None]:
    found = analyse(sessions, lambda _model: None, settings)
    return [turn.reusable_tokens for session in found for turn in session.turns]


def too_small(num_blocks: int, *turns: Turn) -> SessionAnalysis:
    (found,) = analyse([of_turns(*turns)], lambda _model: None, replace(SETTINGS, num_blocks=num_blocks))
    return found


@pytest.mark.parametrize(
    ("num_blocks", "line"),
    [
        pytest.param(10, 2, id="a prompt that has no room"),
        pytest.param(11, 3, id="a reply that has none, found when the next request comes"),
        pytest.param(1, 1, id="a pool without a usable block"),
        pytest.param(0, 1, id="no block at all"),
    ],
)
def test_a_pool_that_is_too_small_is_a_problem_and_loses_no_turn(num_blocks: int, line: int) -> None:
    """From that turn on memory is taken as unlimited; the remedy is in the message."""
    turns = [
        logged(tokens(A[:100]), at=0),
        logged(tokens(A), tokens(range(30)), at=2),
        logged(tokens(A, range(29), B), at=4),
    ]
    found = too_small(num_blocks, *turns)
    assert [turn.reusable_tokens for turn in found.turns] == [0, 96, 176]
    ((at, message),) = [(problem.line, problem.message) for problem in found.problems]
    assert at == line and f"pool of {num_blocks} blocks" in message
    assert "From here on memory is taken as unlimited" in message and "--blocks" in message
    assert found.reconciliation is not None
    assert found.reconciliation.removals_predicted is None, "the pool was not followed to the end"


def test_a_last_reply_that_has_no_room_is_a_problem_too() -> None:
    found = too_small(12, logged(tokens(A[:100]), at=0), logged(tokens(A), tokens(range(90)), at=2))
    assert [turn.reusable_tokens for turn in found.turns] == [0, 96]
    ((line, message),) = [(problem.line, problem.message) for problem in found.problems]
    assert line == 2 and "no room" in message


def test_requests_that_run_at_once_can_be_too_many() -> None:
    turns = [logged(tokens(A[:100]), at=0, takes=9), logged(tokens(B[:100]), at=1)]
    assert [problem.line for problem in too_small(12, *turns).problems] == [2]
    one_by_one = [turns[0], replace(turns[1], started_at=20.0, ended_at=21.0)]
    assert too_small(12, *one_by_one).problems == ()
