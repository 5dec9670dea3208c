"""Causes where nothing can be rendered: the changes of the request in the order in which most templates print them.

Approximate by nature: whether a template prints a change at all is not known, so nothing here is more than possible.
"""

import json
from dataclasses import replace

from analysis.causes.args import FIXES
from analysis.causes.comparison import ChangeFamily, Comparison, Suspect
from analysis.causes.message_fixes import arguments_way
from analysis.causes.messages import calls, function, reasoning, without_system
from analysis.causes.peel import Found
from analysis.causes.template import STRIPPED, message_index
from analysis.core.align import common_prefix
from analysis.core.normalise import parse_arguments
from analysis.core.quoting import quoted
from analysis.model.finding import UNEXPLAINED

APPROXIMATE = "approximate, from the requests alone: "
FIELDS = ("role", "reasoning", "content", "tool_calls", "tool_call_id", "name")


def listed(comparison: Comparison, changes: tuple[ChangeFamily, ...]) -> list[Found]:
    """The changes of the request, one per code; the first stands where the tokens part, the others somewhere behind."""
    token = common_prefix(comparison.old_ids, comparison.new_ids)
    if token >= min(len(comparison.old_ids), len(comparison.new_ids)):
        return []
    in_reply = token >= comparison.prompt_tokens
    guess = _respaced(comparison) if in_reply else _stripped(comparison)
    named = changed(comparison, changes) or [guess or _unexplained(token)]
    return [Found(_possible(one), None if at else token) for at, one in enumerate(named)]


def changed(comparison: Comparison, changes: tuple[ChangeFamily, ...]) -> list[Suspect]:
    """The changes of a request in the order of its prompt, the first of each code, up to the first deliberate one."""
    suspects = [suspect for family in changes for suspect in family.changes(comparison)]
    first = {suspect.code: suspect for suspect in sorted(suspects, key=_order, reverse=True)}
    ordered = sorted(first.values(), key=_order)
    stop = next((at for at, one in enumerate(ordered) if one.deliberate), len(ordered))
    return ordered[: stop + 1]


def _order(suspect: Suspect) -> tuple[int, int, int]:
    return printed(suspect.path)


def printed(path: str) -> tuple[int, int, int]:
    """The place of a field in a prompt, as most templates print it; fields sort by it."""
    index = message_index(path)
    if path.startswith("tools["):
        return 2, int(path[6:-1]), 0
    if index is None:
        return 0, 0, 0
    name = path.partition(".")[2].partition("[")[0]
    place = FIELDS.index(name) if name in FIELDS else len(FIELDS)
    return (1, 0, place) if index == 0 else (3, index, place)


def _possible(suspect: Suspect) -> Suspect:
    said = suspect.evidence if suspect.code == UNEXPLAINED else APPROXIMATE + suspect.evidence
    return replace(suspect, confidence="possible", evidence=said)


def _stripped(comparison: Comparison) -> Suspect | None:
    """Reasoning in the history and a new message of the user: what most templates strip then."""
    then, now = comparison.then.request.messages, comparison.now.request.messages
    asked = any(one.get("role") == "user" for one in now[len(then) :])
    history = without_system([*then, *([comparison.reply] if comparison.reply else [])])
    index = next((at for at, one in enumerate(history) if reasoning(one).strip()), None)
    if not asked or index is None:
        return None
    place = index + len(then) - len(without_system(then))
    said = "the messages only grew, the history holds reasoning and the user wrote anew: most templates strip it then"
    fix = "Render the requests with the model's template to see which knob keeps the reasoning (--model)."
    return Suspect(STRIPPED, f"messages[{place}].reasoning", said, fix)


def _respaced(comparison: Comparison) -> Suspect | None:
    """A call of the reply whose argument string is not as the server writes it anew."""
    index = len(comparison.then.request.messages)
    for number, call in enumerate(calls(comparison.reply) if comparison.reply else ()):
        written = function(call).get("arguments")
        anew = json.dumps(parse_arguments(written), ensure_ascii=False)
        code = arguments_way(written, anew)
        if code is not None:
            said = f"the reply wrote {quoted(str(written))}, which the server writes anew as {quoted(anew)}"
            return Suspect(code, f"messages[{index}].tool_calls[{number}]", said, FIXES[code])
    return None


def _unexplained(token: int) -> Suspect:
    said = f"the prompts part at token {token:,} and no change of the request explains it; nothing could be rendered"
    return Suspect(UNEXPLAINED, "template", said, "Render the requests (--model or --endpoint).")
