"""Pairs of /v1/messages: recorded on vLLM 0.32, and made after Anthropic's API reference (messages, streaming)."""

import json
from typing import Any

import pytest

from analysis.formats import anthropic_messages
from analysis.formats.base import FormatError
from analysis.model.session import Usage
from tests.builders import read_log
from tests.format_samples import counts, log_of_sample, sample, turns

TOOLS = "anthropic-messages/tools.jsonl"


def test_recorded_counts_include_what_was_cached() -> None:
    """The same prompt has 409 tokens in the recorded answer of /v1/responses."""
    log = log_of_sample("anthropic-messages/recorded.jsonl")
    assert counts(log) == [(409, 384), (409, 384)]
    first = next(turns(log))
    assert first.request_id.startswith("chatcmpl-") and first.request.model == "qwen3-tiny"
    assert first.reply is not None and set(first.reply) == {"role", "reasoning"}


def test_a_conversation_with_tools() -> None:
    log = log_of_sample(TOOLS)
    (session,) = log.sessions
    first, second = session.turns
    assert (session.session_id, session.inferred) == ("s1", False)
    assert [message["role"] for message in second.request.messages] == ["system", "user", "assistant", "tool", "user"]
    assert second.request.messages[:2] == first.request.messages
    assert second.request.messages[1] is first.request.messages[1], "converted once"
    assert second.request.messages[2] == first.reply
    assert first.request.messages[0]["content"] == "You fix code."
    assert [problem.line for problem in log.problems] == [3], "a failed call is no turn"


def test_a_stream_is_folded() -> None:
    _first, second = turns(log_of_sample(TOOLS))
    assert second.usage == Usage(92, 9, 64, "reported") and second.request_id == "msg_2"
    assert second.reply is not None and second.reply["content"] == "It divides by zero."
    assert second.reply["tool_calls"] == [
        {"id": "toolu_2", "type": "function", "function": {"name": "look", "arguments": '{"path": "b.py"}'}}
    ]


def test_a_count_that_is_not_there_is_unknown() -> None:
    first = next(turns(log_of_sample(TOOLS)))
    assert first.usage == Usage(80, 30, None, "omitted")


BODY: dict[str, Any] = {"model": "m", "system": "s", "messages": [{"role": "user", "content": "hi"}]}
ANSWER: dict[str, Any] = {"type": "message", "content": [{"type": "text", "text": "a"}], "usage": {"input_tokens": 3}}
LINES = {
    "bare": BODY,
    "a body as text": {"request": json.dumps(BODY), "response": json.dumps(ANSWER)},
    "events as a list": {"request": BODY, "response": [{"type": "message_start", "message": {"usage": {}}}]},
    "options": {"request": {**BODY, "chat_template_kwargs": {"a": 1}, "output_config": {"effort": "low"}}},
}


@pytest.mark.parametrize("line", LINES.values(), ids=LINES)
def test_shapes_of_a_line(line: dict[str, Any]) -> None:
    data = json.dumps(line).encode()
    (turn,) = turns(read_log(data, "f", "f"))
    assert turn.request.model == "m" and len(turn.request.messages) == 2
    assert turn.request.template_kwargs in ({}, {"a": 1, "reasoning_effort": "low"})


def test_what_is_no_request_is_refused() -> None:
    with pytest.raises(FormatError, match=r"^f: no request in it that could be read\. Whymiss reads Anthropic"):
        anthropic_messages.read(b'{"request": {"system": "s"}}', "f", "f")
    assert not anthropic_messages.sniff(sample("openai-responses/chain.jsonl").read_bytes())
