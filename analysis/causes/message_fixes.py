"""What a client changed in messages that it had sent or received before, put back one way at a time.

Each function takes a message as it was first sent or generated and as it was sent now, and returns it with the one
thing put back that its code names; the very same object where there is nothing of that kind.  Messages are compared
by their place in the conversation; the functions do not look at tokens.
"""

import json
from collections.abc import Callable, Mapping

from analysis.causes.volatile_text import ways
from analysis.core.media import KINDS
from analysis.core.normalise import as_generated
from analysis.model.session import Json, JsonObject

REASONING = ("reasoning", "reasoning_content")
STUB = 2  # an old tool output under half as long was pruned
HEAD_ROLES = ("system", "developer")

Fix = Callable[[JsonObject, JsonObject], JsonObject]  # as first sent or generated, as sent now


def text_of(content: Json) -> str:
    """The text of a content: the string, or its text parts joined."""
    if isinstance(content, list | tuple):
        return "\n".join(str(part.get("text") or "") for part in content if isinstance(part, Mapping))
    return content if isinstance(content, str) else ""


def with_content(then: JsonObject, now: JsonObject) -> JsonObject:
    """``now`` with the content of ``then``; itself where that is no other."""
    return now if then.get("content") == now.get("content") else {**now, "content": then.get("content")}


def whitespace(then: JsonObject, now: JsonObject) -> JsonObject:
    """The content as generated, where only blanks at its ends differ."""
    then = as_generated(then)
    old, new = then.get("content"), now.get("content")
    if isinstance(old, list | tuple) or isinstance(new, list | tuple):
        return now
    return (
        with_content(then, now) if (old or "") != (new or "") and text_of(old).strip() == text_of(new).strip() else now
    )


def reasoning(then: JsonObject, now: JsonObject) -> JsonObject:
    """The reasoning as generated, and the content where the client had written the reasoning into it."""
    if now.get("role") != "assistant":
        return now
    thought = _reasoning(then)
    if not thought:
        return now
    restored = {key: value for key, value in now.items() if key not in REASONING}
    restored |= {name: then[name] for name in REASONING if then.get(name)}
    if thought in text_of(now.get("content")) and thought not in text_of(then.get("content")):
        restored["content"] = then.get("content")
    return now if _reasoning(now) == thought and restored.get("content") == now.get("content") else restored


def pruned_output(then: JsonObject, now: JsonObject) -> JsonObject:
    """The tool output as first sent, where it is now a stub or less than half as long."""
    return with_content(then, now) if now.get("role") == "tool" and is_pruned(then, now) else now


def is_pruned(then: JsonObject, now: JsonObject) -> bool:
    """Whether the text of a message is now a bracketed stub, or less than half as long as it was."""
    old, new = text_of(then.get("content")), text_of(now.get("content")).strip()
    return old != new and (_is_stub(new) or STUB * len(new) < len(old))


def _is_stub(text: str) -> bool:
    """Whether a text is one line in brackets and no JSON, such as ``[old tool output removed]``."""
    if text[:1] + text[-1:] not in ("[]", "<>", "()") or "\n" in text:
        return False
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return True
    return False


def evicted_image(then: JsonObject, now: JsonObject) -> JsonObject:
    """The content as first sent, where it has fewer images (or sounds, or videos) than it had."""
    return with_content(then, now) if _num_media(now) < _num_media(then) else now


def call_ids(then: JsonObject, now: JsonObject) -> JsonObject:
    """The ids of tool calls, and the id that a tool output answers, as they were."""
    restored = dict(now)
    if then.get("tool_call_id") is not None and now.get("tool_call_id") is not None:
        restored["tool_call_id"] = then["tool_call_id"]
    pairs = list(zip(_calls(then), _calls(now), strict=False))
    if pairs:
        calls = [{**new, "id": old["id"]} if "id" in old and "id" in new else new for old, new in pairs]
        restored["tool_calls"] = [*calls, *_calls(now)[len(calls) :]]
    return restored if restored != now else now


def arguments(code: str) -> Fix:
    """The fix of one of the ``args/`` codes: argument text as generated, where it differs in that way."""

    def fix(then: JsonObject, now: JsonObject) -> JsonObject:
        calls, changed = _calls(now), False
        for index, (old, new) in enumerate(zip(_calls(then), _calls(now), strict=False)):
            before, after = _function(old), _function(new)
            if arguments_way(before.get("arguments"), after.get("arguments")) == code:
                calls[index] = {**new, "function": {**after, "arguments": before.get("arguments")}}
                changed = True
        return {**now, "tool_calls": calls} if changed else now

    return fix


def arguments_way(then: Json, now: Json) -> str | None:
    """The code of the way in which two argument values differ although they mean the same; None where they do not."""
    if then == now and repr(then) == repr(now):  # equal objects may have their keys in another order
        return None
    (old, old_fits), (new, new_fits) = _parsed(then), _parsed(now)
    if not old_fits or not new_fits:
        return "args/malformed"
    if json.dumps(old) == json.dumps(new):
        return "args/separators"
    if json.dumps(old, sort_keys=True) == json.dumps(new, sort_keys=True):
        return "args/key-order"
    return "args/type-form" if _plain(old) == _plain(new) else None


def edited(then: JsonObject, now: JsonObject) -> JsonObject:
    """The message as first sent, where none of the other ways says what was changed in it."""
    explained = now
    for fix in OTHER_WAYS:
        explained = fix(then, explained)
    if _essence(explained) == _essence(then) or _only_values(then, explained):
        return now
    first = {
        name: then[name]
        for name in ("role", "content", "tool_calls")
        if then.get(name) is not None or (name == "content" and name in then)
    }
    return {**{key: value for key, value in now.items() if key != "tool_calls" or key in first}, **first}


def _only_values(then: JsonObject, now: JsonObject) -> bool:
    """Whether nothing but times, dates and values of one request differ."""
    changed = ways(text_of(then.get("content")), text_of(now.get("content")))
    same = _essence({**now, "content": then.get("content")}) == _essence(then)
    return same and not any(code.endswith(("live-state", "system-replaced")) for code in changed)


def _essence(message: JsonObject) -> tuple[Json, ...]:
    """What of a message may be printed, as far as ``edited`` is concerned."""
    calls = [(_function(call).get("name"), json.dumps(_function(call).get("arguments"))) for call in _calls(message)]
    content = message.get("content")
    return (
        str(message.get("role")),
        json.dumps(content) if isinstance(content, list | tuple) else content or "",
        *map(str, calls),
    )


def _reasoning(message: JsonObject) -> str:
    return next((str(message[name]) for name in REASONING if message.get(name)), "")


def _num_media(message: JsonObject) -> int:
    content = message.get("content")
    parts = content if isinstance(content, list | tuple) else ()
    return sum(isinstance(part, Mapping) and part.get("type") in KINDS for part in parts)


def _calls(message: JsonObject) -> list[JsonObject]:
    calls = message.get("tool_calls")
    return [call for call in calls if isinstance(call, Mapping)] if isinstance(calls, list | tuple) else []


def _function(call: JsonObject) -> JsonObject:
    function = call.get("function")
    return function if isinstance(function, Mapping) else {}


def _parsed(value: Json) -> tuple[Json, bool]:
    """The value of arguments, and whether they are a JSON object."""
    try:
        parsed: Json = json.loads(value) if isinstance(value, str) else value
    except (ValueError, RecursionError):
        return value, False
    return parsed, isinstance(parsed, Mapping)


def _plain(value: Json) -> Json:
    """A value without its form: ``True``, ``true`` and ``"true"`` are one, so are 1, 1.0 and ``"1"``."""
    if isinstance(value, Mapping):
        return {key: _plain(value[key]) for key in sorted(value)}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if value is None or isinstance(value, bool):
        return str(value).lower()
    try:
        return str(float(value)) if isinstance(value, str | int | float) else str(value)
    except (ValueError, OverflowError):
        return str(value).strip().lower() if str(value).strip().lower() in ("true", "false", "none", "null") else value


ARGUMENT_CODES = ("args/separators", "args/key-order", "args/type-form", "args/malformed")
MESSAGE_FIXES: dict[str, Fix] = {
    "client/reasoning-dropped": reasoning,
    "client/reasoning-merged": reasoning,
    "client/tool-output-pruned": pruned_output,
    "client/image-evicted": evicted_image,
    "client/whitespace": whitespace,
    "client/tool-call-id-changed": call_ids,
    **{code: arguments(code) for code in ARGUMENT_CODES},
}
OTHER_WAYS = tuple(dict.fromkeys(MESSAGE_FIXES.values()))
