"""The messages of two requests, paired: which stayed, which changed, where the history stops being the same.

Compares what a person would compare: role, text and calls.  Whether a change shows in the tokens is not asked here.
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from analysis.core.normalise import parse_arguments
from analysis.model.session import Json, JsonObject, Request

Key = tuple[str, str, str]

LOOK_AHEAD = 4  # messages that may have been put in or taken out at one place


@dataclass(frozen=True, slots=True)
class Pair:
    """One message on both sides; ``index`` is its place in this turn's request, ``replied`` that it was the reply."""

    index: int
    old: JsonObject
    new: JsonObject
    replied: bool = False

    @property
    def path(self) -> str:
        """The path of the message in this turn's request."""
        return f"messages[{self.index}]"

    @property
    def role(self) -> str:
        """Who speaks in it now."""
        return str(self.new.get("role"))


@dataclass(slots=True)
class Pairing:
    """The pairs of a history.  ``inserted`` and ``removed`` are indices of messages, now and then."""

    pairs: list[Pair] = field(default_factory=list)
    inserted: list[int] = field(default_factory=list)
    removed: list[int] = field(default_factory=list)


def key(message: JsonObject) -> Key:
    """What makes two messages the same for a person: role, text without outer blanks, and calls."""
    return str(message.get("role")), text(message).strip(), json.dumps([*_calls(message)], sort_keys=True)


def alike(old: JsonObject, new: JsonObject) -> bool:
    """Whether two messages are the same for a person; what was sent again is mostly the very same object."""
    return old is new or old == new or key(old) == key(new)


def text(message: JsonObject) -> str:
    """The text of a message as it was sent, its parts joined as vLLM joins them; other parts stand in it as sent."""
    content = message.get("content")
    if isinstance(content, list | tuple):
        return "\n".join(str(part.get("text", part)) if isinstance(part, dict) else str(part) for part in content)
    return content if isinstance(content, str) else ""


def reasoning(message: JsonObject) -> str:
    """The reasoning of a message under whatever name; empty where it has none."""
    found = message.get("reasoning")
    found = message.get("reasoning_content") if found is None else found
    return found if isinstance(found, str) else ""


def calls(message: JsonObject) -> list[JsonObject]:
    """The tool calls of a message that are objects."""
    found = message.get("tool_calls")
    return [call for call in found if isinstance(call, dict)] if isinstance(found, list | tuple) else []


def function(call: JsonObject) -> JsonObject:
    """The function of a tool call."""
    found = call.get("function")
    return found if isinstance(found, dict) else {}


def is_system(message: JsonObject) -> bool:
    """Whether a message is of the system: ``developer`` is what newer APIs call that role."""
    return message.get("role") in ("system", "developer")


def without_system(messages: Sequence[JsonObject]) -> list[JsonObject]:
    """The messages behind the system message that may open them."""
    return list(messages[1:] if messages and is_system(messages[0]) else messages)


def system_of(request: Request) -> JsonObject | None:
    """The system message that opens a request."""
    return request.messages[0] if request.messages and is_system(request.messages[0]) else None


def paired(then: Request, now: Request, reply: JsonObject | None, limit: int | None = None) -> Pairing:
    """Pair the messages behind the opening system message; with ``limit``, only so many of them."""
    old, new = without_system(then.messages), without_system(now.messages)
    replied = len(old)
    old = [*old, reply] if reply is not None else old
    offset = len(now.messages) - len(new)
    old, new = (old, new) if limit is None else (old[:limit], new[:limit])
    found, left, right = Pairing(), 0, 0
    while left < len(old) and right < len(new):
        same = old[left] is new[right]  # as most are: what was sent again is mostly the very same object
        put_in, taken_out = (0, 0) if same else _step(old, new, left, right)
        if put_in is None or taken_out is None:
            break
        found.inserted += range(right + offset, right + offset + put_in)
        found.removed += range(left + len(then.messages) - replied, left + len(then.messages) - replied + taken_out)
        left, right = left + taken_out, right + put_in
        found.pairs.append(Pair(right + offset, old[left], new[right], left == replied))
        left, right = left + 1, right + 1
    return found


def _step(
    old: Sequence[JsonObject], new: Sequence[JsonObject], left: int, right: int
) -> tuple[int, int] | tuple[None, None]:
    """How many messages were put in and taken out before the next pair; None where there is no next pair."""
    here, there = new[right], old[left]
    same_role = here.get("role") == there.get("role")
    if alike(there, here) or (same_role and _agrees(old[left + 1 : left + 2], new[right + 1 : right + 2])):
        return 0, 0
    for ahead in range(1, LOOK_AHEAD):
        if right + ahead < len(new) and alike(there, new[right + ahead]):
            return ahead, 0
        if left + ahead < len(old) and alike(old[left + ahead], here):
            return 0, ahead
    return (0, 0) if same_role else (None, None)


def _agrees(old: Sequence[JsonObject], new: Sequence[JsonObject]) -> bool:
    """Whether the messages behind a changed one are those that stood behind it before."""
    return bool(old and new) and alike(old[0], new[0])


def _calls(message: JsonObject) -> Iterator[Json]:
    for call in calls(message):
        yield [function(call).get("name"), parse_arguments(function(call).get("arguments"))]
