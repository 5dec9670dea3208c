"""Items of the Responses API as chat messages (OpenAI's API reference, Responses, input items)."""

from analysis.formats.response_items import chat_messages, chat_tool, joined
from analysis.model.session import Json

REASONING: dict[str, Json] = {"type": "reasoning", "content": [{"type": "reasoning_text", "text": "t"}]}
CALL: dict[str, Json] = {"type": "function_call", "call_id": "c", "name": "f", "arguments": '{"a":1}'}
OUTPUT: dict[str, Json] = {"type": "function_call_output", "call_id": "c", "output": "o"}
SAID: dict[str, Json] = {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "s"}]}
ASKED: dict[str, Json] = {"role": "user", "content": [{"type": "input_text", "text": "q"}]}
MADE = {"id": "c", "type": "function", "function": {"name": "f", "arguments": '{"a":1}'}}


def test_what_a_model_did_at_once_is_one_message() -> None:
    assert list(chat_messages([ASKED, REASONING, SAID, CALL, CALL, OUTPUT, SAID])) == [
        {"role": "user", "content": "q"},
        {"role": "assistant", "reasoning": "t", "content": "s", "tool_calls": [MADE, MADE]},
        {"role": "tool", "tool_call_id": "c", "content": "o"},
        {"role": "assistant", "content": "s"},
    ]


def test_two_texts_are_two_messages() -> None:
    assert [message["role"] for message in chat_messages([SAID, SAID, REASONING, REASONING])] == ["assistant"] * 3


def test_what_is_no_message_is_left_out() -> None:
    assert list(chat_messages([{"type": "item_reference", "id": "x"}, {"type": "web_search_call"}, {}])) == []


def test_parts_of_text_are_one_text() -> None:
    image: list[Json] = [{"type": "input_image", "image_url": "u"}]
    assert joined(ASKED["content"]) == "q" and joined("x") == "x" and joined(image) is image and joined([]) == ""


def test_a_tool_is_a_function() -> None:
    flat: dict[str, Json] = {"type": "function", "name": "f", "parameters": {}, "strict": None}
    nested = {"type": "function", "function": {"name": "f", "parameters": {}}}
    assert chat_tool(flat) == chat_tool(nested) == nested
    assert chat_tool({"type": "web_search"}) == {"type": "web_search"}
