"""The history as a whole: compacted, trimmed, edited, answered again, branched off, or interrupted by a side request.

All but the trimmed window are what a person or an agent wanted: deliberate, and no fault.  Says nothing where every
message of the old history still stands in its place.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import lru_cache

from analysis.causes.comparison import Comparison, Suspect
from analysis.causes.messages import Key, Pairing, alike, key, paired, system_of, text, without_system
from analysis.causes.volatile_text import survives
from analysis.model.finding import Confidence
from analysis.model.session import JsonObject, Request

NONE_NEEDED = "None needed: this was meant."
FEW_MESSAGES = 2  # behind the system message: a request that short may be a side request
FAITHFUL = 0.5  # of a history: with less left it was compacted


def shape(comparison: Comparison) -> tuple[Suspect, int] | None:
    """What was done to the history as a whole, and from which message behind the system message on; None if nothing."""
    old, new = without_system(comparison.then.request.messages), without_system(comparison.now.request.messages)
    if not old or not new:
        return None
    same = _common(old, new)
    if same == len(old):
        return None
    if same == len(new):
        return _deliberate(comparison, "client/regenerate", same - 1, _again(same)), same
    before, after = [key(one) for one in old], [key(one) for one in new]
    for found in (
        _edited(comparison, old, new, same),
        _branched(comparison, before, after, same),
        _side_request(comparison, before, after, same),
        _trimmed(comparison, before, after, same),
        _compacted(comparison, before, after, same),
    ):
        if found is not None:
            return found, same
    return None


def changes(comparison: Comparison) -> Iterator[Suspect]:
    """What was done to the history as a whole."""
    found = shape(comparison)
    if found is not None:
        yield found[0]


@lru_cache(maxsize=1)
def pairing(comparison: Comparison) -> Pairing:
    """The messages that stand in both histories, as far as the history is one; every family of causes asks for them."""
    found = shape(comparison)
    limit = None if found is None else found[1]
    return paired(comparison.then.request, comparison.now.request, comparison.reply, limit)


def _edited(comparison: Comparison, old: list[JsonObject], new: list[JsonObject], same: int) -> Suspect | None:
    """Only a message of the user differs, and nothing stands behind it any more."""
    if same != len(new) - 1 or old[same].get("role") != "user" or new[same].get("role") != "user":
        return None
    if same == 0 and _changed_agent(comparison):
        return None  # other instructions and another question: not this conversation
    if len(old) > 1 and same == 0 and _is_summary(new[0]):
        return None
    gone = len(old) - len(new)
    behind = f" and {gone} later {'messages are' if gone > 1 else 'message is'} gone" if gone > 0 else ""
    said = f"only the last message differs, and it is the user's{behind}"
    return _deliberate(comparison, "client/user-edit", same, said)


def _branched(comparison: Comparison, before: list[Key], after: list[Key], same: int) -> Suspect | None:
    """Nothing of the history behind an older turn is left, and the messages go on from there."""
    reply = [key(comparison.reply)] if comparison.reply is not None else []
    behind = [*before[same:], *reply]
    returned = not same and _changed_agent(comparison)  # from a side request
    if comparison.continues is None or any(one in behind for one in after[same:]):
        return None
    if len(behind) < FEW_MESSAGES and not returned:
        return None
    said = f"the messages go on from turn {comparison.continues}, nothing of what followed it is left"
    return replace(_deliberate(comparison, "client/branch", same, said), whole=returned)


def _side_request(comparison: Comparison, before: list[Key], after: list[Key], same: int) -> Suspect | None:
    """Other instructions, short, and the session does not come back to it."""
    if same or len(after) > max(FEW_MESSAGES, len(before) // 2) or not _changed_agent(comparison):
        return None
    returns = comparison.later is not None and _shares_more(comparison.later, after, before)
    if returns:
        return None
    said = "other instructions and none of the messages: a title, a summary or a sub-agent grouped into the session"
    sure: Confidence = "likely" if comparison.later is not None else "possible"
    return replace(_deliberate(comparison, "client/side-request", 0, said), confidence=sure, whole=True)


def _trimmed(comparison: Comparison, before: list[Key], after: list[Key], same: int) -> Suspect | None:
    """What remains of the history is an exact suffix, behind the messages that stayed at its head."""
    whole = [*before, key(comparison.reply)] if comparison.reply is not None else before
    rest = after[same:]
    for gone in range(1, len(whole) - same):
        suffix = whole[same + gone :]
        if rest[: len(suffix)] == suffix and len(rest) >= len(suffix):
            said = f"the history is that of the previous turn without {gone} messages from message {same + 1} on"
            fix = "Drop old messages rarely and many at once (a low-water mark), not a few on every turn."
            return Suspect("client/window-trim", _path(comparison, same), said, fix)
    return None


def _compacted(comparison: Comparison, before: list[Key], after: list[Key], same: int) -> Suspect | None:
    """At least half of the messages are gone, and a new text stands where they stood."""
    left = list(after)
    gone = 0
    for one in before:
        if one in left:
            left.remove(one)
        else:
            gone += 1
    if gone < FAITHFUL * len(before) or len(after) >= len(before) or after[same] in before:
        return None
    said = f"{len(before)} messages became {len(after)}, {gone} of them are gone and a new text stands at {same + 1}"
    return _deliberate(comparison, "client/compaction", same, said)


def _deliberate(comparison: Comparison, code: str, at: int, said: str) -> Suspect:
    return Suspect(code, _path(comparison, at), said, NONE_NEEDED, "likely", deliberate=True)


def _again(same: int) -> str:
    return f"the request ends with message {same} of the previous one: it is answered again from there"


def _path(comparison: Comparison, at: int) -> str:
    offset = 1 if system_of(comparison.now.request) is not None else 0
    return f"messages[{at + offset}].content"


def _changed_agent(comparison: Comparison) -> bool:
    """Whether the instructions or the tools are another agent's."""
    then, now = comparison.then.request, comparison.now.request
    old, new = system_of(then), system_of(now)
    if (old is None) != (new is None):
        return True
    if old is not None and new is not None and not survives(text(old), text(new)):
        return True
    return _names(then) != _names(now)


def _names(request: Request) -> list[str]:
    return sorted(str(tool.get("function", tool)) for tool in request.tools)


def _shares_more(later: Request, after: list[Key], before: list[Key]) -> bool:
    """Whether a later request goes on with ``after`` rather than with ``before``."""
    keys = [key(one) for one in without_system(later.messages)]
    return _equal(keys, after) > _equal(keys, before)


def _is_summary(message: JsonObject) -> bool:
    said = text(message).lower()
    return "summar" in said or "compact" in said


def _equal(left: Sequence[Key], right: Sequence[Key]) -> int:
    shortest = min(len(left), len(right))
    return next((at for at in range(shortest) if left[at] != right[at]), shortest)


def _common(old: Sequence[JsonObject], new: Sequence[JsonObject]) -> int:
    """How many messages from the first on are the same."""
    shortest = min(len(old), len(new))
    return next((at for at in range(shortest) if not alike(old[at], new[at])), shortest)
