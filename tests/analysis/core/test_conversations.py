"""Synthetic conversations: texts that can be found again, and shapes from rich to poor."""

import json
from collections.abc import Mapping
from typing import Any

from analysis.core import conversations as made
from analysis.core.conversations import Shape, answer, call, conversation, result, shapes, user


def test_no_text_stands_in_another() -> None:
    texts = [
        made.SYSTEM_TEXT, made.LATE_SYSTEM_TEXT, *made.USER_TEXTS, *made.ANSWER_TEXTS, *made.REASONING_TEXTS,
        *made.RESULT_TEXTS, *made.CALL_IDS, made.TOOL_NAME, *(json.dumps(one) for one in made.ARGUMENTS),
    ]  # fmt: skip
    assert not [(one, other) for one in texts for other in texts if one is not other and one in other]


def test_shapes_go_from_the_richest_to_the_poorest() -> None:
    found = list(shapes(tool_loop=True, plain=True))
    assert found[0] == Shape() and found[1] == Shape(arguments="string")
    assert found[11] == Shape(system=False, tool_loop=False, parts=True)
    assert found[-1] == Shape(system=False, tool_loop=False, parts=True, always_tools=True)
    assert len(set(found)) == len(found) == 24
    first = [shape.tool_loop for shape in found[:12]]
    assert first == sorted(first, reverse=True) and {shape.always_tools for shape in found[:12]} == {False}
    assert {shape.tool_loop for shape in shapes(tool_loop=False, plain=True)} == {False}
    assert {shape.tool_loop for shape in shapes(tool_loop=True, plain=False)} == {True}


def test_a_shape_in_words() -> None:
    assert Shape().words == "with a tool loop"
    assert Shape(False, False, True).words == "user and assistant alternating, without system, content as parts"
    assert Shape(always_tools=True).words == "with a tool loop, tools in every request"
    assert Shape(arguments="string").words == "with a tool loop, arguments as a string"


def arguments_of(message: Mapping[str, Any]) -> Any:
    return message["tool_calls"][0]["function"]["arguments"]


def test_the_shape_decides_what_is_sent() -> None:
    rich = conversation(Shape(), user(0), call(0, reasoned=True), result(0), answer(0))
    assert [message["role"] for message in rich.messages] == ["system", "user", "assistant", "tool", "assistant"]
    assert rich.tools == (made.TOOL,) and arguments_of(rich.messages[2]) == made.ARGUMENTS[0]
    assert rich.messages[2]["reasoning"] == made.REASONING_TEXTS[0]
    assert rich.messages[2]["tool_calls"][0]["id"] == rich.messages[3]["tool_call_id"]  # type: ignore[index,call-overload]
    poor = conversation(Shape(False, False, True), user(0))
    assert poor.messages == ({"role": "user", "content": [{"type": "text", "text": made.USER_TEXTS[0]}]},)
    assert poor.tools == ()
    as_string = conversation(Shape(arguments="string"), user(0), call(0))
    assert json.loads(arguments_of(as_string.messages[2])) == made.ARGUMENTS[0]
    assert conversation(Shape(), user(0), tools=False).tools == ()
    assert conversation(Shape(tool_loop=False, always_tools=True), user(0), tools=False).tools == (made.TOOL,)


def test_texts_can_be_replaced() -> None:
    sent = conversation(
        Shape(), user(0, "u"), call(0, text="c"), result(0, text="r"), answer(0, text="a"), system_text="s"
    )
    assert [message["content"] for message in sent.messages] == ["s", "u", "c", "r", "a"]
