"""The synthetic conversations of the template check, and the shapes they are tried in.

Every text in them is unlike every other, so that it can be found again in a render.  Does not render.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from typing import Literal

from analysis.model.session import Json, JsonObject

SYSTEM_TEXT = "You keep the lighthouse log."
LATE_SYSTEM_TEXT = "From now on, answer in one sentence."
USER_TEXTS = ("Which lamp burned last night?", "How high was the tide?", "Who relieved the keeper?")
ANSWER_TEXTS = ("The eastern lamp burned.", "The tide stood at nine feet.")
REASONING_TEXTS = ("Perhaps page seven names the lamp.", "Page seven was clear enough.")
RESULT_TEXTS = ("page 7: eastern lamp, oil low", "page 8: wind from the north")
CALL_IDS = ("call00007", "call00008")  # nine letters and digits: what the strictest templates take
TOOL_NAME = "read_logbook"
ARGUMENTS: tuple[JsonObject, ...] = ({"volume": "harbour", "signed": True}, {"volume": "northern", "signed": False})
TOOL: JsonObject = {
    "type": "function",
    "function": {
        "name": TOOL_NAME,
        "description": "Reads a page of the logbook.",
        "parameters": {
            "type": "object",
            "properties": {
                "volume": {"type": "string", "description": "Which volume"},
                "signed": {"type": "boolean", "description": "Signed pages only"},
            },
            "required": ["volume"],
        },
    },
}


@dataclass(frozen=True, slots=True)
class Shape:
    """What a conversation is made of; where a template refuses one shape, the next poorer one is tried.

    ``always_tools`` gives the tools also to a conversation that has no use for them: some templates want them always.
    """

    system: bool = True
    tool_loop: bool = True
    parts: bool = False
    arguments: Literal["dict", "string"] = "dict"
    always_tools: bool = False

    @property
    def words(self) -> str:
        """The shape for a reader; what is usual is not said."""
        said = (
            "with a tool loop" if self.tool_loop else "user and assistant alternating",
            "" if self.system else "without system",
            "content as parts" if self.parts else "",
            "arguments as a string" if self.arguments == "string" else "",
            "tools in every request" if self.always_tools else "",
        )
        return ", ".join(word for word in said if word)


@dataclass(frozen=True, slots=True)
class Conversation:
    """The messages and tools of one synthetic request, as a chat template gets them."""

    messages: tuple[JsonObject, ...]
    tools: tuple[JsonObject, ...] = ()


def shapes(*, tool_loop: bool, plain: bool) -> Iterator[Shape]:
    """The shapes from the richest to the poorest: with a tool loop, then without; last those with tools everywhere."""
    loops = [looped for looped, wanted in ((True, tool_loop), (False, plain)) if wanted]
    for always_tools, looped, parts, system in product((False, True), loops, (False, True), (True, False)):
        yield Shape(system, looped, parts, always_tools=always_tools)
        if looped:
            yield Shape(system, looped, parts, "string", always_tools)


def user(number: int, text: str | None = None) -> JsonObject:
    """The user's question of this number, from 0."""
    return {"role": "user", "content": USER_TEXTS[number] if text is None else text}


def answer(number: int, *, reasoned: bool = False, text: str | None = None) -> JsonObject:
    """A final answer of the assistant, with its reasoning in the field of that name where it is ``reasoned``."""
    said: dict[str, Json] = {"role": "assistant", "content": ANSWER_TEXTS[number] if text is None else text}
    return {**said, "reasoning": REASONING_TEXTS[-1]} if reasoned else said


def call(number: int, *, reasoned: bool = False, call_id: str | None = None, text: str = "") -> JsonObject:
    """An assistant message that calls the tool, without content of its own: some templates refuse both."""
    function: JsonObject = {"name": TOOL_NAME, "arguments": ARGUMENTS[number]}
    made: JsonObject = {"id": call_id or CALL_IDS[number], "type": "function", "function": function}
    said: dict[str, Json] = {"role": "assistant", "content": text, "tool_calls": [made]}
    return {**said, "reasoning": REASONING_TEXTS[number]} if reasoned else said


def result(number: int, *, call_id: str | None = None, text: str | None = None) -> JsonObject:
    """What the tool returned to the call of this number."""
    content = RESULT_TEXTS[number] if text is None else text
    return {"role": "tool", "tool_call_id": call_id or CALL_IDS[number], "name": TOOL_NAME, "content": content}


def conversation(
    shape: Shape, *messages: JsonObject, tools: bool = True, system_text: str = SYSTEM_TEXT
) -> Conversation:
    """The messages in a shape, behind a system message where the shape has one."""
    system: tuple[JsonObject, ...] = ({"role": "system", "content": system_text},) if shape.system else ()
    shaped = tuple(_shaped(message, shape) for message in (*system, *messages))
    return Conversation(shaped, (TOOL,) if shape.always_tools or (tools and shape.tool_loop) else ())


def _shaped(message: JsonObject, shape: Shape) -> JsonObject:
    made: dict[str, Json] = dict(message)
    content = made.get("content")
    if shape.parts and isinstance(content, str):
        made["content"] = [{"type": "text", "text": content}]
    calls = made.get("tool_calls")
    if shape.arguments == "string" and isinstance(calls, list):
        made["tool_calls"] = [_with_text_arguments(call) for call in calls]
    return made


def _with_text_arguments(call: Json) -> Json:
    assert isinstance(call, Mapping)
    function = call["function"]
    assert isinstance(function, Mapping)
    return {**call, "function": {**function, "arguments": json.dumps(function.get("arguments"))}}
