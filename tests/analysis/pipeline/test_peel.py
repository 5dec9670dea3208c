"""Fix plans: the samples against what the real server measured, and what a plan must not promise."""

import json
from dataclasses import replace
from functools import cache
from typing import Any

import pytest

from analysis.causes.reasons import NO_KNOB
from analysis.model.finding import SessionAnalysis
from analysis.model.session import Session
from analysis.model.settings import Settings
from analysis.pipeline.analyse import analyse
from analysis.pipeline.peel import with_plans
from analysis.render.template import TemplateRenderer
from tests.builders import ROOT, SAMPLE_MODEL, ByteRenderer, assistant, log_of, of_turns, session, turn, user

FILES: dict[str, Any] = json.loads((ROOT / "tests" / "data" / "EXPECTED.json").read_text("utf-8"))["files"]
CLOCK, STRIPPED = "volatile-head/client-timestamp", "template/reasoning-stripped"


@cache
def planned(number: str) -> list[SessionAnalysis]:
    """The sessions of a sample with their plans."""
    renderer = TemplateRenderer.load(str(SAMPLE_MODEL))
    (path,) = (ROOT / "sample_sessions").glob(f"{number}-*.jsonl")
    return with_plans(analyse(log_of(path).sessions, lambda model: renderer, Settings(16)), lambda model: renderer)


def of_bytes(*sessions: Session, keep_reasoning: bool = True) -> list[SessionAnalysis]:
    renderer = ByteRenderer(keep_reasoning)
    return with_plans(analyse(sessions, lambda model: renderer, Settings(4)), lambda model: renderer)


@pytest.mark.parametrize(
    ("number", "steps"),
    [
        pytest.param("02", [(STRIPPED, "preserve_reasoning")], id="02"),
        pytest.param("03", [(CLOCK, "clock_frozen"), (STRIPPED, "clock_frozen+preserve_reasoning")], id="03"),
        pytest.param("04", [("volatile-head/client-date", "date_frozen")], id="04"),
        pytest.param("05", [("tools/order", "tools_fixed")], id="05"),
        pytest.param(
            "06",
            [
                (CLOCK, "clock_frozen"),
                ("tools/order", "clock_frozen+tools_fixed"),
                ("client/history-edited", "clock_frozen+tools_fixed+results_unchanged"),
            ],
            id="06",
        ),
        pytest.param("07", [("key/cache-salt", "salt_fixed")], id="07"),
        pytest.param("09", [("client/tool-output-pruned", "outputs_kept")], id="09"),
        pytest.param(
            "11",
            [(STRIPPED, "preserve_reasoning"), ("tools/set-changed", "preserve_reasoning+tools_fixed")],
            id="11",
        ),
        pytest.param("14", [("volatile-head/template-date", "date_frozen")], id="14"),
    ],
)
def test_a_plan_is_what_the_server_measured(number: str, steps: list[tuple[str, str]]) -> None:
    (found,) = planned(number)
    (file,) = (file for name, file in FILES.items() if name.startswith(number))
    measured = [file["what_if"][name] for _code, name in steps]
    assert [step.code for step in found.plan] == [code for code, _name in steps]
    assert found.plan[0].before.prompt == file["sum_prompt"]
    assert found.plan[0].before.reusable == file["sum_predicted"]
    assert [step.after.reusable for step in found.plan if step.after] == [one["sum_reusable"] for one in measured]
    if number != "14":  # measured there with a date as template argument, written in another form
        prompts = [sum(turn["prompt_tokens"] for turn in one["turns"]) for one in measured]
        assert [step.after.prompt for step in found.plan if step.after] == prompts
    for step, following in zip(found.plan, found.plan[1:], strict=False):
        assert step.after == following.before


def test_three_faults_at_once() -> None:
    (found,) = planned("06")
    assert [found.plan[0].before.reusable, *(step.after.reusable for step in found.plan if step.after)] == [
        384,
        11_984,
        13_168,
        14_224,
    ]
    assert [step.turns for step in found.plan] == [tuple(range(2, 10)), (4,), (6,)]
    assert [step.recovers for step in found.plan] == [11_600, 1_184, 1_012]


def test_a_fix_that_lengthens_prompts_saves_less_than_it_reuses() -> None:
    ((step,),) = (one.plan for one in planned("02"))
    assert step.after is not None and step.recovers == 2_174
    assert step.after.reusable - step.before.reusable == 7_840
    assert step.after.prompt - step.before.prompt == 7_840 - 2_174


def test_one_fix_of_the_tools_takes_back_all_that_happened_to_them() -> None:
    ((step,),) = (one.plan for one in planned("05"))
    assert (step.turns, step.also) == ((4,), ("tools/set-changed",))


def test_text_about_one_session_moves_behind_what_others_share() -> None:
    plans = {one.session.session_id: one.plan for one in planned("13")}
    first, second = plans["chat-8803"]
    assert (first.code, first.before.reusable) == ("volatile-head/per-session-text", 1_840)
    recorded = sum(plan[0].before.reusable for plan in plans.values())
    gained = sum(step.after.reusable - step.before.reusable for plan in plans.values() for step in plan if step.after)
    (file,) = (file for name, file in FILES.items() if name.startswith("13"))
    assert recorded == file["sum_predicted"]
    assert recorded + gained == file["what_if"]["name_last+preserve_reasoning"]["sum_reusable"]
    assert second.code == STRIPPED


@pytest.mark.parametrize("number", ["01", "08", "12"])
def test_what_is_clean_or_was_meant_has_no_plan(number: str) -> None:
    assert all(one.plan == () for one in planned(number))


def test_a_template_without_an_argument_for_it_is_not_promised_a_figure() -> None:
    head = {"role": "system", "content": "Be kind."}
    thought = assistant("yes", reasoning="because it is so, and has always been so")
    sent = (turn(head, user("a"), reply=thought), turn(head, user("a"), thought, user("b")))
    logged = of_turns(*(replace(one, usage=replace(one.usage, prompt_tokens=None)) for one in sent))
    (found,) = of_bytes(logged, keep_reasoning=False)
    (step,) = found.plan
    assert (step.code, step.turns, step.reason) == (STRIPPED, (2,), NO_KNOB)
    assert (step.after, step.recovers, step.verified) == (None, None, False)


def test_a_salt_needs_no_tokenizer() -> None:
    renderer = ByteRenderer()
    plain = session("Be kind, be short.", "a", "yes", "b", "no", "c", salts=("x", "y", "y"))
    logged = of_turns(
        *(
            replace(
                one,
                prompt_ids=renderer.prompt_ids(one.request, None),
                usage=replace(one.usage, cached_tokens=0, cached_basis="reported"),
            )
            for one in plain.turns
        )
    )
    (found,) = with_plans(analyse([logged], lambda model: None, Settings(4)), lambda model: None)
    (step,) = found.plan
    assert (step.code, step.turns, step.reason) == ("key/cache-salt", (2,), None)
    assert step.after is not None and step.after.reusable > step.before.reusable


def test_a_side_call_keeps_its_own_head_and_costs_the_plan_nothing() -> None:
    """The clock of the conversation is frozen; the title call between its turns never had it."""

    def clock(minute: int) -> dict[str, Any]:
        return {"role": "system", "content": f"It is 2026-03-02 10:{minute:02}:00. Be kind and be short."}

    talk = [user("a"), assistant("yes"), user("b"), assistant("no"), user("c")]
    turns = [turn(clock(number), *talk[: 2 * number - 1]) for number in (1, 2, 3)]
    title = replace(turn({"role": "system", "content": "You give titles."}, user("title, please")), lineage="title")
    (alone,) = of_bytes(of_turns(*turns))
    (found,) = of_bytes(of_turns(turns[0], title, *turns[1:]))
    (step,), (expected,) = found.plan, alone.plan
    assert (step.code, step.turns, expected.turns) == (CLOCK, (3, 4), (2, 3))
    assert step.after is not None and expected.after is not None
    assert step.recovers == expected.recovers
    assert step.after.prompt - expected.after.prompt == found.turns[1].prompt_tokens
