"""Causes with real templates and tokenizers: known reports get theirs, and sessions that only grow get none."""

from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from analysis.causes.template import EMPTY_THINK, GENERATION
from analysis.model.session import Usage
from analysis.model.settings import Settings
from analysis.pipeline.analyse import analyse
from tests.random_sessions import growing
from tests.visible_cases import CASES, FETCHED, analysed, fetched_renderer

pytestmark = pytest.mark.oracle

NUM_SESSIONS = 40  # of each template: 200 with the five that extend purely
STRIPPED = "template/reasoning-stripped"
BEHIND = {"36-image-evicted": (GENERATION,)}  # its template prints no <think> for a reply in the history


@pytest.mark.parametrize("name", FETCHED)
def test_a_report_gets_its_cause(name: str, oracles: Path) -> None:
    """The named cause, at the named field, and no other but what stands behind it; tokens as they were verified."""
    case = CASES[name]
    renderer = fetched_renderer(oracles, case["template"], case.get("normalise", "vllm"))
    first, turn = analysed(case, renderer).turns
    wanted = case["expected"]
    assert [cause.code for cause in turn.causes] == [wanted["cause"], *BEHIND.get(name, ())]
    assert turn.causes[0].segment == wanted["segment"]
    assert turn.causes[0].deliberate is wanted["deliberate"]
    assert turn.previous is not None
    if "tokens" in case:
        verified = case["tokens"]
        assert (first.prompt_tokens, turn.prompt_tokens) == (verified["turn1_tokens"], verified["turn2_tokens"])
        assert turn.previous.lcp_tokens == verified["common_tokens"]
        assert turn.best_tokens == verified["reusable_block16"]


@pytest.mark.parametrize(
    ("template", "thinks"),
    [("qwen2_5", False), ("qwen3_instruct_2507", True), ("qwen3_8", True), ("llama3_1", False), ("lfm2", True)],
)
def test_templates_that_extend_purely_have_no_cause(template: str, thinks: bool, oracles: Path) -> None:
    codes = codes_of(template, thinks, oracles)
    assert not codes, "a false alarm"


@pytest.mark.parametrize(
    ("template", "fix"),
    [
        ("qwen3", "Patch the template: print the reasoning of every message of the history."),
        ("qwen3_6", 'Send chat_template_kwargs: {"preserve_thinking": true}.'),
        ("glm4moe", "Patch the template: print the reasoning of every message of the history."),
    ],
)
def test_templates_that_strip_have_exactly_their_own(template: str, fix: str, oracles: Path) -> None:
    assert sorted(codes_of(template, True, oracles)) == [(STRIPPED, fix)]


@pytest.mark.parametrize("counted", [True, False], ids=["counted", "without usage"])
@pytest.mark.parametrize(
    ("template", "own"),
    [("qwen3_8", set()), ("qwen3_6", {STRIPPED, EMPTY_THINK, GENERATION})],
)
def test_replies_without_reasoning_among_others_are_no_fault(
    template: str, own: set[str], counted: bool, oracles: Path
) -> None:
    """The end of the generation prompt merges with what the history prints there: the text only goes on."""
    renderer = fetched_renderer(oracles, template)
    sessions = [growing(seed, renderer, thinks=True, share=0.6) for seed in range(NUM_SESSIONS // 4)]
    if not counted:
        sessions = [
            replace(session, turns=tuple(replace(turn, usage=Usage()) for turn in session.turns))
            for session in sessions
        ]
    found = analyse(sessions, lambda _model: renderer, Settings())
    assert {cause.code for session in found for turn in session.turns for cause in turn.causes} <= own


def codes_of(template: str, thinks: bool, oracles: Path) -> Counter[tuple[str, str]]:
    """Codes and fixes of all causes over random sessions."""
    renderer = fetched_renderer(oracles, template)
    sessions = [growing(seed, renderer, thinks) for seed in range(NUM_SESSIONS)]
    found = analyse(sessions, lambda _model: renderer, Settings())
    turns = [turn for session in found for turn in session.turns]
    assert len(turns) > 4 * NUM_SESSIONS and all(turn.generated_basis == "rendered" for turn in turns)
    return Counter((cause.code, cause.fix) for turn in turns for cause in turn.causes)
