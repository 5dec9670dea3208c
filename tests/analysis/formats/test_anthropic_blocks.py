"""Content blocks as vLLM turns them into chat messages (vllm/entrypoints/anthropic/serving.py)."""

import pytest

from analysis.formats.anthropic_blocks import chat_messages, chat_tool, reply, system_message
from analysis.model.session import Json, JsonObject

TEXT: dict[str, Json] = {"type": "text", "text": "a"}
IMAGE: dict[str, Json] = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AA"}}
URL: dict[str, Json] = {"type": "image", "source": {"type": "url", "url": "http://x/y.png"}}
SHOWN: dict[str, Json] = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AA"}}


def result(content: Json) -> dict[str, Json]:
    return {"type": "tool_result", "tool_use_id": "t", "content": content}


def tool(content: Json) -> dict[str, Json]:
    return {"role": "tool", "tool_call_id": "t", "content": content}


def user(content: Json) -> dict[str, Json]:
    return {"role": "user", "content": content}


@pytest.mark.parametrize(
    ("content", "messages"),
    [
        pytest.param("a", [user("a")], id="a text"),
        pytest.param([TEXT], [user("a")], id="one block is its text"),
        pytest.param([TEXT, TEXT], [user([TEXT, TEXT])], id="several stay parts"),
        pytest.param([TEXT, IMAGE], [user([TEXT, SHOWN])], id="an image as data"),
        pytest.param([URL], [user([{"type": "image_url", "image_url": {"url": "http://x/y.png"}}])], id="an address"),
        pytest.param([result("r")], [tool("r")], id="a result alone"),
        pytest.param([TEXT, result([TEXT, TEXT])], [tool("a\na"), user("a")], id="results come first"),
        pytest.param([result([TEXT, IMAGE])], [tool("a"), user([SHOWN])], id="the image of a result"),
        pytest.param([result(None)], [tool("")], id="an empty result"),
        pytest.param([{"type": "text", "text": ""}], [], id="nothing said"),
    ],
)
def test_messages_of_a_user(content: Json, messages: list[JsonObject]) -> None:
    assert list(chat_messages(user(content))) == messages


def test_a_reply_has_its_thinking_text_and_calls() -> None:
    blocks: list[Json] = [
        {"type": "thinking", "thinking": "t", "signature": "s"},
        {"type": "redacted_thinking", "data": "x"},
        {"type": "text", "text": "a"},
        {"type": "tool_use", "id": "c", "name": "look", "input": {"b": 1, "a": "é"}},
        {"type": "tool_use", "id": "d", "name": "stop"},
    ]
    calls = [
        {"id": "c", "type": "function", "function": {"name": "look", "arguments": '{"b": 1, "a": "\\u00e9"}'}},
        {"id": "d", "type": "function", "function": {"name": "stop", "arguments": "{}"}},
    ]
    assert reply(blocks) == {"role": "assistant", "reasoning": "t", "tool_calls": calls, "content": "a"}
    assert reply([]) == {"role": "assistant"}
    assert reply([result("r")]) == {"role": "assistant", "content": "Tool result: r"}


def test_system_texts_are_joined_without_the_billing_line() -> None:
    billing: dict[str, Json] = {"type": "text", "text": "x-anthropic-billing-header: cch=1"}
    late: dict[str, Json] = {"role": "system", "content": [billing, {"type": "text", "text": "late"}]}
    assert list(system_message([billing, TEXT, TEXT], [late, user("u")])) == [{"role": "system", "content": "aalate"}]
    assert list(system_message("s")) == [{"role": "system", "content": "s"}]
    assert list(system_message(None)) == list(system_message([])) == list(system_message("")) == []


def test_a_tool_is_a_function() -> None:
    schema: dict[str, Json] = {"type": "object"}
    assert chat_tool({"name": "f", "description": "d", "input_schema": schema, "cache_control": {}}) == {
        "type": "function",
        "function": {"name": "f", "description": "d", "parameters": schema},
    }
