"""Requests and replies in the shapes that tracing tools keep; the Langfuse samples show them as they are found."""

import json

import pytest

from analysis.formats.loose_messages import DEEPEST, asked, chat_messages, reply
from analysis.model.session import Json

USER = {"role": "user", "content": "hi"}
SYSTEM = {"role": "system", "content": "s"}
TOOL = {"type": "function", "function": {"name": "f", "parameters": {}}}
CALL = {"id": "c1", "type": "function", "function": {"name": "f", "arguments": "{}"}}
CALLING = {"role": "assistant", "content": None, "tool_calls": [CALL]}
RESULT = {"role": "tool", "tool_call_id": "c1", "content": "r"}
ITEMS: list[Json] = [
    {"role": "user", "content": "hi"},
    {"type": "function_call", "call_id": "c1", "name": "f", "arguments": "{}"},
    {"type": "function_call_output", "call_id": "c1", "output": "r"},
]
LANGCHAIN = {"lc": 1, "type": "constructor", "id": ["messages", "HumanMessage"], "kwargs": {"content": "hi"}}


@pytest.mark.parametrize(
    ("value", "messages", "num_tools"),
    [
        pytest.param([USER], [USER], 0, id="a list"),
        pytest.param(json.dumps([USER]), [USER], 0, id="the text of a list"),
        pytest.param({"messages": [SYSTEM, USER], "tools": [TOOL]}, [SYSTEM, USER], 1, id="a request"),
        pytest.param(json.dumps({"messages": [USER], "tools": [TOOL]}), [USER], 1, id="the text of a request"),
        pytest.param({"system": "s", "messages": [USER]}, [SYSTEM, USER], 0, id="Anthropic's"),
        pytest.param({"instructions": "s", "input": "hi"}, [SYSTEM, USER], 0, id="the Responses API's, with text"),
        pytest.param(
            ITEMS, [USER, {"role": "assistant", "tool_calls": [CALL]}, RESULT], 0, id="the Responses API's items"
        ),
        pytest.param({"messages": [[LANGCHAIN]]}, [USER], 0, id="LangChain's batch of one"),
        pytest.param({"prompt": "hi"}, [USER], 0, id="the AI SDK's prompt"),
        pytest.param([USER, {"role": "tool", "content": TOOL}], [USER], 1, id="LangGraph's tools"),
        pytest.param(USER, [USER], 0, id="one message"),
        pytest.param([{"role": "user", "parts": [{"type": "text", "content": "hi"}]}], [USER], 0, id="parts"),
        pytest.param([{**USER, "id": "x", "name": None}], [USER], 0, id="what an API does not take is left out"),
        pytest.param({"messages": []}, [], 0, id="no messages"),
        pytest.param({"a": 1}, [], 0, id="no request"),
        pytest.param(None, [], 0, id="nothing"),
        pytest.param(" ", [], 0, id="blanks"),
        pytest.param([{"type": "text"}], [], 0, id="no message in it"),
    ],
)
def test_a_request_in_any_shape(value: Json, messages: list[Json], num_tools: int) -> None:
    found = asked(value)
    assert ([*found.messages], [*found.tools]) == (messages, [TOOL] * num_tools)
    assert not found.is_text


@pytest.mark.parametrize(
    "value", ["user: hi", ["role='user' content='hi'"], {"messages": ["role='user'"]}], ids=["text", "texts", "within"]
)
def test_text_has_no_roles(value: Json) -> None:
    found = asked(value)
    assert found.is_text and [message["role"] for message in found.messages] == ["user"]


def test_what_stands_beside_the_messages_is_kept() -> None:
    assert asked({"messages": [USER], "reasoning_effort": "low"}).fields == {"reasoning_effort": "low"}


def test_holders_within_holders_end_somewhere() -> None:
    value: Json = [USER]
    for _ in range(DEEPEST + 2):
        value = {"input": value}
    assert asked(value).messages == ()


@pytest.mark.parametrize(
    ("value", "message"),
    [
        pytest.param("hi", {"role": "assistant", "content": "hi"}, id="text"),
        pytest.param({"choices": [{"message": CALLING}]}, CALLING, id="a completion"),
        pytest.param(json.dumps({"choices": [{"message": CALLING}]}), CALLING, id="the text of one"),
        pytest.param(
            {"type": "message", "role": "assistant", "content": [{"type": "text", "text": "hi"}]},
            {"role": "assistant", "content": "hi"},
            id="Anthropic's",
        ),
        pytest.param(
            {"object": "response", "output": [ITEMS[1]]}, {"role": "assistant", "tool_calls": [CALL]}, id="Responses"
        ),
        pytest.param(
            {"generations": [[{"text": "hi"}]]}, {"role": "assistant", "content": "hi"}, id="LangChain's completion"
        ),
        pytest.param([{"toolCallId": "c1", "toolName": "f", "input": "{}"}], CALLING, id="the AI SDK's calls"),
        pytest.param(
            {"text": "hi", "toolCalls": [{"toolCallId": "c1", "toolName": "f", "args": {}}]},
            {**CALLING, "content": "hi"},
            id="the AI SDK's text and calls",
        ),
        pytest.param(CALLING, CALLING, id="a message"),
        pytest.param({"messages": [USER, CALLING]}, CALLING, id="the last of several"),
        pytest.param(
            {"output": {"role": "assistant", "content": "hi"}}, {"role": "assistant", "content": "hi"}, id="in"
        ),
        pytest.param(None, None, id="nothing"),
        pytest.param("", None, id="no text"),
        pytest.param({}, None, id="an empty object"),
    ],
)
def test_a_reply_in_any_shape(value: Json, message: Json) -> None:
    assert reply(value) == message


@pytest.mark.parametrize(
    ("message", "sent"),
    [
        pytest.param(
            {
                "role": "assistant",
                "content": [
                    {"type": "reasoning", "text": "so"},
                    {"type": "text", "text": "hi"},
                    {"type": "tool-call", "toolCallId": "c1", "toolName": "f", "input": {}},
                ],
            },
            [{"role": "assistant", "content": "hi", "reasoning": "so", "tool_calls": [CALL]}],
            id="the AI SDK's call",
        ),
        pytest.param(
            {
                "role": "tool",
                "content": [{"type": "tool-result", "toolCallId": "c1", "output": {"type": "text", "value": "r"}}],
            },
            [RESULT],
            id="the AI SDK's result",
        ),
        pytest.param(
            {"role": "tool", "content": [{"type": "tool-result", "toolCallId": "c1", "result": "r"}]},
            [RESULT],
            id="an older result",
        ),
        pytest.param(
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c1", "content": "r"}]},
            [RESULT],
            id="Anthropic's result",
        ),
        pytest.param(
            {"role": "user", "content": [{"type": "input_text", "text": "hi"}]}, [USER], id="the Responses API's text"
        ),
        pytest.param({"content": "hi"}, [], id="no role"),
    ],
)
def test_a_message_of_another_tool(message: dict[str, Json], sent: list[Json]) -> None:
    assert [*chat_messages([message])] == sent
