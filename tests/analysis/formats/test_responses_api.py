"""Pairs of /v1/responses: recorded on vLLM 0.32, and a chain made after OpenAI's API reference (conversation state)."""

import json

import pytest

from analysis.formats import responses_api
from analysis.formats.base import FormatError
from tests.builders import read_log
from tests.format_samples import counts, log_of_sample, turns


def test_recorded_counts() -> None:
    log = log_of_sample("openai-responses/recorded.jsonl")
    assert counts(log) == [(409, 0), (409, 384)]
    assert [session.inferred for session in log.sessions] == [True]


def test_a_chain_is_one_session_with_the_whole_history() -> None:
    log = log_of_sample("openai-responses/chain.jsonl")
    chain, _rest = log.sessions
    first, second = chain.turns
    assert chain.session_id == "resp_1" and counts(log)[:2] == [(60, 0), (90, 48)]
    assert [message["role"] for message in second.request.messages] == ["system", "user", "assistant", "tool"]
    assert second.request.messages[:2] == first.request.messages and second.request.messages[2] == first.reply
    assert first.reply is not None and first.reply["reasoning"] == "I must look."
    assert second.request.tools[0]["function"] == {
        "name": "look",
        "description": "Look.",
        "parameters": {"type": "object", "properties": {}},
    }


def test_a_chain_without_its_beginning_says_so() -> None:
    *_chain, last = turns(log_of_sample("openai-responses/chain.jsonl"))
    assert last.completeness == {"truncated"} and last.lacks_head
    assert [message["role"] for message in last.request.messages] == ["user"], "instructions are of one request"


def test_the_response_of_a_stream_is_that_of_its_last_event() -> None:
    event = {"type": "response.completed", "response": {"id": "r", "usage": {"input_tokens": 5}, "output": []}}
    stream = 'event: x\ndata: {"type": "response.created", "response": {}}\n\ndata: ' + json.dumps(event)
    line = {"path": "/v1/responses", "request": {"model": "m", "input": "hi"}, "response_sse": stream}
    (turn,) = turns(read_log(json.dumps(line).encode(), "f", "f"))
    assert (turn.request_id, turn.usage.prompt_tokens, turn.usage.cached_basis) == ("r", 5, "omitted")


@pytest.mark.parametrize("line", [{"request": {"model": "m"}}, {"request": {"input": "x"}, "status": 500}])
def test_without_one_request_it_is_refused(line: object) -> None:
    with pytest.raises(FormatError, match=r"^f: no request in it that could be read\. Whymiss reads OpenAI Responses"):
        responses_api.read(json.dumps(line).encode(), "f", "f")


@pytest.mark.parametrize("field", ["session_id", "prompt_cache_key", "conversation"])
def test_session_keys(field: str) -> None:
    line = {"request": {"model": "m", "input": "x", "instructions": "i", field: "k"}}
    assert responses_api.read(json.dumps(line).encode(), "f", "f").sessions[0].session_id == "k"
    traced = {**line, "trace_id": "t"}
    assert responses_api.read(json.dumps(traced).encode(), "f", "f").sessions[0].session_id == "k"
