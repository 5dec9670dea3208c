"""What stands around a request, by any name, and which API it speaks."""

import json
from typing import Any

import pytest

from analysis.formats import jsontext, wrapper
from analysis.model.session import Json

CHAT: dict[str, Json] = {"model": "m", "messages": [{"role": "user", "content": "a"}]}
DONE: dict[str, Json] = {"model": "m", "messages": [{"role": "user"}, {"role": "assistant"}]}
RENDER: dict[str, Json] = {"token_ids": [1], "sampling_params": {}}


def fields(record: object) -> jsontext.Fields:
    return jsontext.fields(json.dumps(record).encode())


@pytest.mark.parametrize(
    ("record", "api"),
    [
        pytest.param({"request": CHAT}, "chat", id="a wrapped chat"),
        pytest.param(CHAT, "chat", id="a bare chat"),
        pytest.param({"prompt": "a", "model": "m"}, "chat", id="a bare completion"),
        pytest.param(DONE, None, id="a transcript"),
        pytest.param({**DONE, "choices": []}, "chat", id="a request with its answer"),
        pytest.param({"messages": CHAT["messages"]}, None, id="messages to nobody"),
        pytest.param({"request": {**CHAT, "system": "s"}}, "messages", id="system beside the messages"),
        pytest.param({"request": {**CHAT, "tools": [{"input_schema": {}}]}}, "messages", id="tools with input_schema"),
        pytest.param({"request": CHAT, "response": {"type": "message"}}, "messages", id="an answer that is a message"),
        pytest.param({"request": CHAT, "path": "/v1/messages?beta=true"}, "messages", id="the path of messages"),
        pytest.param({"request": CHAT, "response_sse": "event: message_start"}, "messages", id="a stream of messages"),
        pytest.param({"request": {"input": "a"}, "response": {"object": "response"}}, "responses", id="a response"),
        pytest.param({"request": {"input": "a"}, "path": "/v1/responses"}, "responses", id="the path of responses"),
        pytest.param({"input": "a", "model": "m", "instructions": "i"}, "responses", id="input with instructions"),
        pytest.param(
            {"request": {"input": "a", "model": "m"}, "response": {"object": "list"}}, None, id="an embedding"
        ),
        pytest.param({"custom_id": "a", "body": CHAT}, None, id="a line of a batch"),
        pytest.param({"type": "event_msg", "payload": CHAT}, None, id="a line of a rollout"),
        pytest.param({"type": "request", "payload": CHAT}, "chat", id="a payload of a proxy"),
        pytest.param({"request": {"token_ids": [1]}}, "tokens", id="a wrapped request of ids"),
        pytest.param({"token_ids": [1], "sampling_params": {}}, "render", id="a render"),
        pytest.param({"request": CHAT, "response": RENDER}, "render", id="a render as an answer"),
        pytest.param({"request": CHAT, "response": [RENDER]}, "render", id="renders as an answer"),
        pytest.param({"request": CHAT, "path": "/v1/messages/render"}, "render", id="the path of a render"),
        pytest.param({"request": {**CHAT, "tools": [{"name": "input_schema"}]}}, "chat", id="a tool that is called so"),
        pytest.param({"token_ids": [1]}, None, id="ids alone"),
        pytest.param({}, None, id="nothing"),
    ],
)
def test_which_api_a_pair_speaks(record: object, api: str | None) -> None:
    assert wrapper.api(fields(record)) == api


@pytest.mark.parametrize(
    ("record", "is_batch"),
    [
        ({"custom_id": "a", "body": {}}, True),
        ({"custom_id": "a", "response": {"body": {}}}, True),
        ({"custom_id": "a", "body": {}, "response": {"choices": []}}, False),
        ({"custom_id": "a", "request": {}, "response": {"body": {}}}, False),
        ({"body": {}}, False),
    ],
)
def test_lines_of_a_batch(record: object, is_batch: bool) -> None:
    assert wrapper.is_batch(fields(record)) is is_batch


def test_what_a_wrapper_says() -> None:
    record = {
        "ts_start": 1.0,
        "ended_at": 2.0,
        "ts_first_token": 1.5,
        "client": "c 1",
        "lineage": "title",
        "completeness": ["no_tools"],
        "server": {"dp_rank": 1},
        "note": "n",
    }
    assert wrapper.said(fields(record)) == {
        "started_at": 1.0,
        "ended_at": 2.0,
        "first_token_at": 1.5,
        "note": "n",
        "replica": "1",
        "lineage": "title",
        "client": "c 1",
        "lacks": {"no_tools"},
    }


@pytest.mark.parametrize(
    ("record", "replica"),
    [
        pytest.param({"server": {"replica": "a"}, "response": {"provider": "p"}}, "a", id="the server goes first"),
        pytest.param({"headers": {"X-Data-Parallel-Rank": 0}, "response": {"provider": "p"}}, "0", id="then the rank"),
        pytest.param({"server": {"replica": ""}, "response": {"provider": "p"}}, "p", id="then the provider"),
        pytest.param({"response": {"provider": None}}, None, id="a provider that is none"),
        pytest.param({"response": {"provider": {"name": "p"}}}, None, id="a provider that is no name"),
        pytest.param({"response": {"choices": [{"provider": "p"}]}}, None, id="the word within"),
        pytest.param({"response": ["provider"]}, None, id="the word in a list"),
        pytest.param({"response": json.dumps({"provider": "p"})}, None, id="an answer as text"),
        pytest.param({"response": None}, None, id="no answer"),
    ],
)
def test_who_served_a_request(record: object, replica: str | None) -> None:
    assert wrapper.replica(fields(record)) == replica


@pytest.mark.parametrize("said", [{}, {"provider": "p", "server": "a"}, {"provider": "p"}], ids=str)
def test_a_long_answer_is_split_once(monkeypatch: pytest.MonkeyPatch, said: dict[str, str]) -> None:
    """What it says is decoded by who reads it; it is split again only where no server is named and it may name one."""
    answer = {"id": "r", "choices": [], **{key: name for key, name in said.items() if key == "provider"}}
    record = fields({"request": CHAT, "response": answer, "server": {"replica": said.get("server")}})
    seen: list[str] = []
    for name in ("decode", "fields", "items"):
        real = getattr(jsontext, name)

        def noted(raw: Any, real: Any = real, name: str = name) -> Any:
            if bytes(raw) == json.dumps(answer).encode():
                seen.append(name)
            return real(raw)

        monkeypatch.setattr(jsontext, name, noted)
    assert wrapper.api(record) == "chat" and seen == ["fields"]
    assert wrapper.said(record)["replica"] == (said.get("server") or said.get("provider"))
    assert len(seen) == (2 if "provider" in said and "server" not in said else 1)


@pytest.mark.parametrize(("status", "failed"), [(200, False), (None, False), (429, True), ("failure", True)])
def test_failed_calls(status: Json, failed: bool) -> None:
    assert wrapper.failed(fields({"status": status})) is failed


def test_a_header_names_a_session_and_goes_no_further() -> None:
    record = fields({"headers": {"X-Session-Id": "s", "Authorization": "Bearer secret"}})
    assert wrapper.session_key(record, {}) == "s" and "secret" not in repr(wrapper.said(record))


@pytest.mark.parametrize(
    ("record", "body", "trace"),
    [
        ({"trace_id": "t"}, {"metadata": {"trace_id": "m"}}, "t"),
        ({"session_id": "s"}, {"metadata": {"trace_id": "m"}}, "m"),
        ({}, {"vllm_xargs": {"trace_id": 7}}, "7"),
        ({"trace_id": ""}, {}, None),
    ],
)
def test_a_trace_is_no_session(record: object, body: object, trace: str | None) -> None:
    assert wrapper.trace(fields(record), fields(body)) == trace
    assert wrapper.session_key(fields({"trace_id": "t"}), fields(body)) is None
    assert wrapper.session_key(fields({"trace_id": "t", "headers": {"X-Session-ID": "s"}}), fields(body)) == "s"


def test_bodies_as_text_are_read() -> None:
    record = fields({"request": json.dumps(CHAT)})
    assert wrapper.body_of(record) == CHAT and wrapper.body_of(fields({"request": "text"})) is None
    found = wrapper.raw(record, wrapper.REQUEST)
    assert found is not None and jsontext.decode(wrapper.unquoted(found)) == CHAT
    assert wrapper.value(record, ("nothing", "request")) == json.dumps(CHAT)
