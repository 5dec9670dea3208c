"""Spans after OpenInference's semantic conventions (arize-ai.github.io/openinference/spec)."""

import json

import pytest

from analysis.formats.attributes import tree
from analysis.formats.openinference import agent, call, kind, message, tools
from analysis.model.session import Json, Usage

USER = {"role": "user", "content": "hi"}
TOOL = {"type": "function", "function": {"name": "f", "parameters": {}}}
CALL = {"id": "c1", "type": "function", "function": {"name": "f", "arguments": "{}"}}
ONE: dict[str, Json] = {"llm.input_messages.0.message.role": "user", "llm.input_messages.0.message.content": "hi"}


def test_the_kind_decides_what_a_span_is() -> None:
    known = tree({"openinference.span.kind": "agent", "agent.name": "planner"}.items())
    assert (kind(known), agent(known, "s")) == ("AGENT", "planner")
    assert (kind({}), agent(tree({"openinference.span.kind": "LLM"}.items()), "s")) == ("", None)


@pytest.mark.parametrize(
    ("item", "sent"),
    [
        pytest.param({"message": {"role": "user", "content": "hi"}}, USER, id="text"),
        pytest.param(
            tree(
                {
                    "message.role": "assistant",
                    "message.tool_calls.0.tool_call.id": "c1",
                    "message.tool_calls.0.tool_call.function.name": "f",
                    "message.tool_calls.0.tool_call.function.arguments": "{}",
                }.items()
            ),
            {"role": "assistant", "content": None, "tool_calls": [CALL]},
            id="a numbered call",
        ),
        pytest.param(
            {
                "message.role": "assistant",
                "message.tool_calls": [
                    {"tool_call.id": "c1", "tool_call.function.name": "f", "tool_call.function.arguments": "{}"}
                ],
            },
            {"role": "assistant", "content": None, "tool_calls": [CALL]},
            id="a call in a table",
        ),
        pytest.param(
            {"message": {"role": "tool", "content": "r", "tool_call_id": "c1"}},
            {"role": "tool", "content": "r", "tool_call_id": "c1"},
            id="a result",
        ),
        pytest.param(
            tree(
                {
                    "message.role": "user",
                    "message.contents.0.message_content.type": "text",
                    "message.contents.0.message_content.text": "hi",
                }.items()
            ),
            USER,
            id="one part",
        ),
        pytest.param(
            tree(
                {
                    "message.role": "user",
                    "message.contents.0.message_content.text": "hi",
                    "message.contents.1.message_content.type": "image",
                    "message.contents.1.message_content.image.image.url": "http://h/i.png",
                }.items()
            ),
            {
                "role": "user",
                "content": [
                    {"type": "text", "text": "hi"},
                    {"type": "image_url", "image_url": {"url": "http://h/i.png"}},
                ],
            },
            id="an image",
        ),
        pytest.param(
            {
                "message": {
                    "role": "assistant",
                    "contents": [{"message_content": {"type": "reasoning", "text": "so"}}],
                }
            },
            {"role": "assistant", "content": None, "reasoning": "so"},
            id="reasoning",
        ),
    ],
)
def test_a_numbered_message(item: Json, sent: Json) -> None:
    assert message(item) == sent


@pytest.mark.parametrize(
    ("attributes", "messages", "lacks"),
    [
        pytest.param(ONE, ["hi"], set(), id="numbered"),
        pytest.param(
            {**ONE, "input.value": json.dumps({"messages": [USER]})}, ["hi"], set(), id="the same in the request"
        ),
        pytest.param({"llm.input_messages.1.message.content": "hi"}, ["hi"], {"truncated"}, id="the first was dropped"),
        pytest.param(
            {"llm.input_messages.1.message.content": "hi", "input.value": json.dumps({"messages": [USER, USER]})},
            ["hi", "hi"],
            set(),
            id="the request has it",
        ),
        pytest.param({**ONE, "input.value": "hi"}, ["hi"], set(), id="text beside messages is not asked"),
    ],
)
def test_the_request_is_asked_where_messages_were_dropped(
    attributes: dict[str, Json], messages: list[str], lacks: set[str]
) -> None:
    found = call(tree(attributes.items()))
    assert ([message["content"] for message in found.messages], found.lacks) == (messages, lacks)
    assert not found.is_text


def test_text_alone_is_marked_as_such() -> None:
    found = call(tree({"input.value": "hi", "output.value": "ho"}.items()))
    assert found.is_text and [*found.messages] == [USER]


@pytest.mark.parametrize(
    ("attributes", "usage"),
    [
        ({"prompt": 100, "completion": 5, "prompt_details.cache_read": 90}, Usage(100, 5, 90, "reported")),
        (
            {"prompt": 10, "completion": 5, "prompt_details.cache_read": 90, "total": 105},
            Usage(100, 5, 90, "reported"),
        ),
        ({"prompt": 100, "completion": 5}, Usage(100, 5, None, "omitted")),
    ],
)
def test_counts(attributes: dict[str, Json], usage: Usage) -> None:
    assert call(tree((f"llm.token_count.{name}", number) for name, number in attributes.items())).usage == usage


def test_the_response_knows_why_a_count_is_missing() -> None:
    response = {
        "choices": [],
        "usage": {"prompt_tokens": 100, "completion_tokens": 5, "prompt_tokens_details": None},
        "system_fingerprint": "vllm-0.32.0-x",
        "id": "r1",
    }
    found = call(tree({"llm.token_count.prompt": 100, "output.value": json.dumps(response)}.items()))
    assert found.usage == Usage(100, 5, None, "disabled")
    assert (found.request_id, found.server_version) == ("r1", "vllm-0.32.0-x")


def test_tools_and_parameters() -> None:
    attributes: dict[str, Json] = {
        **ONE,
        "llm.tools.0.tool.json_schema": json.dumps(TOOL),
        "llm.invocation_parameters": '{"model": "m", "reasoning_effort": "low"}',
    }
    found = call(tree(attributes.items()))
    assert [*found.tools] == [*tools(tree(attributes.items()))] == [TOOL]
    assert (found.model, found.parameters["reasoning_effort"]) == ("m", "low")
    assert [*tools({})] == []
