"""What the template check says of real chat templates is what was measured on them, row by row."""

import time
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

from analysis.live.vllm import VllmServer
from analysis.model.template_check import Behaviour, ProbeResult, TemplateCheck
from analysis.pipeline.template_check import HARMONY, behaving_alike, check_server, check_template
from tests.template_server import TemplateServer

pytestmark = pytest.mark.oracle

DROPPED = "content beside tool calls (dropped)"
FOUR = "system, user, assistant, content beside tool calls"


class Row(NamedTuple):
    """One row of the table of templates: whether earlier reasoning goes, and the findings of the other columns."""

    strips: bool
    date: str
    string_arguments: str | None  # None where tool calls are not printed or the template raises before
    trims: str
    tools: str
    late_system: str
    knob: str | None = None  # that keeps the reasoning
    ids: str = "not printed"


NOTHING, IN_SYSTEM, FIRST = "nothing", "after the system text", "before the system text"
QWEN35 = Row(True, "none printed", "raises", f"{FOUR}, tool", FIRST, "raises")
LLAMA = Row(
    False,
    "always 26 Jul 2024",
    "quoted",
    f"system, user, assistant, {DROPPED}",
    "in the first user message",
    "in place",
)
DROPPING = Row(True, "none printed", "verbatim", NOTHING, "tools are not printed", "moved to the head")
GEMMA3 = Row(
    False, "none printed", None, "user, assistant", "tools are not printed", "raises", ids="raises in every shape"
)
GEMMA4 = Row(True, "none printed", "verbatim", FOUR, IN_SYSTEM, "in place")
NEMOTRON = Row(True, "none printed", "raises", "assistant", IN_SYSTEM, "in place", "truncate_history_thinking=false")
ROWS = {
    "qwen3": Row(True, "none printed", "verbatim", NOTHING, IN_SYSTEM, "in place"),
    "qwen3_5_think": QWEN35,
    "qwen3_5_nothink": QWEN35,
    "qwen3_6": QWEN35._replace(knob="preserve_thinking=true"),
    "qwen3_8": QWEN35._replace(strips=False),
    "gptoss": Row(True, "follows the clock", "quoted", DROPPED, IN_SYSTEM, "dropped"),
    "llama3_1": LLAMA,
    "llama3_2": LLAMA._replace(date="follows the clock"),
    "deepseekv3": DROPPING,
    "deepseek_r1_distill": DROPPING._replace(string_arguments=None),
    "glm4moe": Row(True, "none printed", "raises", "assistant, content beside tool calls", FIRST, "in place"),
    "gemma3": GEMMA3,
    "gemma4": GEMMA4,
    "gemma4_v2": GEMMA4._replace(trims=f"{FOUR}, tool"),
    "gemma4_v3": GEMMA4,
    "gemma4_v4": GEMMA4,
    "gemma4_v5": GEMMA4._replace(string_arguments="raises"),
    "nemotron_3_nano": NEMOTRON._replace(trims="assistant, content beside tool calls"),
    "nemotron_3_super": NEMOTRON._replace(trims="assistant, content beside tool calls"),
    "nemotron_3_ultra": NEMOTRON,
    "nemotron_3_5_lightning": NEMOTRON,
}
PURE = ("qwen2_5", "qwen3_instruct_2507", "qwen3_8", "llama3_1", "lfm2")
GENERATION_PROMPT = (
    "deepseek_r1_distill", "deepseekv3", "nemotron_3_nano", "nemotron_3_super", "nemotron_3_ultra",
    "nemotron_3_5_lightning", "qwen3_5_think", "qwen3_5_nothink", "qwen3_6",
)  # fmt: skip
EMPTY_BLOCK = ("qwen3_5_think", "qwen3_5_nothink", "qwen3_6")
PARTS_ONLY = ("llava_next", "idefics3", "smolvlm")


@cache
def checked(folder: Path) -> dict[str, TemplateCheck]:
    return {path.stem: check_template(path.stem, path.read_text("utf-8")) for path in sorted(folder.glob("*.jinja"))}


@pytest.fixture
def checks(oracles: Path) -> dict[str, TemplateCheck]:
    return checked(oracles / "templates")


def probe(check: TemplateCheck, behaviour: Behaviour) -> ProbeResult:
    return next(one for one in check.probes if one.behaviour == behaviour)


def original(checks: dict[str, TemplateCheck]) -> dict[str, TemplateCheck]:
    """Without the variants that were made for training."""
    return {name: check for name, check in checks.items() if not name.endswith("_training")}


@pytest.mark.parametrize("name", ROWS)
def test_a_row_of_the_table(name: str, checks: dict[str, TemplateCheck]) -> None:
    row, check = ROWS[name], checks[name]
    reasoning = probe(check, "reasoning-stripped")
    assert (reasoning.verdict == "not-pure", reasoning.knob) == (row.strips, row.knob)
    assert probe(check, "date").finding == row.date
    arguments = probe(check, "arguments")
    if row.string_arguments is not None:
        assert arguments.finding.endswith(f"string: {row.string_arguments}")
    else:
        assert arguments.verdict in ("not-applicable", "raises")
    assert probe(check, "trims").finding == row.trims
    assert probe(check, "tools-relocated").finding == row.tools
    assert probe(check, "late-system").finding == row.late_system
    assert probe(check, "tool-ids").finding == row.ids


@pytest.mark.parametrize("name", PURE)
def test_pure_under_every_probe(name: str, checks: dict[str, TemplateCheck]) -> None:
    check = checks[name]
    assert check.verdict == "pure" and not [one for one in check.probes if one.verdict == "not-pure"]


def test_whose_generation_prompt_is_not_replayed(checks: dict[str, TemplateCheck]) -> None:
    broken = [name for name, one in original(checks).items() if probe(one, "generation-prompt").verdict == "not-pure"]
    assert sorted(broken) == sorted(GENERATION_PROMPT)
    assert probe(checks["qwen3_6"], "generation-prompt").knob == "preserve_thinking=true"
    assert probe(checks["qwen3_5_think"], "generation-prompt").knob is None
    nemotron = probe(checks["nemotron_3_nano"], "generation-prompt")
    assert (nemotron.knob, nemotron.knob_changes_prompt) == ("enable_thinking=false", True)


def test_who_loses_an_empty_think_block(checks: dict[str, TemplateCheck]) -> None:
    broken = [name for name, one in original(checks).items() if probe(one, "empty-think-block").verdict == "not-pure"]
    assert sorted(broken) == sorted(EMPTY_BLOCK)
    for name in EMPTY_BLOCK:
        found = probe(checks[name], "empty-think-block").evidence
        assert found is not None and found.old.startswith("<think>\n\n</think>") and "<think>" not in found.new[:8]


def test_who_breaks_inside_the_tool_loop(checks: dict[str, TemplateCheck]) -> None:
    broken = {name for name, one in original(checks).items() if probe(one, "tool-loop").verdict == "not-pure"}
    assert broken == {"qwen3_5_nothink", "deepseekv3", "deepseek_r1_distill"}
    assert probe(checks["qwen3_5_nothink"], "tool-loop").knob == "enable_thinking=true"


def test_qwen3_that_must_not_think_does_not_replay_its_generation_prompt(oracles: Path) -> None:
    source = (oracles / "templates" / "qwen3.jinja").read_text("utf-8")
    found = probe(check_template("qwen3", source, {"enable_thinking": False}), "generation-prompt")
    assert found.verdict == "not-pure" and found.evidence is not None
    assert found.evidence.old == "<think>\n\n</think>\n\n"


def test_deepseek_v3_takes_only_text_as_arguments(checks: dict[str, TemplateCheck]) -> None:
    found = probe(checks["deepseekv3"], "arguments")
    assert (found.verdict, found.finding) == ("raises", "object: raises; string: verbatim")


def test_booleans_of_python_in_markup(checks: dict[str, TemplateCheck]) -> None:
    python = {name for name, one in original(checks).items() if "True" in probe(one, "arguments").finding}
    assert {"qwen3_5_think", "nemotron_3_nano"} <= python and not {"qwen3_6", "qwen3_8", "gptoss"} & python


@pytest.mark.parametrize("name", ["llama3", "phi3", "cohere2", "qwen2_5_vl"])
def test_who_prints_no_tools(name: str, checks: dict[str, TemplateCheck]) -> None:
    found = probe(checks[name], "tools-relocated")
    assert (found.verdict, found.message) == ("not-applicable", "tools are not printed")


@pytest.mark.parametrize("name", PARTS_ONLY)
def test_who_needs_content_parts(name: str, checks: dict[str, TemplateCheck]) -> None:
    assert "content as parts" in probe(checks[name], "generation-prompt").shape


def test_gemma_takes_no_system_message(checks: dict[str, TemplateCheck]) -> None:
    assert "without system" in probe(checks["gemma"], "generation-prompt").shape
    refused = probe(checks["gemma"], "tool-loop")
    assert refused.verdict == "raises" and "System role not supported" in str(refused.message)
    assert checks["gemma"].verdict == "cannot-tell"


def test_the_date_of_llama_3_2_can_be_fixed(checks: dict[str, TemplateCheck]) -> None:
    assert probe(checks["llama3_2"], "date").knob == "date_string=26 Jul 2024"
    assert probe(checks["gptoss"], "date").knob is None


def test_gpt_oss_is_rendered_by_code_of_the_server(checks: dict[str, TemplateCheck]) -> None:
    assert {name for name, one in checks.items() if HARMONY in one.notes} == {"gptoss", "gptoss_training"}


def test_a_server_shows_what_its_template_shows(oracles: Path) -> None:
    """The answers of a server lead to the same verdicts, also with the server's own clock."""
    for name in ("gptoss", "qwen3_6", "llama3_2"):
        source = (oracles / "templates" / f"{name}.jinja").read_text("utf-8")
        offline = check_template(name, source)
        with TemplateServer(source) as server:
            live = check_server(VllmServer(server.url), time.time())
        for here, there in zip(offline.probes, live.probes, strict=True):
            if here.behaviour != "arguments":  # a server parses strings itself
                assert (there.verdict, there.finding, there.knob) == (here.verdict, here.finding, here.knob), name


def test_what_was_made_for_training_keeps_its_history(checks: dict[str, TemplateCheck]) -> None:
    assert {checks[f"{name}_training"].verdict for name in ("qwen3", "qwen3_5_think", "qwen3_6")} == {"pure"}


def test_groups(checks: dict[str, TemplateCheck]) -> None:
    groups = [{check.name for check in group} for group in behaving_alike(checks.values())]
    assert sum(map(len, groups)) == len(checks) >= 72
    assert {"qwen2_5", "qwen2_5_training"} in groups and {"gemma4", "gemma4_v3", "gemma4_v4"} in groups
    assert next(group for group in groups if "qwen3" in group) == {"qwen3"}
