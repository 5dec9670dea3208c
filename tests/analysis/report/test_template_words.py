"""The template check in words and as JSON."""

import json

import pytest

from analysis.model.session import Problem
from analysis.model.template_check import ProbeResult, TemplateCheck, TextDifference, Verdict
from analysis.report.template_words import BEHAVIOURS, as_json, exit_code, knob_words, sentence

NEEDED = tuple(ProbeResult(name, "pure", "fine") for name in ("tool-loop", "generation-prompt", "positional-marker"))
DATE = ProbeResult("date", "not-pure", "follows the clock", evidence=TextDifference(3, "a", "b", "c"))
REASONING = ProbeResult("reasoning-stripped", "not-pure", "dropped", knob="keep=true")
BLIND = ProbeResult("tool-loop", "raises", "raises in every shape", message="TemplateError: no tools")


def check(*probes: ProbeResult, verdict: str = "not-pure") -> TemplateCheck:
    return TemplateCheck("t", "template", verdict, probes, ("Mind this.",))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("given", "said"),
    [
        pytest.param(
            check(*NEEDED, ProbeResult("arguments", "not-applicable", "no calls"), verdict="pure"),
            "Pure: a growing conversation only grows, in 3 of 4 probes (1 not applicable).",
            id="pure",
        ),
        pytest.param(
            check(*NEEDED, REASONING, DATE),
            "Not pure: earlier reasoning (dropped); date (follows the clock). keep=true cures 1 of 2.",
            id="cured in part",
        ),
        pytest.param(
            check(*NEEDED, DATE), "Not pure: date (follows the clock). No template argument cures it.", id="not cured"
        ),
        pytest.param(
            check(BLIND, *NEEDED[1:], verdict="cannot-tell"),
            "Cannot tell: an agent's conversation cannot be rendered (tool loop: TemplateError: no tools).",
            id="cannot tell",
        ),
    ],
)
def test_the_verdict_in_one_sentence(given: TemplateCheck, said: str) -> None:
    assert sentence(given) == said


@pytest.mark.parametrize(
    ("verdicts", "num_problems", "code"),
    [
        pytest.param(("pure", "pure"), 0, 0, id="all pure"),
        pytest.param(("pure", "not-pure"), 0, 1, id="one is not"),
        pytest.param(("pure", "cannot-tell"), 0, 2, id="one cannot be told"),
        pytest.param(("not-pure", "cannot-tell"), 1, 1, id="not pure is certain"),
        pytest.param(("pure",), 1, 2, id="one cannot be read"),
    ],
)
def test_exit_codes(verdicts: tuple[Verdict, ...], num_problems: int, code: int) -> None:
    checks = [check(verdict=verdict) for verdict in verdicts]
    assert exit_code(checks, [Problem("x", None, "unreadable")] * num_problems) == code


def test_the_knob_in_words() -> None:
    assert knob_words(REASONING) == "keep=true"
    assert knob_words(DATE) == "no template argument cures it"
    assert knob_words(NEEDED[0]) == ""
    changing = ProbeResult("date", "not-pure", "x", knob="day=1", knob_changes_prompt=True)
    assert knob_words(changing) == "day=1 (also changes a first prompt)"


def test_every_behaviour_has_a_name() -> None:
    assert len(set(BEHAVIOURS.values())) == len(BEHAVIOURS) == 11


def test_the_json_answer() -> None:
    answer = json.loads(json.dumps(as_json([[check(DATE), check(DATE)], [check(BLIND)]], [Problem("x", None, "no")])))
    assert answer["schema"] == 1 and answer["problems"] == [{"file": "x", "line": None, "message": "no"}]
    assert [one["group"] for one in answer["templates"]] == [1, 1, 2]
    first = answer["templates"][0]
    assert (first["name"], first["source"], first["verdict"], first["notes"]) == (
        "t", "template", "not-pure", ["Mind this."],
    )  # fmt: skip
    assert first["probes"] == [
        {
            "behaviour": "date", "verdict": "not-pure", "finding": "follows the clock", "scene": "", "shape": "",
            "knob": None, "knob_arguments": None, "knob_changes_prompt": False, "message": None,
            "evidence": {"position": 3, "before": "a", "old": "b", "new": "c"},
        }
    ]  # fmt: skip
    assert answer["templates"][2]["probes"][0]["evidence"] is None
