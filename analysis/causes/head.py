"""What changes at the head of a prompt, and the values that change wherever they stand: times, dates, nonces.

A value is classified in the whole line that holds the first difference.  Does not know who wrote a value into a text,
only that it is another one than before.
"""

import json
from collections.abc import Iterator
from dataclasses import replace

from analysis.causes.comparison import Comparison, Place, Suspect
from analysis.causes.fixes import SYSTEM_ADDED, TEMPLATE_DATE, VALUES
from analysis.causes.messages import Pair, system_of, text
from analysis.causes.structure import pairing
from analysis.causes.volatile_text import (
    CLIENT_DATE,
    CLIENT_TIMESTAMP,
    LIVE_STATE,
    REQUEST_NONCE,
    SYSTEM_REPLACED,
    same_start,
    ways,
)
from analysis.core.quoting import SHOWN, listed, quoted
from analysis.model.session import JsonObject

EDITED = "client/history-edited"
WHOLE = 1_000  # characters of options that a fix names: they are to be copied
CLOCK = "strftime_now"  # the function by which a template asks for the time
TEMPLATE_KWARG = "volatile-head/template-kwarg"

FIXES = {
    CLIENT_TIMESTAMP: "Pin the time to the start of the session, or write it into the newest message of the user.",
    CLIENT_DATE: "Pin the date to the start of the session, or write it into the newest message of the user.",
    REQUEST_NONCE: "Leave the value out of the prompt (Claude Code: CLAUDE_CODE_ATTRIBUTION_HEADER=0).",
    LIVE_STATE: "Append the state to the newest message, and only when it has changed.",
    SYSTEM_REPLACED: "Freeze the system message for the whole session.",
    SYSTEM_ADDED: "Send the system message from the first turn on.",
}
WHAT = {
    CLIENT_TIMESTAMP: "a time differs",
    CLIENT_DATE: "a date differs",
    REQUEST_NONCE: "a value of one request differs",
    LIVE_STATE: "a part of the text differs",
    SYSTEM_REPLACED: "less than half of the text is left",
}


def changes(comparison: Comparison) -> Iterator[Suspect]:
    """Kwargs and the clock of the template, the system message, and values in any message of the history."""
    yield from _kwargs(comparison)
    yield from _clock(comparison)
    yield from _system(comparison)
    for pair in pairing(comparison).pairs:
        if pair.old is not pair.new:
            yield from _values(pair)


def shows(comparison: Comparison, place: Place) -> Iterator[Suspect]:
    """What differs in a prompt that was sent as one text or as ids, told by the line around it."""
    if comparison.now.request.messages or comparison.now.request.kind != "completion":
        return
    old, new = place.before + place.old_text, place.before + place.new_text
    code = first_way(old, new)
    if code in VALUES:
        yield replace(said_of(code, "prompt", old, new), confidence="likely")
    else:
        before, after = quoted(place.old_text), quoted(place.new_text)
        said = f"the prompt differs from the previous one before its end: {after} now, {before} before"
        yield Suspect(EDITED, "prompt", said, "Do not change what was sent before; append instead.", "likely")


def _kwargs(comparison: Comparison) -> Iterator[Suspect]:
    then, now = comparison.then.request.template_kwargs, comparison.now.request.template_kwargs
    names = [name for name in {**then, **now} if then.get(name) != now.get(name)]
    if names:
        was = listed([f"{name}={json.dumps(then.get(name))}" for name in names])
        said = listed([f"{name}={json.dumps(now.get(name))}" for name in names])
        kept = quoted(json.dumps(dict(then)), shown=WHOLE) if then else "the template's own defaults"
        yield Suspect(
            TEMPLATE_KWARG,
            f"chat_template_kwargs.{names[0]}",
            f"the template gets {said} now and got {was} before",
            f"Keep chat_template_kwargs: {kept} for the whole session.",
        )


def _clock(comparison: Comparison) -> Iterator[Suspect]:
    rendering = comparison.rendering
    if rendering is None or CLOCK not in rendering.names or comparison.then.at == comparison.now.at:
        return
    pinned = "date_string" in rendering.names
    knob = 'chat_template_kwargs: {"date_string": "…"}' if pinned else "a template that does not ask for the time"
    yield Suspect(
        TEMPLATE_DATE,
        "template",
        "no field of the request differs here: the template asks for the time, and with the time of the previous"
        " request it renders the same",
        f"Pin the date with {knob} (gpt-oss: VLLM_SYSTEM_START_DATE).",
    )


def _system(comparison: Comparison) -> Iterator[Suspect]:
    then, now = system_of(comparison.then.request), system_of(comparison.now.request)
    path = "messages[0].content"
    if then is None and now is not None:
        said = f"a system message stands at the head that the previous request did not have: {quoted(text(now))}"
        yield Suspect(SYSTEM_ADDED, path, said, FIXES[SYSTEM_ADDED])
    elif now is None and then is not None:
        said = f"the system message of the previous request is gone: {quoted(text(then))}"
        yield Suspect(SYSTEM_REPLACED, path, said, FIXES[SYSTEM_REPLACED], undo=SYSTEM_ADDED)
    elif then is not None and now is not None and text(then).strip() != text(now).strip():
        old, new = text(then), text(now)
        found = ways(old, new)
        code = SYSTEM_REPLACED if SYSTEM_REPLACED in found else first_way(old, new)
        yield said_of(code, path, old, new)


def _values(pair: Pair) -> Iterator[Suspect]:
    """A time, date or nonce that is all that differs in a message."""
    old, new = text(pair.old), text(pair.new)
    found = ways(old, new)
    if len(found) == 1 and found <= set(VALUES) and not _is_only_text(pair.new) and old.strip() != new.strip():
        (code,) = found
        yield said_of(code, f"{pair.path}.content", old, new)


def _is_only_text(message: JsonObject) -> bool:
    return message.get("role") == "assistant" and bool(message.get("tool_calls"))


def first_way(old: str, new: str) -> str:
    """The code of the first difference of two texts, told by the line that holds it."""
    before, after = _lines(old, new)
    found = ways(before, after)
    return next((code for code in VALUES if code in found), LIVE_STATE)


def said_of(code: str, path: str, old: str, new: str) -> Suspect:
    """A suspect for a text that differs, with both values."""
    before, after = _lines(old, new)
    at = same_start(before, after)
    start = after.find(" ", max(0, at - SHOWN // 2), at) + 1 if at > SHOWN // 2 else 0
    said = f"{WHAT[code]}: {quoted(after[start:])} now, {quoted(before[start:])} before"
    return Suspect(code, path, said, FIXES[code])


def _lines(old: str, new: str) -> tuple[str, str]:
    """The lines of two texts that hold the first difference."""
    at = same_start(old, new)
    start = old.rfind("\n", 0, at) + 1
    return old[start:].partition("\n")[0], new[start:].partition("\n")[0]
