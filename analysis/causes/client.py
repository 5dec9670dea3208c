"""What a client did to messages that it had sent or received before.

Each message on its own, by field; an edit is only called one where nothing more exact fits.  Templates may hide every
one of these: whether it shows is for a render to say.
"""

import re
from collections.abc import Iterator, Sequence

from analysis.causes.args import way_of
from analysis.causes.comparison import Comparison, Place, Suspect
from analysis.causes.fixes import VALUES
from analysis.causes.head import EDITED
from analysis.causes.message_fixes import evicted_image, is_pruned
from analysis.causes.messages import Pair, calls, function, is_system, reasoning, text, without_system
from analysis.causes.structure import pairing
from analysis.causes.volatile_text import ways
from analysis.core.normalise import as_generated
from analysis.core.quoting import quoted
from analysis.model.session import JsonObject

DROPPED = "client/reasoning-dropped"
MERGED = "client/reasoning-merged"
WHITESPACE = "client/whitespace"
INJECTION = "client/moving-injection"
SHORTEST_INJECTION = 8  # characters: a shorter text may stand in two messages by chance
THINK = re.compile(r"<think(?:ing)?>(.*?)</think(?:ing)?>", re.DOTALL)

ECHO = "Send the reasoning of every reply back as it came (the field reasoning or reasoning_content)."
FIXES = {
    DROPPED: ECHO,
    MERGED: "Keep the blocks of reasoning of a reply apart, or send the reply's tokens back.",
    WHITESPACE: "Send contents back as they came: do not strip or add blanks.",
    EDITED: "Do not change messages that were sent before; append instead.",
    INJECTION: "Inject the text once and leave it where it was first sent.",
    "client/tool-output-pruned": "Prune tool outputs in batches, when the history is compacted.",
    "client/image-evicted": "Remove images in batches, when the provider's limit is reached.",
    "client/tool-call-id-changed": "Keep the ids of tool calls as the server gave them; this template prints them.",
}


def changes(comparison: Comparison) -> Iterator[Suspect]:
    """What was changed in every message, in the order of the messages and of their fields."""
    found = pairing(comparison)
    newest = _newest_user(comparison)
    odd = [(index, _moved(index, "inserted into")) for index in found.inserted]
    odd += [(index, _moved(index, "removed from")) for index in found.removed]
    listed: list[tuple[int, Suspect]] = list(odd)
    for pair in found.pairs:
        if pair.replied or pair.old is not pair.new:
            listed += [(pair.index, suspect) for suspect in _message(pair, newest)]
    yield from (suspect for _index, suspect in sorted(listed, key=lambda it: it[0]))


def shows(comparison: Comparison, place: Place) -> Iterator[Suspect]:
    """Reasoning that was flattened and blanks that were changed, where only the generated tokens tell."""
    if not place.in_reply or comparison.reply is None:
        return
    generated = (
        comparison.rendering.text(comparison.old_ids[comparison.prompt_tokens :]) if comparison.rendering else ""
    )
    index = len(comparison.then.request.messages)
    blocks = [block.strip() for block in THINK.findall(generated) if block.strip()]
    echoed = comparison.now.request.messages[index : index + 1]
    if len(blocks) > 1 and echoed and _squeezed(reasoning(echoed[0])) == _squeezed("".join(blocks)):
        said = f"the reply holds {len(blocks)} blocks of reasoning, the request sends them back as one"
        yield Suspect(MERGED, f"messages[{index}].reasoning", said, FIXES[MERGED])
    old, new = _squeezed(place.old_text), _squeezed(place.new_text)
    if _trimmed_by_template(comparison, place, echoed):
        return
    if place.old_text and new.startswith(old) and ".tool_calls[" not in place.new_segment.path + place.old_segment.path:
        said = (
            f"what was generated and what is sent back differ in blanks only: {_shown(place.new_text)} now,"
            f" {_shown(place.old_text)} generated"
        )
        yield Suspect(WHITESPACE, f"messages[{index}].content", said, FIXES[WHITESPACE], "likely")


def _trimmed_by_template(comparison: Comparison, place: Place, echoed: Sequence[JsonObject]) -> bool:
    """Whether the reply was sent back as it came and its leading blanks are gone all the same."""
    reply = comparison.reply or {}
    unchanged = bool(echoed) and echoed[0].get("content") == reply.get("content")
    old, new = (len(text) - len(text.lstrip()) for text in (place.old_text, place.new_text))
    return unchanged and new < old


def _message(pair: Pair, newest: str) -> Iterator[Suspect]:
    yield from _reasoning(pair)
    yield from _content(pair, newest)
    yield from _ids(pair)
    yield from _calls(pair)
    if pair.old.get("name") != pair.new.get("name") and not pair.replied:
        yield _edit(f"{pair.path}.name", "the name differs")


def _reasoning(pair: Pair) -> Iterator[Suspect]:
    old, new = reasoning(pair.old), reasoning(pair.new)
    path = f"{pair.path}.reasoning"
    if old.strip() and not new.strip():
        where = "in the reply" if pair.replied else "in the previous request"
        said = f"{len(old):,} characters of reasoning stand {where} and not in this one: {quoted(old.strip())}"
        yield Suspect(DROPPED, path, said, FIXES[DROPPED])
    elif old.strip() != new.strip() and old.strip() and old.strip() in new:
        said = f"the reasoning was joined with other text: {len(new):,} characters now, {len(old):,} before"
        yield Suspect(MERGED, path, said, FIXES[MERGED])
    elif old.strip() != new.strip():
        what = "the reasoning differs" if old.strip() else "reasoning was added that was not there before"
        yield _edit(path, f"{what}: {quoted(new.strip())} now, {quoted(old.strip())} before")


def _content(pair: Pair, newest: str) -> Iterator[Suspect]:
    old, new = text(as_generated(pair.old) if pair.replied else pair.old), text(pair.new)
    path = f"{pair.path}.content"
    if old == new:
        return
    if old.strip() == new.strip():
        said = f"equal but for the blanks at the ends: {_shown(_blanks(new))} now, {_shown(_blanks(old))} before"
        yield Suspect(WHITESPACE, path, said, FIXES[WHITESPACE])
    elif evicted_image(pair.old, pair.new) is not pair.new:
        said = f"an image of this message is gone; the text is now {quoted(new)}"
        yield Suspect("client/image-evicted", path, said, FIXES["client/image-evicted"])
    elif THINK.sub("", old).strip() == new.strip():
        yield Suspect(DROPPED, path, "the block of reasoning at the head of the content is gone", FIXES[DROPPED])
    elif _is_value(pair, old, new):
        return
    elif pair.role == "tool" and is_pruned(pair.old, pair.new):
        said = f"{len(old):,} characters of tool output became {len(new):,}: {quoted(new)}"
        yield Suspect("client/tool-output-pruned", path, said, FIXES["client/tool-output-pruned"])
    elif (lost := _lost_suffix(pair, old, new)) and lost in newest:
        said = f"the message has lost its end {quoted(lost)}, which now stands in the newest message"
        yield Suspect(INJECTION, path, said, FIXES[INJECTION])
    else:
        yield _edit(path, f"the content differs: {_difference(old, new)}")


def _is_value(pair: Pair, old: str, new: str) -> bool:
    """Whether only a time, a date or a nonce differs: that has a name of its own."""
    found = ways(old, new)
    return (is_system(pair.new) and pair.index == 0) or (
        len(found) == 1 and found <= set(VALUES) and not pair.new.get("tool_calls")
    )


def _lost_suffix(pair: Pair, old: str, new: str) -> str:
    """The end that an older message of the user has lost."""
    if pair.role != "user" or not old.startswith(new.rstrip()):
        return ""
    lost = old[len(new.rstrip()) :].strip()
    return lost if len(lost) >= SHORTEST_INJECTION else ""


def _ids(pair: Pair) -> Iterator[Suspect]:
    code = "client/tool-call-id-changed"
    old = [call.get("id") for call in calls(pair.old)] or [pair.old.get("tool_call_id")]
    new = [call.get("id") for call in calls(pair.new)] or [pair.new.get("tool_call_id")]
    for number, (before, after) in enumerate(zip(old, new, strict=False)):
        if before != after:
            path = f"{pair.path}.tool_calls[{number}]" if calls(pair.new) else f"{pair.path}.tool_call_id"
            yield Suspect(code, path, f"the id is {quoted(str(after))} now and was {quoted(str(before))}", FIXES[code])
            return


def _calls(pair: Pair) -> Iterator[Suspect]:
    """Calls that are others, not only written in another way."""
    old, new = calls(pair.old), calls(pair.new)
    path = f"{pair.path}.tool_calls"
    if len(old) != len(new):
        yield _edit(f"{path}[{min(len(old), len(new))}]", f"{len(new)} tool calls now, {len(old)} before")
        return
    for number, (before, after) in enumerate(zip(old, new, strict=True)):
        if function(before).get("name") != function(after).get("name"):
            called, was = quoted(str(function(after).get("name"))), quoted(str(function(before).get("name")))
            yield _edit(f"{path}[{number}]", f"{called} is called, it was {was}")
        elif function(before).get("arguments") != function(after).get("arguments") and way_of(before, after) is None:
            yield _edit(
                f"{path}[{number}]", f"the arguments differ: {_arguments(after)} now, {_arguments(before)} before"
            )


def _arguments(call: JsonObject) -> str:
    return quoted(str(function(call).get("arguments")))


def _moved(index: int, how: str) -> Suspect:
    return _edit(f"messages[{index}].content", f"message {index + 1} was {how} the history")


def _edit(path: str, said: str) -> Suspect:
    return Suspect(EDITED, path, said, FIXES[EDITED])


def _difference(old: str, new: str) -> str:
    at = next((at for at, (left, right) in enumerate(zip(old, new, strict=False)) if left != right), 0)
    start = max(0, at - 20)
    return f"{quoted(new[start:])} now, {quoted(old[start:])} before"


def _newest_user(comparison: Comparison) -> str:
    """The messages of a user behind the old history."""
    behind = comparison.now.request.messages[len(comparison.then.request.messages) :]
    return "\n".join(text(one) for one in without_system(behind) if one.get("role") == "user")


def _blanks(value: str) -> str:
    head = value[: len(value) - len(value.lstrip())]
    tail = value[len(value.rstrip()) :] if value.strip() else ""
    return f"{head}…{tail}"


def _shown(value: str) -> str:
    """The beginning of a text with its blanks visible."""
    return quoted(value[:24].replace("\t", "\\t"))


def _squeezed(value: str) -> str:
    return "".join(value.split())
