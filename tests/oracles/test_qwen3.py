"""Recorded sessions without their ids, rendered again with the real Qwen3 tokenizer and chat template."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from analysis.formats import read_log
from analysis.model.finding import TurnAnalysis
from analysis.model.settings import Settings
from analysis.pipeline.analyse import analyse
from analysis.render.template import TemplateRenderer
from tests.builders import RECORDED, analysed, lines_of

pytestmark = pytest.mark.oracle

ID_FIELDS = ("prompt_token_ids", "token_ids", "oracle")
CHATS = {path.stem: path for path in RECORDED if all(line["path"] == "/v1/chat/completions" for line in lines_of(path))}
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
