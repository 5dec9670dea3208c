"""A request as text, field by field, in the order in which most chat templates print it; and where two of them part.

Renders nothing: template text, ids of tool calls and names of tools that answer are left out, since most templates do
not print them, and arguments of calls are written in one way, as a server writes them anew.
"""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from analysis.causes.messages import system_of
from analysis.causes.volatile_text import same_start
from analysis.core.normalise import as_generated, normalise_message, normalise_tool
from analysis.model.finding import TextComparison, TextDivergence
from analysis.model.prompt import Segment
from analysis.model.session import Json, JsonObject, Request

SHOWN = 160  # characters of a text in front of a divergence and behind it


@dataclass(frozen=True, slots=True)
class Said:
    """What a message, a tool or a prompt says: the name and the text of every field; ``size`` in characters."""

    role: str | None
    fields: tuple[tuple[str, str], ...]
    size: int


Place = tuple[str, Said]  # a path such as messages[2] or tools[0], and what stands there
Known = dict[int, tuple[JsonObject, Said]]  # by identity: what is sent again is mostly the very same object


def texts(request: Request, reply: JsonObject | None, known: Known) -> list[Place]:
    """The opening system message, the tools, the other messages and the reply.

    ``known`` remembers what messages and tools say from call to call.
    """
    if isinstance(request.prompt, str):
        text = request.prompt + _content(reply or {})
        return [("prompt", Said(None, (("", text),), len(text)))]
    head = 0 if system_of(request) is None else 1
    messages = request.messages if reply is None else (*request.messages, reply)
    told = [(f"messages[{index}]", _known(message, _message, known)) for index, message in enumerate(messages)]
    tools = [(f"tools[{index}]", _known(tool, _tool, known)) for index, tool in enumerate(request.tools)]
    return [*told[:head], *tools, *told[head:]]


def compared(previous: int, then: Sequence[Place], now: Sequence[Place], num_sent: int | None = None) -> TextComparison:
    """What of an earlier request (turn ``previous``) with its reply comes again, and where the later one leaves it.

    ``num_sent`` is how many places of ``then`` were sent, all without it.  Of logs that have a whole request as one
    text, a longer text with the reply behind the earlier one only goes on.
    """
    shortest = min(len(then), len(now))
    same = next((at for at, (old, new) in enumerate(zip(then, now, strict=False)) if old != new), shortest)
    whole, chars = (sum(said.size for _path, said in some) for some in (then, then[:same]))
    equal = sum(path.startswith("messages[") for path, _said in then[:same])
    if same == shortest:
        return TextComparison(previous, equal, chars, whole)
    sides = _fields(then[same : same + 2]), _fields(now[same : same + 2])
    alike = next((at for at, (old, new) in enumerate(zip(*sides, strict=False)) if old != new), None)
    if alike is None:  # one of the two ends within the message
        return TextComparison(previous, equal, chars + sum(len(field.text) for field in min(sides, key=len)), whole)
    old, new = sides[0][alike], sides[1][alike]
    at = same_start(old.text, new.text) if (old.path, old.role) == (new.path, new.role) else 0
    if old.path == new.path == "prompt" and at in (len(old.text), len(new.text)):
        return TextComparison(previous, 0, at, whole)
    if num_sent == len(now) == 1 and _has_reply_behind(old.text, new.text):
        return TextComparison(previous, 0, at, whole)
    chars += sum(len(field.text) for field in sides[0][:alike]) + at
    lead = [*_fields(now[max(0, same - 2) : same]), *sides[1][:alike]]
    return TextComparison(previous, equal, chars, whole, _divergence(lead, old, new, at))


def _has_reply_behind(old: str, new: str) -> bool:
    """Whether a request logged as one text is the earlier one with a message of the model behind it."""
    return new.startswith(old) and "assistant" in new[len(old) :]


@dataclass(frozen=True, slots=True)
class _Field:
    path: str
    role: str | None
    text: str


def _fields(places: Sequence[Place]) -> list[_Field]:
    return [
        _Field(f"{path}.{name}" if name else path, said.role, text)
        for path, said in places
        for name, text in said.fields
    ]


def _divergence(lead: Sequence[_Field], old: _Field, new: _Field, at: int) -> TextDivergence:
    before = "\n".join([*(field.text[-SHOWN:] for field in lead), new.text[:at][-SHOWN:]])
    return TextDivergence(
        segment=Segment(new.path, at, new.role),
        previous_segment=Segment(old.path, at, old.role),
        before=before[-SHOWN:],
        old=old.text[at : at + SHOWN],
        new=new.text[at : at + SHOWN],
    )


def _known(value: JsonObject, say: Callable[[JsonObject], Said], known: Known) -> Said:
    if id(value) not in known:
        known[id(value)] = value, say(value)  # kept with its value, so that the identity stays its own
    return known[id(value)][1]


def _message(message: JsonObject) -> Said:
    """Reasoning where there is some, the content, and the calls of a message."""
    normal = normalise_message(as_generated(message))
    thought, calls = normal.get("reasoning"), normal.get("tool_calls")
    fields = [("reasoning", thought)] if isinstance(thought, str) and thought.strip() else []
    fields.append(("content", _content(as_generated(message))))
    fields += [(f"tool_calls[{at}]", _call(call)) for at, call in enumerate(calls if isinstance(calls, list) else [])]
    role = str(message.get("role") or "assistant")  # a reply may leave it out
    return Said(role, tuple(fields), sum(len(text) for _name, text in fields))


def _tool(tool: JsonObject) -> Said:
    text = _dumped(normalise_tool(tool))
    return Said(None, (("", text),), len(text))


def _content(message: JsonObject) -> str:
    content = normalise_message(message)["content"]
    return content if isinstance(content, str) else _dumped(content)


def _call(call: Json) -> str:
    function = call.get("function") if isinstance(call, dict) else None
    return _dumped({name: function.get(name) for name in ("name", "arguments")} if isinstance(function, dict) else call)


def _dumped(value: Json) -> str:
    return json.dumps(value, ensure_ascii=False)
