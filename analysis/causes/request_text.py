"""A request as text, field by field, in the order in which most chat templates print it; and where two of them part.

Renders nothing: template text, ids of tool calls and names of tools that answer are left out, since most templates do
not print them, and arguments of calls are written in one way, as a server writes them anew.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass

from analysis.causes.messages import system_of
from analysis.causes.volatile_text import same_start
from analysis.core.normalise import as_generated, normalise_message, normalise_tool
from analysis.model.finding import TextComparison, TextDivergence
from analysis.model.prompt import Segment
from analysis.model.session import Json, JsonObject, Request

SHOWN = 160  # characters of a text in front of a divergence and behind it

Parts = tuple[tuple[str, str], ...]  # the name and the text of every field of one message
Known = dict[int, tuple[JsonObject, Parts]]  # by identity: what is sent again is mostly the very same object


@dataclass(frozen=True, slots=True)
class Field:
    """A field of a request with its text; ``role`` is that of its message, ``message`` its index, else None."""

    path: str
    role: str | None
    text: str
    message: int | None = None


def fields(request: Request, reply: JsonObject | None, known: Known) -> list[Field]:
    """The opening system message, the tools, the other messages and the reply.

    ``known`` remembers the text of messages from call to call.
    """
    if isinstance(request.prompt, str):
        return [Field("prompt", None, request.prompt + _content(reply or {}))]
    messages = request.messages if reply is None else (*request.messages, reply)
    head = 0 if system_of(request) is None else 1
    told = [_message(index, message, known) for index, message in enumerate(messages)]
    tools = [_tool(index, tool) for index, tool in enumerate(request.tools)]
    return [field for one in (*told[:head], tools, *told[head:]) for field in one]


def compared(previous: int, then: Sequence[Field], now: Sequence[Field]) -> TextComparison:
    """What of an earlier request (turn ``previous``) with its reply comes again, and where the later one leaves it."""
    shortest = min(len(then), len(now))
    same = next((at for at in range(shortest) if then[at] != now[at]), shortest)
    whole = sum(len(field.text) for field in then)
    chars = sum(len(field.text) for field in then[:same])
    if same == shortest:
        return TextComparison(previous, _messages(then[:same]), chars, whole)
    old, new = then[same], now[same]
    at = same_start(old.text, new.text) if (old.path, old.role) == (new.path, new.role) else 0
    if old.path == new.path == "prompt" and at in (len(old.text), len(new.text)):
        return TextComparison(previous, 0, chars + at, whole)
    equal = _messages([field for field in then[:same] if field.message != old.message])
    return TextComparison(previous, equal, chars + at, whole, _divergence(then, now, same, at))


def _divergence(then: Sequence[Field], now: Sequence[Field], index: int, at: int) -> TextDivergence:
    old, new = then[index], now[index]
    before = "\n".join([*(field.text[-SHOWN:] for field in now[max(0, index - 2) : index]), new.text[:at][-SHOWN:]])
    return TextDivergence(
        segment=Segment(new.path, at, new.role),
        previous_segment=Segment(old.path, at, old.role),
        before=before[-SHOWN:],
        old=old.text[at : at + SHOWN],
        new=new.text[at : at + SHOWN],
    )


def _message(index: int, message: JsonObject, known: Known) -> list[Field]:
    if id(message) not in known:
        known[id(message)] = message, _parts(as_generated(message))
    role = str(message.get("role") or "assistant")  # a reply may leave it out
    return [Field(f"messages[{index}].{name}", role, text, index) for name, text in known[id(message)][1]]


def _tool(index: int, tool: JsonObject) -> Field:
    return Field(f"tools[{index}]", None, _dumped(normalise_tool(tool)))


def _parts(message: JsonObject) -> Parts:
    """Reasoning where there is some, the content, and the calls of a message."""
    normal = normalise_message(message)
    thought, calls = normal.get("reasoning"), normal.get("tool_calls")
    parts = [("reasoning", thought)] if isinstance(thought, str) and thought.strip() else []
    parts.append(("content", _content(message)))
    for number, call in enumerate(calls if isinstance(calls, list) else []):
        parts.append((f"tool_calls[{number}]", _call(call)))
    return tuple(parts)


def _content(message: JsonObject) -> str:
    content = normalise_message(message)["content"]
    return content if isinstance(content, str) else _dumped(content)


def _call(call: Json) -> str:
    function = call.get("function") if isinstance(call, dict) else None
    return _dumped({name: function.get(name) for name in ("name", "arguments")} if isinstance(function, dict) else call)


def _messages(listed: Sequence[Field]) -> int:
    """How many messages these fields are of."""
    return len({field.message for field in listed} - {None})


def _dumped(value: Json) -> str:
    return json.dumps(value, ensure_ascii=False)
