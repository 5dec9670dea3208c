"""Requests of Inspect: raw bodies by the API they speak, and Inspect's own messages as it writes them."""

from typing import Any

import pytest

from analysis.formats.inspect_bodies import Asked, InspectBodies

USER = {"role": "user", "content": "hi"}
FUNCTION = {"type": "function", "function": {"name": "t", "parameters": {}}}


def raw(request: dict[str, Any], answer: dict[str, Any]) -> Asked:
    found = InspectBodies().raw(request, answer)
    assert found is not None
    return found


def own(*messages: dict[str, Any], **event: Any) -> Asked:
    return InspectBodies().own(messages, event)


def test_a_chat_request_is_as_it_was_sent() -> None:
    said = {"role": "assistant", "content": "yes"}
    found = raw({"messages": [USER], "tools": [FUNCTION]}, {"choices": [{"message": said}]})
    assert (found.messages, found.tools, found.reply) == ((USER,), (FUNCTION,), said)


def test_a_request_to_anthropic_is_written_as_vllm_does() -> None:
    request = {
        "system": [{"type": "text", "text": "S"}],
        "messages": [USER],
        "tools": [{"name": "t", "input_schema": {}}],
    }
    found = raw(request, {"type": "message", "content": [{"type": "text", "text": "yes"}]})
    assert found.messages == ({"role": "system", "content": "S"}, USER) and found.tools == (FUNCTION,)
    assert found.reply == {"role": "assistant", "content": "yes"}


@pytest.mark.parametrize("given", ["hi", [{"role": "user", "content": "hi"}]])
def test_a_request_of_the_responses_api_is_written_as_chat(given: Any) -> None:
    request = {"input": given, "instructions": "S", "tools": [{"type": "function", "name": "t", "parameters": {}}]}
    output = [{"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "yes"}]}]
    found = raw(request, {"object": "response", "output": output})
    assert found.messages == ({"role": "system", "content": "S"}, USER) and found.tools == (FUNCTION,)
    assert found.reply == {"role": "assistant", "content": "yes"}


@pytest.mark.parametrize(
    ("request_body", "answer"),
    [({}, {}), ({"contents": [USER]}, {"candidates": []}), ({"messages": [USER]}, {"output": {"message": USER}})],
    ids=["not logged", "Google", "Bedrock"],
)
def test_other_apis_are_passed_over(request_body: dict[str, Any], answer: dict[str, Any]) -> None:
    assert InspectBodies().raw(request_body, answer) is None


CALL = {"id": "c", "function": "t", "arguments": {"a": "é"}, "type": "function", "view": {"content": "shown"}}
WRITTEN = {"id": "c", "type": "function", "function": {"name": "t", "arguments": '{"a": "\\u00e9"}'}}


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ({"id": "m", "role": "system", "content": "S", "source": "input"}, {"role": "system", "content": "S"}),
        (
            {"role": "user", "content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]},
            {"role": "user", "content": "a\nb"},
        ),
        (
            {"role": "user", "content": [{"type": "text", "text": "a"}, {"type": "image", "image": "data:x"}]},
            {
                "role": "user",
                "content": [{"type": "text", "text": "a"}, {"type": "image_url", "image_url": {"url": "data:x"}}],
            },
        ),
        (
            {
                "role": "assistant",
                "content": [{"type": "reasoning", "reasoning": "R"}, {"type": "text", "text": "a"}],
                "tool_calls": [CALL],
            },
            {"role": "assistant", "content": "a", "reasoning": "R", "tool_calls": [WRITTEN]},
        ),
        (
            {"role": "tool", "content": "3", "tool_call_id": "c", "function": "t"},
            {"role": "tool", "tool_call_id": "c", "content": "3"},
        ),
        (
            {"role": "tool", "content": "", "tool_call_id": "c", "error": {"type": "timeout", "message": "late"}},
            {"role": "tool", "tool_call_id": "c", "content": "Error: late"},
        ),
    ],
    ids=["system", "texts", "an image", "a call", "a result", "an error"],
)
def test_own_messages_are_written_as_for_openai(message: dict[str, Any], expected: dict[str, Any]) -> None:
    assert own(message).messages == (expected,)


def test_own_tools_and_replies() -> None:
    found = own(
        tools=[{"name": "t", "parameters": {}, "options": 1}],
        output={"choices": [{"message": {"role": "assistant", "content": "yes"}}]},
    )
    assert found.tools == (FUNCTION,) and found.reply == {"role": "assistant", "content": "yes"}
    assert own(output={"choices": []}).reply is None


def test_a_message_that_comes_again_is_written_once() -> None:
    bodies, message = InspectBodies(), {"role": "user", "content": "hi"}
    first, second = bodies.own([message], {}), bodies.own([message], {})
    assert first.messages[0] is second.messages[0]
