"""Logs in which clients speak several APIs: every line is read by its own."""

import json

import pytest

from analysis.formats import exchanges, pairs
from analysis.formats.base import FormatError, Problems
from analysis.model.exchange import Exchange
from tests.builders import read_log
from tests.format_samples import counts, log_of_sample, record, turns

CHAT = {"request": {"model": "m", "messages": [{"role": "user", "content": "a"}]}, "response": {"choices": []}}
MESSAGES = {"request": {"model": "m", "messages": [], "system": "s"}, "response": {"type": "message"}}
RESPONSES = {"request": {"model": "m", "input": "a"}, "response": {"object": "response", "id": "r"}}
TOKENS = {"request": {"token_ids": [1]}, "path": "/inference/v1/generate"}
RENDER = {"token_ids": [1], "sampling_params": {}}


def lines(*taken: object) -> bytes:
    return "\n".join(map(json.dumps, taken)).encode()


def test_a_recording_of_several_apis_is_read_whole() -> None:
    log = log_of_sample("openai-chat/mixed.jsonl")
    assert [(session.session_id, session.log_format, len(session.turns)) for session in log.sessions] == [
        ("resp_1", "openai-responses", 2),
        ("inferred-0001", "openai-chat", 1),
        ("inferred-0002", "openai-chat", 2),
        ("s1", "anthropic-messages", 1),
    ]
    assert counts(log) == [(60, 0), (90, 48), (26, 0), (300, 0), (300, 256), (80, None)]
    chain = log.sessions[0].turns
    assert [message["role"] for message in chain[1].request.messages] == ["system", "user", "assistant", "tool"]
    assert [(one.line, one.message) for one in log.problems] == [(2, "a render, no call to the model: no turn.")]


@pytest.mark.parametrize(
    ("data", "api"),
    [
        pytest.param(lines(CHAT, MESSAGES), "chat", id="the first call decides"),
        pytest.param(lines(MESSAGES, CHAT), "messages", id="whatever it is"),
        pytest.param(lines({"a": 1}, RESPONSES, CHAT), "responses", id="behind what is no call"),
        pytest.param(lines(RENDER, TOKENS), "tokens", id="a call goes before a render"),
        pytest.param(lines(RENDER), "render", id="renders alone"),
        pytest.param(lines({**CHAT, "call_type": "completion"}), None, id="a field of another tool"),
        pytest.param(b"hello", None, id="nothing"),
    ],
)
def test_what_a_file_opens_with(data: bytes, api: str | None) -> None:
    assert pairs.opens_with(data) == api


def test_a_line_of_another_api_far_down_is_read_by_that() -> None:
    log = read_log(lines(*[CHAT] * 40, MESSAGES), "f", "s")
    assert [turn.line for turn in turns(log)] == list(range(1, 42))
    assert log.sessions[-1].log_format == "anthropic-messages"


def test_a_record_that_does_not_say_its_api_is_read_as_told_or_not_at_all() -> None:
    found = pairs.Pairs(Problems("f"))
    told = {"messages": [{"role": "user", "content": "a"}]}
    assert not found.take(1, record(told)) and found.take(2, record(told), "chat") and found.take(3, record(CHAT))
    assert [entry.turn.line for entry in found.entries()] == [2, 3]
    assert {session.log_format for session in found.sessions("f", "s", "har")} == {"har"}


def test_a_file_without_a_request_is_refused_with_the_first_reason() -> None:
    with pytest.raises(FormatError, match=r"^f: no request in it .* Whymiss reads X\. First problem: line 1: left out"):
        pairs.read(b'{"a": 1}', "f", "s", "chat", "X")


def test_what_the_recorder_writes_of_several_clients_is_read_whole() -> None:
    written = [
        exchanges.line(
            Exchange(
                path, "http://up", json.dumps(body).encode(), json.dumps(answer).encode(), False, 200, at, at, at + 1
            ),
            exchanges.fingerprint(b"key"),
        )
        for at, (path, body, answer) in enumerate(
            [
                ("/v1/chat/completions", CHAT["request"], {"id": "c1", "choices": []}),
                ("/v1/messages", MESSAGES["request"], {"type": "message", "id": "m1"}),
                ("/v1/responses", RESPONSES["request"], RESPONSES["response"]),
                ("/v1/responses", {"input": "b", "model": "m", "previous_response_id": "r"}, {"id": "r2"}),
            ],
            1,
        )
    ]
    log = read_log(b"".join(written), "f", "s")
    assert [[turn.request_id for turn in session.turns] for session in log.sessions] == [["c1"], ["m1"], ["r", "r2"]]
    assert [len(turn.request.messages) for turn in log.sessions[2].turns] == [1, 2]
