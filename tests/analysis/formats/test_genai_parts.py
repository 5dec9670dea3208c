"""Messages after the JSON schemas of OpenTelemetry's GenAI conventions (gen-ai-input-messages.json), and older ones."""

import pytest

from analysis.formats.genai_parts import (
    chat_message,
    chat_messages,
    function_tool,
    instructions,
    is_blacked_out,
    numbered,
    of_events,
    tool_call,
    written,
)
from analysis.model.session import Json

CALL = {"id": "c1", "type": "function", "function": {"name": "f", "arguments": '{"q": "é"}'}}


@pytest.mark.parametrize(
    ("message", "sent"),
    [
        pytest.param(
            {"role": "user", "parts": [{"type": "text", "content": "hi"}]},
            [{"role": "user", "content": "hi"}],
            id="text",
        ),
        pytest.param(
            {"role": "user", "parts": [{"type": "text", "content": "a"}, {"type": "text", "content": "b"}]},
            [{"role": "user", "content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]}],
            id="texts stay apart",
        ),
        pytest.param(
            {
                "role": "assistant",
                "parts": [
                    {"type": "reasoning", "content": "so"},
                    {"type": "tool_call", "id": "c1", "name": "f", "arguments": {"q": "é"}},
                ],
            },
            [{"role": "assistant", "content": None, "reasoning": "so", "tool_calls": [CALL]}],
            id="reasoning and a call",
        ),
        pytest.param(
            {"role": "tool", "parts": [{"type": "tool_call_response", "id": "c1", "response": {"n": 1}}]},
            [{"role": "tool", "tool_call_id": "c1", "content": '{"n": 1}'}],
            id="a result",
        ),
        pytest.param(
            {
                "role": "user",
                "parts": [{"type": "tool_call_response", "id": "c1", "result": "r"}, {"type": "text", "content": "go"}],
            },
            [{"role": "tool", "tool_call_id": "c1", "content": "r"}, {"role": "user", "content": "go"}],
            id="an older result, and text behind it",
        ),
        pytest.param(
            {"role": "user", "parts": [{"type": "uri", "modality": "image", "uri": "http://h/i.png"}]},
            [{"role": "user", "content": [{"type": "image_url", "image_url": {"url": "http://h/i.png"}}]}],
            id="an image",
        ),
        pytest.param(
            {"role": "user", "parts": [{"type": "blob", "mime_type": "image/png", "content": "AA=="}]},
            [{"role": "user", "content": [{"type": "image_url", "image_url": {"url": "data:image/png;base64,AA=="}}]}],
            id="an image's bytes",
        ),
        pytest.param(
            {"role": "user", "parts": [{"type": "text"}]}, [{"role": "user", "content": None}], id="blacked out"
        ),
    ],
)
def test_parts_become_messages(message: dict[str, Json], sent: list[Json]) -> None:
    assert [*chat_messages([message])] == sent


@pytest.mark.parametrize(
    ("part", "is_out"), [({"type": "text"}, True), ({"type": "text", "content": ""}, False), ({"type": "uri"}, False)]
)
def test_text_that_is_not_told_is_blacked_out(part: dict[str, Json], is_out: bool) -> None:
    assert is_blacked_out([{"role": "user", "parts": [part]}]) is is_out


@pytest.mark.parametrize(
    ("value", "content"),
    [
        ('[{"type": "text", "content": "You plan."}]', "You plan."),
        ("You plan.", "You plan."),
        ([{"content": "a"}, {"content": "b"}], [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]),
    ],
    ids=["parts", "text", "several"],
)
def test_instructions_are_the_system_message(value: Json, content: Json) -> None:
    assert [*instructions(value)] == [{"role": "system", "content": content}]


def test_no_instructions_are_no_message() -> None:
    assert [*instructions(None)] == [*instructions("")] == []


def test_numbered_attributes_are_messages_in_the_order_of_their_numbers() -> None:
    value = {
        "1": {"role": "tool", "tool_call_id": "c1", "content": "r"},
        "0": {"role": "assistant", "tool_calls": {"0": {"id": "c1", "name": "f", "arguments": '{"q": "é"}'}}},
        "2": {"role": "user", "content": '[{"type": "text", "text": "hi"}]'},
    }
    assert [*numbered(value)] == [
        {"role": "assistant", "content": None, "tool_calls": [CALL]},
        {"role": "tool", "content": "r", "tool_call_id": "c1"},
        {"role": "user", "content": "hi"},
    ]


def test_events_are_messages_by_their_names() -> None:
    events: list[tuple[str, dict[str, Json]]] = [
        ("gen_ai.system.message", {"content": "s"}),
        ("gen_ai.assistant.message", {"tool_calls": '[{"id": "c1", "function": {"name": "f", "arguments": "{}"}}]'}),
        ("gen_ai.tool.message", {"id": "c1", "content": "r"}),
        ("gen_ai.choice", {"message": "{}"}),
        ("exception", {}),
    ]
    calls = [{"id": "c1", "type": "function", "function": {"name": "f", "arguments": "{}"}}]
    assert [*of_events(events)] == [
        {"role": "system", "content": "s"},
        {"role": "assistant", "content": None, "tool_calls": calls},
        {"role": "tool", "content": "r", "tool_call_id": "c1"},
    ]


PARAMETERS = {"type": "object"}
FUNCTION = {"type": "function", "function": {"name": "f", "description": "d", "parameters": PARAMETERS}}


@pytest.mark.parametrize(
    "said",
    [
        FUNCTION,
        {"type": "function", "name": "f", "description": "d", "parameters": PARAMETERS},
        {"name": "f", "description": "d", "input_schema": PARAMETERS},
        {"type": "function", "name": "f", "description": "d", "inputSchema": PARAMETERS},
        {"name": "f", "description": "d", "parameters_json_schema": PARAMETERS},
    ],
    ids=["OpenAI", "Responses, OpenTelemetry", "Anthropic", "AI SDK", "Pydantic AI"],
)
def test_a_tool_is_a_function_wherever_its_schema_stands(said: dict[str, Json]) -> None:
    assert function_tool(said) == FUNCTION


def test_arguments_that_were_text_stay_as_they_are() -> None:
    assert tool_call({"name": "f", "arguments": '{"a":1}'})["function"] == {"name": "f", "arguments": '{"a":1}'}
    assert tool_call({"name": "f"}) == {"type": "function", "function": {"name": "f", "arguments": ""}}
    assert (written(None), written("x"), written(["é"])) == (None, "x", '["é"]')


def test_a_message_has_what_was_said_and_no_more() -> None:
    assert chat_message(None, []) == {"role": "user", "content": None}
    assert chat_message("tool", "r", kept={"tool_call_id": "c", "name": None}) == {
        "role": "tool",
        "content": "r",
        "tool_call_id": "c",
    }
