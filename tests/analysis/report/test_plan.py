"""Plans in words."""

import pytest

from analysis.model.finding import Account
from analysis.model.plan import PlanStep, Tokens
from analysis.model.what_if import TurnFigures, WhatIf
from analysis.report.plan import also_of, outcome, plan_lines, summed, tokens_of, total, turns_of, worth
from tests.sample_store import record_of


def step(before: Tokens, after: Tokens | None, reason: str | None = None) -> PlanStep:
    return PlanStep("tools/order", (2, 3), "sort", before, after, reason, ("tools/set-changed",))


@pytest.mark.parametrize(
    ("turns", "said"),
    [
        ((4,), "turn 4"),
        ((2, 3, 4, 5), "turns 2–5"),
        ((2, 3, 5, 7, 8), "turns 2–3, 5, 7–8"),
        ((2, 4), "turns 2, 4"),
    ],
)
def test_turns_of(turns: tuple[int, ...], said: str) -> None:
    assert turns_of(turns) == said


@pytest.mark.parametrize(
    ("after", "said"),
    [
        pytest.param(Tokens(1000, 600), "computes 500 fewer", id="prompts as long"),
        pytest.param(
            Tokens(1300, 600),
            "reuses 500 more but the prompts grow: computes only 200 fewer",
            id="prompts grow",
        ),
        pytest.param(
            Tokens(1700, 600), "reuses 500 more but the prompts grow: computes 200 more", id="prompts grow by more"
        ),
        pytest.param(
            Tokens(900, 600), "computes 600 fewer; the prompts are 100 tokens shorter", id="prompts get shorter"
        ),
        pytest.param(None, "not verified: no knob", id="not rendered"),
    ],
)
def test_worth(after: Tokens | None, said: str) -> None:
    assert worth(step(Tokens(1000, 100), after, None if after else "no knob")) == said


def test_what_else_is_taken_back() -> None:
    assert also_of(step(Tokens(1, 0), None)) == "Takes back as well: tools/set-changed."


def test_the_plan_of_a_sample_is_a_line_for_every_step() -> None:
    heading, *lines = plan_lines(record_of("06").plan)
    assert heading == "fix plan, each step on top of those before it:"
    assert [line.partition(":")[0] for line in lines] == [
        "1. volatile-head/client-timestamp (turns 2–9)",
        "2. tools/order (turn 4)",
        "3. client/history-edited (turn 6)",
    ]
    assert lines[0].endswith("reusable 384 → 11,984 tokens (hit rate 2.4% → 76.1%); computes 11,600 fewer")
    (line,) = plan_lines(record_of("02").plan)[1:]
    assert line.endswith("reuses 7,840 more but the prompts grow: computes only 2,174 fewer")


def test_the_sum_of_a_plan() -> None:
    said = total(record_of("06").plan)
    assert said.startswith("With 3 fixes the predicted hit rate goes from 2.4% to 90.1%: 1,")
    assert said.endswith("tokens computed instead of 15,358, 13,796 fewer.")
    assert total((step(Tokens(10, 0), None, "no"),)) == "" and plan_lines(()) == []
    worse = total((step(Tokens(10, 5), Tokens(20, 6)),))
    assert worse.startswith("With 1 fix ") and worse.endswith("9 more.")


def test_an_unknown_hit_rate_is_said_to_be() -> None:
    assert tokens_of(step(Tokens(10, 5), None)) == "reusable 5 tokens (hit rate 50.0%)"


def test_what_was_tried_in_one_sentence() -> None:
    account = Account(None, None, 1, 2, 3, 4, 0)
    before, after = TurnFigures(1, 100, 32, account), TurnFigures(1, 120, 64, account)
    assert summed((before, after)) == Tokens(220, 96)
    assert outcome(WhatIf("Sort the tools", (before,), (after,))) == (
        "Sort the tools: reusable 32 → 64 tokens (hit rate 32.0% → 53.3%);"
        " reuses 32 more but the prompts grow: computes only 12 fewer."
    )
