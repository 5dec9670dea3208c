"""What one fix changes in a request: every code of a cause, undone by values of the turn before.

Turns correspond as a conversation grows: message by message by its place, the reply behind the last message, tool
calls by their place.  ``undo`` restores from a turn that is already restored, so that a fix holds from the first turn
on; ``head`` makes the first turn of a lineage fit for that.  Nothing is rendered here: what a fix recovers is for the
one who renders to say.
"""

import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest

from analysis.causes.message_fixes import HEAD_ROLES, MESSAGE_FIXES, Fix, edited, text_of, with_content
from analysis.causes.volatile_text import (
    CLIENT_DATE,
    CLIENT_TIMESTAMP,
    LIVE_STATE,
    REQUEST_NONCE,
    SYSTEM_REPLACED,
    same_start,
    ways,
)
from analysis.model.session import Json, JsonObject, Request

SYSTEM_ADDED = "volatile-head/system-added"
PER_SESSION_TEXT = "volatile-head/per-session-text"
TEMPLATE_DATE = "volatile-head/template-date"
VALUES = (CLIENT_TIMESTAMP, CLIENT_DATE, REQUEST_NONCE)  # may stand in any message or tool, the others in the head only


@dataclass(frozen=True, slots=True)
class Sent:
    """A request as sent, and its own time in seconds since the epoch: the clock that a template may read."""

    request: Request
    at: float | None


def undo(code: str, then: Sent, reply: JsonObject | None, now: Sent, knob: JsonObject | None = None) -> Sent | None:
    """``now`` with one code undone; itself where it has nothing of the kind, None where no change can undo the code.

    Values come from ``then``, the already restored previous turn, and its ``reply``; for per-session text ``then`` is
    a request of another session.  ``knob`` are the template kwargs with which the model's template keeps what it drops.
    """
    if code == TEMPLATE_DATE:
        return replace(now, at=then.at)
    if code.startswith("template/"):
        return with_fields(now, template_kwargs={**now.request.template_kwargs, **knob}) if knob else None
    if code in MESSAGE_FIXES:
        before = _sent_before(then.request, reply)
        return with_fields(now, messages=_each(MESSAGE_FIXES[code], before, now.request.messages))
    if code == "client/history-edited":
        return with_fields(now, messages=_unedited(then, reply, now))
    if code.startswith("tools/"):
        return with_fields(now, tools=then.request.tools)
    if code == SYSTEM_REPLACED and _has_head(then.request) and not _has_head(now.request):
        return _system_added(then, now)  # replaced by nothing
    fix = _REQUEST_FIXES.get(code)
    if fix is not None:
        return fix(then, now)
    return _values(code, then, reply, now) if code in (*VALUES, LIVE_STATE, SYSTEM_REPLACED) else None


def head(code: str, lineage: Sequence[Sent], knob: JsonObject | None = None) -> Sent:
    """The first turn of a lineage as it must be so that undoing a code holds for all turns behind it.

    Tools that come later are there from the start, in the order and form of their first appearance; so is a system
    message that was added; a knob is set from the first turn on.
    """
    first = lineage[0]
    if code.startswith("tools/"):
        tools = {_tool_name(tool): tool for sent in reversed(lineage) for tool in reversed(sent.request.tools)}
        order = dict.fromkeys(_tool_name(tool) for sent in lineage for tool in sent.request.tools)
        return with_fields(first, tools=tuple(tools[name] for name in order))
    if code == SYSTEM_ADDED:
        holder = next((sent for sent in lineage if _has_head(sent.request)), first)
        return _system_added(holder, first)
    if code.startswith("template/") and knob:
        return with_fields(first, template_kwargs={**first.request.template_kwargs, **knob})
    return first


def with_fields(sent: Sent, **fields: object) -> Sent:
    """A turn with these fields of its request; itself where they say nothing new."""
    if all(_same_form(getattr(sent.request, name), value) for name, value in fields.items()):
        return sent
    return replace(sent, request=replace(sent.request, **fields))  # type: ignore[arg-type]


def _same_form(one: object, other: object) -> bool:
    """Whether two values are equal to the order of their keys, which a template may print."""
    return one is other or (one == other and repr(one) == repr(other))


def _sent_before(then: Request, reply: JsonObject | None) -> tuple[JsonObject, ...]:
    """The messages that the next turn is expected to begin with."""
    return then.messages if reply is None else (*then.messages, reply)


def _unedited(then: Sent, reply: JsonObject | None, now: Sent) -> tuple[JsonObject, ...]:
    """The earlier messages as first sent, where no other code says what was changed in them."""
    before, messages = _sent_before(then.request, reply), now.request.messages
    if _window_trim(then, now) is not now or _system_added(then, now) is not now:
        return messages  # messages have lost their places: those codes come first
    if not _grown(before, messages):
        return _regrown(before, messages)
    start = int(_has_head(then.request) and _has_head(now.request))
    still = _moving_injection(then, now).request.messages
    pairs = zip(_each(edited, before, still, start), still, messages, strict=True)
    restored = tuple(sent if fixed is other else fixed for fixed, other, sent in pairs)
    return messages if all(map(operator.is_, restored, messages)) else restored


def _each(
    fix: Fix, before: Sequence[JsonObject], messages: tuple[JsonObject, ...], start: int = 0
) -> tuple[JsonObject, ...]:
    """A fix of single messages, at every place where both have one of the same role."""
    fixed = list(messages)
    for index, (old, new) in enumerate(zip(before, messages, strict=False)):
        if index >= start and old is not new and old.get("role") == new.get("role"):
            fixed[index] = fix(old, new)
    return messages if all(map(operator.is_, fixed, messages)) else tuple(fixed)


def _grown(before: Sequence[JsonObject], messages: Sequence[JsonObject]) -> bool:
    """Whether all earlier messages still have their place, whatever was changed in them."""
    roles = [message.get("role") for message in before]
    return [message.get("role") for message in messages[: len(roles)]] == roles


def _regrown(before: Sequence[JsonObject], messages: tuple[JsonObject, ...]) -> tuple[JsonObject, ...]:
    """The earlier messages, then what follows the last of them that is still there: some were inserted or removed."""
    known = [(message.get("role"), text_of(message.get("content"))) for message in before]
    places = [
        index
        for index, message in enumerate(messages)
        if (message.get("role"), text_of(message.get("content"))) in known
    ]
    newest = messages[places[-1] + 1 :] if places else messages[-1:]
    return (*before, *newest)


def _values(code: str, then: Sent, reply: JsonObject | None, now: Sent) -> Sent:
    """A text that differs in the way of the code, as first sent: the system text, other messages, tools."""

    def in_head(old: JsonObject, new: JsonObject) -> JsonObject:
        return with_content(old, new) if _in_head(code, old, new) else new

    def elsewhere(old: JsonObject, new: JsonObject) -> JsonObject:
        only = ways(text_of(old.get("content")), text_of(new.get("content"))) == {code}
        return with_content(old, new) if only else new

    both = _has_head(then.request) and _has_head(now.request)
    messages = _each(in_head, then.request.messages[:1], now.request.messages) if both else now.request.messages
    if code not in VALUES:
        return with_fields(now, messages=messages)
    before = _sent_before(then.request, reply)
    messages = _each(elsewhere, before, messages, start=int(both))
    tools = tuple(
        old
        if old is not None and _tool_name(old) == _tool_name(new) and ways(_as_text(old), _as_text(new)) == {code}
        else new
        for old, new in zip_longest(then.request.tools[: len(now.request.tools)], now.request.tools)
    )
    return with_fields(now, messages=messages, tools=tools)


def _in_head(code: str, old: JsonObject, new: JsonObject) -> bool:
    """Whether the system text differs in the way of the code.

    What is a value of one request and what is state is not always to be told: the two stand for one another where
    more than a time or a date differs.
    """
    found = ways(text_of(old.get("content")), text_of(new.get("content")))
    if code == REQUEST_NONCE:
        return REQUEST_NONCE in found or LIVE_STATE in found
    return code in found or (code == LIVE_STATE and REQUEST_NONCE in found)


def _system_added(then: Sent, now: Sent) -> Sent:
    """The system message where the earlier turn had one, none where it had none."""
    has, had = _has_head(now.request), _has_head(then.request)
    if has == had:
        return now
    messages = now.request.messages
    return with_fields(now, messages=(then.request.messages[0], *messages) if had else messages[1:])


def _moving_injection(then: Sent, now: Sent) -> Sent:
    """Text that stood at the end of an earlier message of the user stays there, and is not sent again at the end."""
    messages = list(now.request.messages)
    lost = []
    for index, (old, new) in enumerate(zip(then.request.messages, messages, strict=False)):
        before, after = old.get("content"), new.get("content")
        suffix = _suffix(before, after)
        if old.get("role") == new.get("role") == "user" and suffix:
            messages[index] = {**new, "content": before}
            lost.append(suffix)
    newest = max((index for index, one in enumerate(messages) if one.get("role") == "user"), default=-1)
    if newest >= len(then.request.messages):
        content = messages[newest].get("content")
        for suffix in lost:
            if isinstance(content, str | list | tuple) and content[len(content) - len(suffix) :] == suffix:
                messages[newest] = {**messages[newest], "content": content[: len(content) - len(suffix)]}
                break
    return with_fields(now, messages=tuple(messages)) if lost else now


def _suffix(before: Json, after: Json) -> str | Sequence[Json]:
    """What ``before`` has behind ``after``; empty where it does not begin with it."""
    for kind in (str, list, tuple):
        if isinstance(before, kind) and isinstance(after, kind):
            return before[len(after) :] if before[: len(after)] == after else ""
    return ""


def _window_trim(then: Sent, now: Sent) -> Sent:
    """The messages that fell out of the front of the history, back in their place."""
    start = int(_has_head(then.request) and _has_head(now.request))
    old, new = then.request.messages[start:], now.request.messages[start:]
    for cut in range(1, len(old)):
        kept = old[cut:]
        if _same(kept, new[: len(kept)]):
            return with_fields(now, messages=(*now.request.messages[:start], *old[:cut], *new))
    return now


def _same(some: Sequence[JsonObject], others: Sequence[JsonObject]) -> bool:
    return len(some) == len(others) and all(
        one is other
        or (one.get("role"), text_of(one.get("content"))) == (other.get("role"), text_of(other.get("content")))
        for one, other in zip(some, others, strict=True)
    )


def _per_session_text(other: Sent, now: Sent) -> Sent:
    """The line at which the system text leaves that of another session, at the end of the text."""
    if not (_has_head(other.request) and _has_head(now.request)):
        return now
    message = now.request.messages[0]
    text = message.get("content")
    if not isinstance(text, str):
        return now
    line = text.count("\n", 0, same_start(text_of(other.request.messages[0].get("content")), text))
    return with_fields(now, messages=({**message, "content": line_last(text, line)}, *now.request.messages[1:]))


def line_last(text: str, line: int) -> str:
    """A text with one of its lines (0-based) at its end."""
    lines = text.split("\n")
    if line >= len(lines) - 1:
        return text
    return "\n".join([*lines[:line], *lines[line + 1 :], lines[line]])


def _has_head(request: Request) -> bool:
    return bool(request.messages) and request.messages[0].get("role") in HEAD_ROLES


def _tool_name(tool: JsonObject) -> str:
    function = tool.get("function")
    return str(function.get("name") if isinstance(function, dict) else tool.get("name"))


def _as_text(tool: JsonObject) -> str:
    return repr(tool)


_REQUEST_FIXES: dict[str, Callable[[Sent, Sent], Sent]] = {
    "volatile-head/template-kwarg": lambda then, now: with_fields(now, template_kwargs=then.request.template_kwargs),
    SYSTEM_ADDED: _system_added,
    PER_SESSION_TEXT: _per_session_text,
    "client/moving-injection": _moving_injection,
    "client/window-trim": _window_trim,
    "key/cache-salt": lambda then, now: with_fields(now, salt=then.request.salt),
    "key/lora": lambda then, now: with_fields(now, model=then.request.model),
}
