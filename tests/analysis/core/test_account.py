"""The token account over made-up prompts.  The pinned figures of real sessions stand in test_analyse."""

from dataclasses import replace

import pytest

from analysis.core.account import (
    Facts,
    account,
    best_tokens,
    block_runs,
    computed_again,
    lost_in_output,
    parts,
    wasted_by_cause,
)
from analysis.model.finding import Account, BlockRun, BlockState, Cause, Divergence, Part, PartName
from analysis.model.record import TurnRecord
from analysis.model.session import TokenIds
from tests.builders import tokens
from tests.sample_store import record_of

FRESH = range(5000, 6000)
SEEN = range(100, 140)


def booked(
    cached: int | None, lcp: int, best: int, prompt: TokenIds, previous_rest: TokenIds | None
) -> tuple[tuple[Part, ...], Account]:
    facts = Facts(len(prompt), lcp, best, cached)
    found = parts(facts, prompt, previous_rest)
    return found, account(facts, found)


@pytest.mark.parametrize(
    ("cached", "lcp", "best", "figures"),
    [
        pytest.param(32, 40, 32, Account(32, 0, 8, 40, 20, None, 0), id="all that was there"),
        pytest.param(16, 40, 32, Account(16, 16, 8, 40, 20, None, 0), id="a block missed"),
        pytest.param(0, 40, 32, Account(0, 32, 8, 40, 20, None, 0), id="all missed"),
        pytest.param(None, 40, 32, Account(None, None, 8, 40, 20, 32, 0), id="not reported is not zero"),
        pytest.param(64, 40, 32, Account(64, 0, 0, 16, 20, None, 32), id="more than predicted"),
        pytest.param(0, 0, 0, Account(0, 0, 0, 40, 60, None, 0), id="nothing in common"),
    ],
)
def test_account(cached: int | None, lcp: int, best: int, figures: Account) -> None:
    prompt = tokens(range(40), SEEN, FRESH)[:100]
    assert booked(cached, lcp, best, prompt, tokens(1, SEEN, 2))[1] == figures


def test_parts_cover_the_prompt_in_order_and_none_is_empty() -> None:
    prompt = tokens(range(40), SEEN, FRESH)[:100]
    found, _ = booked(16, 40, 32, prompt, tokens(1, SEEN, 2))
    assert found == (
        Part(0, 16, "cached"),
        Part(16, 32, "missed"),
        Part(32, 40, "rounding"),
        Part(40, 80, "lost"),
        Part(80, 100, "new"),
    )


def test_nothing_is_lost_on_a_first_turn() -> None:
    assert booked(0, 0, 0, tokens(range(48)), None) == ((Part(0, 48, "new"),), Account(0, 0, 0, 0, 48, None, 0))


def test_lost_and_new_may_alternate() -> None:
    first, second = range(100, 116), range(200, 220)
    found, figures = booked(0, 0, 0, tokens(7, first, 8, second), tokens(first, 9, second))
    assert [part.name for part in found] == ["new", "lost", "new", "lost"]
    assert (figures.lost, figures.new) == (36, 2)


def test_a_server_that_counts_more_than_the_prompt_gets_the_prompt() -> None:
    found, _ = booked(999, 16, 16, tokens(range(20)), None)
    assert found == (Part(0, 20, "cached"),)


@pytest.mark.parametrize(("lcp", "prompt", "best"), [(40, 100, 32), (100, 100, 96), (32, 32, 16)], ids=str)
def test_best_tokens(lcp: int, prompt: int, best: int) -> None:
    assert best_tokens(lcp, prompt, 16) == best


def run_of(*named: tuple[int, PartName]) -> tuple[Part, ...]:
    """Parts by their lengths."""
    result, start = [], 0
    for length, name in named:
        result.append(Part(start, start + length, name))
        start += length
    return tuple(result)


@pytest.mark.parametrize(
    ("booked", "diverged", "runs"),
    [
        pytest.param((), None, [], id="no prompt"),
        pytest.param(run_of((5, "new")), None, [(0, 1, "new")], id="one partial block"),
        pytest.param(
            run_of((32, "cached"), (8, "rounding"), (28, "new")),
            None,
            [(0, 2, "reused"), (2, 3, "tail"), (3, 5, "new")],
            id="a tie goes to the more alarming",
        ),
        pytest.param(
            run_of((16, "cached"), (7, "rounding"), (25, "new")), None, [(0, 1, "reused"), (1, 3, "new")], id="majority"
        ),
        pytest.param(
            run_of((16, "cached"), (16, "missed"), (16, "lost")),
            2,
            [(0, 1, "reused"), (1, 2, "missed"), (2, 3, "diverged")],
            id="the divergence wins its block",
        ),
        pytest.param(run_of((32, "unreported"), (16, "new")), None, [(0, 2, "unreported"), (2, 3, "new")], id="silent"),
        pytest.param(run_of((16, "cached")), 7, [(0, 1, "reused")], id="a divergence behind the end"),
        pytest.param(
            run_of((3, "new"), (3, "lost"), (3, "new"), (7, "lost")), None, [(0, 1, "lost")], id="several in one block"
        ),
    ],
)
def test_block_runs(booked: tuple[Part, ...], diverged: int | None, runs: list[tuple[int, int, BlockState]]) -> None:
    assert block_runs(booked, 16, diverged) == tuple(BlockRun(*run) for run in runs)


@pytest.mark.parametrize(
    ("found", "again"),
    [
        pytest.param(Account(16, 8, 0, 40, 20, None, 0), 48, id="missed and lost"),
        pytest.param(Account(None, None, 0, 40, 20, 16, 0), 40, id="missed is not said"),
        pytest.param(None, 0, id="no account"),
    ],
)
def test_what_was_computed_again(found: Account | None, again: int) -> None:
    assert computed_again(found) == again


def test_wasted_tokens_by_cause() -> None:
    def turn(missed: int | None, *causes: tuple[str, int]) -> TurnRecord:
        known = Account(0, missed, 0, 0, 0, None if missed is not None else 32, 0)
        named = tuple(Cause(code, "certain", None, number, None, "", "") for code, number in causes)
        return replace(record_of("02").turns[0], account=known, causes=named)

    turns = [turn(100, ("a", 30), ("b", 20)), turn(10, ("b", 50)), turn(None, ("c", 7)), turn(0)]
    assert list(wasted_by_cause(turns).items()) == [("unexplained", 50), ("a", 30), ("b", 30)]
    assert wasted_by_cause([turn(5, ("a", 0), ("b", 5))]) == {"b": 5}, "no cause owns more than was missed"
    assert wasted_by_cause([replace(turns[0], account=None)]) == {}
    lost = replace(turns[3], account=Account(0, 10, 0, 90, 0, None, 0), causes=turn(0, ("a", 10), ("b", 80)).causes)
    assert list(wasted_by_cause([lost]).items()) == [("b", 80), ("a", 10), ("unexplained", 10)], "missed and lost"
    meant = replace(lost, causes=(*lost.causes, replace(lost.causes[0], deliberate=True)))
    assert wasted_by_cause([meant]) == {}, "nothing that was meant is wasted"


@pytest.mark.parametrize(
    ("token", "in_output"),
    [
        pytest.param(40, 25, id="behind the previous prompt: in its reply"),
        pytest.param(39, 0, id="in the history"),
        pytest.param(None, 0, id="no divergence"),
    ],
)
def test_what_is_lost_in_a_reply_is_told_from_a_loss_of_history(token: int | None, in_output: int) -> None:
    """The previous prompt has 40 tokens."""
    first, second = record_of("02").turns[:2]
    booked = Account(0, 0, 0, lost=25, new=5, reusable_unreported=None, beyond_prediction=0)
    found = None if token is None else Divergence(token, token // 16)
    turn = replace(second, account=booked, divergence=found)
    assert lost_in_output(turn, [replace(first, prompt_tokens=40), turn]) == in_output
    assert lost_in_output(replace(turn, account=None), [first]) is None
    assert lost_in_output(turn, [turn]) == 0, "the turn before is not known"
