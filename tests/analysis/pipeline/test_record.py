"""What is kept of an analysis: salts as labels, sums over turns, and no request body."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from analysis.model.finding import BLOCK_STATES, SessionAnalysis
from analysis.model.record import SessionFigures
from analysis.model.session import Session
from analysis.model.settings import Settings
from analysis.pipeline.analyse import analyse
from analysis.pipeline.record import figures, records
from tests.builders import ByteRenderer, of_turns, session, turn, user
from tests.sample_store import record_of

SYSTEM = "You are a careful agent. " * 4


def analysed(*sessions: Session, block_size: int = 16) -> list[SessionAnalysis]:
    return analyse(list(sessions), lambda model: ByteRenderer(), Settings(block_size))


def salts_of(*sessions: Session) -> list[list[str | None]]:
    return [[turn.salt for turn in record.turns] for record in records(analysed(*sessions))]


def started(made: Session, *times: float | None) -> Session:
    return replace(made, turns=tuple(replace(it, started_at=at) for it, at in zip(made.turns, times, strict=True)))


def test_salts_are_labelled_in_the_order_of_their_first_use() -> None:
    made = session(SYSTEM, "a", "b", "c", "d", "e", salts=["f00", "ba7", "f00"])
    assert salts_of(made) == [["salt A", "salt B", "salt A"]]
    assert salts_of(session(SYSTEM, "a")) == [[None]]


def test_sessions_that_were_analysed_together_share_their_labels() -> None:
    late = started(session(SYSTEM, "a", "b", "c", salts=["f00", "ba7"]), 30.0, 40.0)
    early = started(session(SYSTEM, "a", salts=["ba7"]), 10.0)
    assert salts_of(late, early) == [["salt B", "salt A"], ["salt A"]]


def test_more_salts_than_letters() -> None:
    texts = [str(number) for number in range(2 * 28 - 1)]
    (labels,) = salts_of(session(SYSTEM, *texts, salts=[f"{number:x}" for number in range(28)]))
    assert labels[25:] == ["salt Z", "salt 27", "salt 28"]
    assert len(set(labels)) == 28


def test_no_fingerprint_and_no_message_is_kept() -> None:
    made = session("the secret system text", "ask", "tell", "more", salts=["f00d", "f00d"])
    (record,) = records(analysed(made))
    assert "f00d" not in repr(record) and "the secret system text" not in repr(record)


def test_every_figure_of_a_turn_is_kept() -> None:
    made = of_turns(turn(user(SYSTEM + "a"), cached=0), turn(user(SYSTEM + "b"), cached=32))
    (found,) = analysed(made)
    (record,) = records([found])
    for analysis, kept in zip(found.turns, record.turns, strict=True):
        for name in (
            "prompt_tokens", "fidelity", "generated_basis", "lcp_tokens", "best_tokens", "reusable_tokens",
            "ideal_tokens", "donor", "previous", "account", "divergence", "causes", "notes",
        ):  # fmt: skip
            assert getattr(kept, name) == getattr(analysis, name), name
        assert (kept.turn, kept.line, kept.request_id) == (analysis.turn.number, analysis.turn.line, kept.request_id)
        assert (kept.cached_tokens, kept.cached_basis) == (analysis.turn.usage.cached_tokens, "reported")
    assert record.full_ids[1] is found.turns[1].full_ids


def test_block_runs_cover_the_prompt_and_mark_the_divergence() -> None:
    (record,) = records(analysed(of_turns(turn(user(SYSTEM + "a")), turn(user(SYSTEM + "b")))))
    for kept in record.turns:
        assert kept.prompt_tokens is not None
        stops = [0, *(run.stop for run in kept.block_runs)]
        assert [run.start for run in kept.block_runs] == stops[:-1]
        assert stops[-1] == -(-kept.prompt_tokens // 16)
        assert {run.state for run in kept.block_runs} <= set(BLOCK_STATES)
    second = record.turns[1]
    assert second.divergence is not None
    (diverged,) = (run for run in second.block_runs if run.state == "diverged")
    assert (diverged.start, diverged.stop) == (second.divergence.block, second.divergence.block + 1)


def test_the_model_of_a_session_is_that_of_most_turns() -> None:
    asked = [turn(user("a"), model=model) for model in ("base", "adapter", "adapter")]
    (record,) = records(analysed(of_turns(*asked)))
    assert record.model == "adapter"
    assert [kept.model for kept in record.turns] == ["base", "adapter", "adapter"]


def test_a_session_without_turns() -> None:
    (record,) = records(analysed(replace(of_turns(turn(user("a"))), turns=())))
    assert (record.model, record.turns) == ("", ())
    assert figures(record) == SessionFigures(*(0,) * 11)


def sums(start: str, names: Sequence[str]) -> dict[str, object]:
    found = figures(record_of(start))
    return {name: getattr(found, name) for name in names}


@pytest.mark.parametrize(
    ("start", "expected"),
    [
        pytest.param(
            "01", {"num_turns": 13, "num_divergences": 0, "lost_tokens": 0, "costliest_turn": None}, id="clean"
        ),
        pytest.param("02", {"num_turns": 18, "num_divergences": 3, "costliest_turn": 7}, id="three divergences"),
        pytest.param("07", {"num_divergences": 0, "lost_tokens": 0, "known_turns": 8}, id="salt rotated"),
        pytest.param(
            "12", {"known_turns": 0, "cached_tokens": 0, "hit_rate": None, "known_prompt_tokens": 0}, id="silent"
        ),
    ],
)
def test_figures_of_samples(start: str, expected: dict[str, object]) -> None:
    assert sums(start, list(expected)) == expected


def test_figures_add_up_only_what_is_known() -> None:
    record = record_of("02")
    first, second = record.turns[5], record.turns[6]
    assert second.account is not None and second.prompt_tokens is not None
    silent = replace(first, cached_tokens=None, account=None, fidelity=None, prompt_tokens=None, reusable_tokens=None)
    wrong = replace(second, fidelity="mismatch")
    found = figures(replace(record, turns=(silent, wrong)))
    assert (found.num_turns, found.known_turns, found.unknown_turns, found.mismatched_turns) == (2, 1, 1, 1)
    assert found.prompt_tokens == found.known_prompt_tokens == second.prompt_tokens
    assert found.cached_tokens == second.cached_tokens == 1232
    assert found.lost_tokens == second.account.lost == 890
    assert found.wasted_tokens == 890 and found.hit_rate == 1232 / 2168
    assert found.costliest_turn == 7
    assert found.costliest_segment is not None and found.costliest_segment.path.startswith("messages[")


def test_the_costliest_divergence_is_the_one_that_lost_most() -> None:
    record = record_of("02")
    found = figures(record)
    lost = {turn.turn: turn.account.lost for turn in record.turns if turn.divergence and turn.account}
    assert found.costliest_turn == max(lost, key=lambda number: lost[number])
    assert found.lost_tokens >= sum(lost.values())
