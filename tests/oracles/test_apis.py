"""Requests to /v1/messages and /v1/responses, rendered with the real Qwen3 template, against what vLLM 0.32 said."""

import json
from pathlib import Path

import pytest

from analysis.model.settings import Settings
from analysis.pipeline.analyse import analyse
from analysis.render.template import TemplateRenderer
from tests.builders import read_log
from tests.format_samples import sample, turns

pytestmark = pytest.mark.oracle

ASKED = {
    "model": "qwen3-tiny",
    "max_tokens": 64,
    "system": "You are helpful.",
    "messages": [
        {"role": "user", "content": "hi"},
        {"role": "assistant", "content": [{"type": "text", "text": "hello"}]},
        {"role": "user", "content": "bye"},
    ],
}
RENDERED = (  # the ids of POST /v1/messages/render
    *(151644, 8948, 198, 2610, 525, 10950, 13, 151645, 198, 151644, 872, 198, 6023, 151645, 198, 151644, 77091),
    *(198, 14990, 151645, 198, 151644, 872, 198, 28374, 151645, 198, 151644, 77091, 198),
)
RESPONSES_RENDERED = (  # of POST /v1/responses/render
    *(151644, 8948, 198, 3430, 9814, 13, 151645, 198, 151644, 872, 198, 6023, 151645, 198, 151644, 77091, 198),
)


@pytest.fixture(scope="module")
def qwen3(oracles: Path) -> TemplateRenderer:
    return TemplateRenderer.load(str(oracles / "tokenizers" / "qwen3"))


def test_a_request_to_messages_renders_to_the_servers_ids(qwen3: TemplateRenderer) -> None:
    (turn,) = turns(read_log(json.dumps(ASKED).encode(), "f", "f"))
    assert qwen3.prompt_ids(turn.request, None).tolist() == list(RENDERED)


def test_a_request_to_responses_renders_to_the_servers_ids(qwen3: TemplateRenderer) -> None:
    asked = {"model": "qwen3-tiny", "input": "hi", "instructions": "Be brief."}
    (turn,) = turns(read_log(json.dumps(asked).encode(), "f", "f"))
    assert qwen3.prompt_ids(turn.request, None).tolist() == list(RESPONSES_RENDERED)


@pytest.mark.parametrize("name", ["anthropic-messages/recorded.jsonl", "openai-responses/recorded.jsonl"])
def test_recorded_requests_render_to_as_many_tokens_as_the_server_counted(name: str, qwen3: TemplateRenderer) -> None:
    log = read_log(sample(name).read_bytes(), name, name)
    (session,) = analyse(log.sessions, lambda model: qwen3, Settings(128))
    assert [turn.fidelity for turn in session.turns] == ["exact", "exact"]
    assert session.turns[1].reusable_tokens == session.turns[1].turn.usage.cached_tokens == 384
