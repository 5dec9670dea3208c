"""Recorded sessions without their ids, rendered again with the real Qwen3 tokenizer and chat template."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from analysis.live.renderer import LiveRenderer
from analysis.live.vllm import VllmServer
from analysis.model.finding import TurnAnalysis
from analysis.model.record import TurnRecord
from analysis.model.renderer import Renderer
from analysis.model.settings import Settings
from analysis.pipeline.analyse import analyse
from analysis.pipeline.compare import compare
from analysis.pipeline.sources import LogFile
from analysis.render.template import TemplateRenderer
from tests.builders import RECORDED, analysed, lines_of, read_log
from tests.replay_server import ReplayServer, exchange

pytestmark = pytest.mark.oracle

ID_FIELDS = ("prompt_token_ids", "token_ids", "oracle")
CHATS = {path.stem: path for path in RECORDED if all(line["path"] == "/v1/chat/completions" for line in lines_of(path))}
PAIRS = {  # two recorded renders -> where they part: token, field now, field before, reusable in blocks of 16
    ("render_reasoning_content_last_turn", "render_toolcall_args_string_compact"): (
        243,
        "messages[2].tool_calls[0]",
        "messages[2].reasoning",
        240,
    ),
    ("render_tools", "render_multiturn"): (8, "messages[0].content", "messages[0].content", 0),
}
RESPACED = (3, 5, 7)  # turns of compact-json-arguments that follow a reply in other spacing than its replay


@pytest.fixture(scope="module")
def qwen3(oracles: Path) -> TemplateRenderer:
    return TemplateRenderer.load(str(oracles / "tokenizers" / "qwen3"))


def block_size(name: str) -> int:
    return next((size for size in (128, 32) if name.endswith(f"block{size}")), 16)


def stripped(value: Any) -> Any:
    """A record without token ids, those in the chunks of a stream included."""
    if isinstance(value, dict):
        return {key: stripped(inner) for key, inner in value.items() if key not in ID_FIELDS}
    if isinstance(value, list):
        return [stripped(inner) for inner in value]
    if isinstance(value, str) and value.startswith("data: "):
        return "\n".join(
            f"data: {json.dumps(stripped(json.loads(line[6:])))}" if line.startswith("data: {") else line
            for line in value.splitlines()
        )
    return value


def rendered(name: str, renderer: TemplateRenderer) -> dict[int, TurnAnalysis]:
    text = "\n".join(json.dumps(stripped(line)) for line in lines_of(CHATS[name]))
    log = read_log(text.encode(), name, name)
    assert all(turn.prompt_ids is turn.output_ids is None for session in log.sessions for turn in session.turns)
    found = analyse(log.sessions, lambda model: renderer, Settings(block_size(name)))
    return {turn.turn.line: turn for session in found for turn in session.turns}


def test_all_recorded_chats_are_here() -> None:
    assert len(CHATS) == 10
    assert sum(len(lines_of(path)) for path in CHATS.values()) == 99


@pytest.mark.parametrize("name", CHATS)
def test_rendered_ids_are_the_ids_of_the_server(name: str, qwen3: TemplateRenderer) -> None:
    logged = analysed(CHATS[name], None, block_size(name))
    for line, turn in rendered(name, qwen3).items():
        assert turn.fidelity == "exact"
        ids, truth = turn.full_ids, logged[line].full_ids
        assert ids is not None and truth is not None
        assert np.array_equal(ids[: turn.prompt_tokens], truth[: logged[line].prompt_tokens]), f"line {line}"


@pytest.mark.parametrize("name", sorted(CHATS.keys() - {"evicted-200-blocks"}))
def test_reusable_is_what_the_server_reused(name: str, qwen3: TemplateRenderer) -> None:
    """A reply that is replayed in other spacing is not known from its render: there one block is promised too many."""
    logged = analysed(CHATS[name], None, block_size(name))
    records = lines_of(CHATS[name])
    for line, turn in rendered(name, qwen3).items():
        cached = records[line - 1]["oracle"]["cached_tokens"]
        truth = (logged[line].reusable_tokens or 0) if cached is None else cached
        high = 16 if name == "compact-json-arguments" and line in RESPACED else 0
        assert turn.reusable_tokens == truth + high, f"line {line}"
        assert turn.generated_basis == "rendered"


def test_replies_that_skipped_thinking_are_a_lower_bound(qwen3: TemplateRenderer) -> None:
    """This model answered without the think block that the template prints for the latest reply."""
    logged = analysed(CHATS["evicted-200-blocks"], None)
    short = {
        line: (logged[line].reusable_tokens or 0) - (turn.reusable_tokens or 0)
        for line, turn in rendered("evicted-200-blocks", qwen3).items()
        if turn.reusable_tokens != logged[line].reusable_tokens
    }
    assert set(short.values()) == {16}, f"never too high, and one block at most: {short}"


def test_what_a_silent_server_could_reuse(qwen3: TemplateRenderer) -> None:
    turns = rendered("usage-details-off-block128", qwen3).values()
    assert sum(turn.reusable_tokens or 0 for turn in turns) == 3456
    assert {turn.turn.usage.cached_tokens for turn in turns} == {None}


@pytest.mark.parametrize(("pair", "expected"), PAIRS.items(), ids=[pair[1] for pair in PAIRS])
def test_two_bodies_part_at_the_same_place_by_server_and_by_template(
    pair: tuple[str, str], expected: tuple[int, str, str, int], qwen3: TemplateRenderer
) -> None:
    decode = qwen3._files.tokenizer.decode
    with ReplayServer("serve-block128", detokenize=lambda ids: str(decode(ids, skip_special_tokens=False))) as server:
        by_server = compared(pair, LiveRenderer(VllmServer(server.url)))
        assert "/v1/chat/completions/render" in server.paths()
    by_template = compared(pair, qwen3)
    for turn, basis in ((by_server, "searched"), (by_template, "provenance")):
        found = turn.divergence
        assert found is not None and found.segment is not None and found.previous_segment is not None
        assert found.segment_basis == basis
        assert (found.token, found.segment.path, found.previous_segment.path, turn.reusable_tokens) == expected
    assert by_server.divergence is not None and by_template.divergence is not None
    for side in ("segment", "previous_segment", "before", "old", "new"):
        assert getattr(by_server.divergence, side) == getattr(by_template.divergence, side)


def compared(pair: tuple[str, str], renderer: Renderer) -> TurnRecord:
    """The later of two recorded bodies against the earlier one, as the command line compares them."""
    bodies = [LogFile(f"{name}.json", json.dumps(exchange("serve-block128", name).sent).encode()) for name in pair]
    return compare(bodies, lambda model: renderer, Settings(16, "given")).turns[-1]
