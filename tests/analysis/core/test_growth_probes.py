"""Probes that let a conversation grow: each sees its own fault and no other."""

import pytest

from analysis.core import growth_probes as probes
from analysis.core.bench import NotApplicable
from analysis.core.conversations import LATE_SYSTEM_TEXT, REASONING_TEXTS, Shape
from tests.mini_template import bench

LOOP, PLAIN = Shape(), Shape(tool_loop=False)


def test_a_tool_loop_is_append_only() -> None:
    found = probes.tool_loop(bench(), LOOP)
    assert (found.verdict, found.finding, found.old) == ("pure", "append-only", None)
    assert probes.tool_loop(bench("no calls"), LOOP).finding == "append-only; tool calls are not printed"


def test_a_tool_loop_that_does_not_replay_its_generation_prompt() -> None:
    found = probes.tool_loop(bench("generation-prompt", "no reasoning"), LOOP)
    assert (found.verdict, found.finding) == ("not-pure", "generation prompt not replayed")
    assert probes.tool_loop(bench("generation-prompt"), LOOP).verdict == "pure", "the reasoning follows it"


def test_a_tool_loop_whose_history_is_rewritten() -> None:
    assert probes.tool_loop(bench("positional-marker"), LOOP).finding == "history rewritten"


def test_a_tool_loop_without_results_cannot_be_seen() -> None:
    with pytest.raises(NotApplicable, match="results are not printed"):
        probes.tool_loop(bench("no results"), LOOP)


@pytest.mark.parametrize("shape", [LOOP, PLAIN], ids=["tool loop", "plain"])
def test_reasoning_is_kept_or_dropped(shape: Shape) -> None:
    assert probes.reasoning(bench(), shape).finding == "kept"
    found = probes.reasoning(bench("reasoning-stripped"), shape)
    assert (found.verdict, found.finding) == ("not-pure", "dropped at a new user turn")
    assert found.old is not None and found.new is not None
    assert any(text in found.old and text not in found.new for text in REASONING_TEXTS)
    cured = probes.reasoning(bench("reasoning-stripped").with_arguments({"keep": True}), shape)
    assert (cured.verdict, cured.scene) == ("pure", found.scene)


def test_reasoning_that_is_not_printed_leaves_the_content() -> None:
    with pytest.raises(NotApplicable, match="prints no reasoning field"):
        probes.reasoning(bench("no reasoning"), LOOP)


def test_empty_think_blocks() -> None:
    assert probes.empty_think_block(bench(), LOOP).finding == "none printed"
    found = probes.empty_think_block(bench("empty-think-block"), LOOP)
    assert (found.verdict, found.finding) == ("not-pure", "lost at a new user turn")
    kept = probes.empty_think_block(bench("empty-think-block").with_arguments({"keep": True}), LOOP)
    assert (kept.verdict, kept.finding) == ("pure", "kept")
    assert probes.empty_think_block(bench(), PLAIN).verdict == "pure"


@pytest.mark.parametrize("shape", [LOOP, PLAIN], ids=["tool loop", "plain"])
def test_generation_prompts(shape: Shape) -> None:
    assert probes.generation_prompt(bench(), shape).finding == "replayed"
    found = probes.generation_prompt(bench("generation-prompt"), shape)
    assert found.verdict == "not-pure" and found.finding.startswith("not replayed at a new user turn")
    assert ("in a tool loop" in found.finding) == shape.tool_loop
    assert found.old is not None and found.old.endswith("<think>\n")


@pytest.mark.parametrize("shape", [LOOP, PLAIN], ids=["tool loop", "plain"])
def test_positional_markers(shape: Shape) -> None:
    assert probes.positional_marker(bench(), shape).verdict == "pure"
    assert probes.positional_marker(bench("positional-marker"), shape).verdict == "not-pure"


def test_a_system_text_that_moves_is_told() -> None:
    found = probes.positional_marker(bench("system-relocated"), LOOP)
    assert (found.verdict, found.finding) == ("not-pure", "the system text moves")
    assert probes.positional_marker(bench("system-relocated"), Shape(system=False)).verdict == "pure"


@pytest.mark.parametrize("fault", ["empty-think-block", "generation-prompt", "tools-relocated", "reasoning-stripped"])
def test_a_fault_with_a_probe_of_its_own_is_no_positional_marker(fault: str) -> None:
    assert probes.positional_marker(bench(fault), LOOP).verdict == "pure"


@pytest.mark.parametrize(
    ("fault", "verdict", "finding"),
    [
        pytest.param("", "pure", "in place", id="in place"),
        pytest.param("hoists", "not-pure", "moved to the head", id="hoisted"),
        pytest.param("drops", "pure", "dropped", id="dropped"),
        pytest.param("no late system", "raises", "raises", id="refused"),
    ],
)
def test_a_late_system_message(fault: str, verdict: str, finding: str) -> None:
    found = probes.late_system(bench(fault), PLAIN)
    assert (found.verdict, found.finding) == (verdict, finding)
    assert found.message == ("no late system!" if verdict == "raises" else None)
    assert (found.new is not None and LATE_SYSTEM_TEXT in found.new) == (verdict == "not-pure")
