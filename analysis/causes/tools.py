"""Tools: another set, another order, another description, or the same schema written in another order.

Compared by name, after vLLM's normalisation.  Whether a template prints what differs is for a render to say.
"""

import json
import re
from collections.abc import Iterator

import numpy as np

from analysis.causes.comparison import Comparison, Place, Suspect
from analysis.causes.fixes import VALUES
from analysis.causes.head import FIXES, WHAT
from analysis.causes.volatile_text import ways
from analysis.core.normalise import normalise_tool
from analysis.core.quoting import listed, quoted
from analysis.model.prompt import Attribution
from analysis.model.session import Json, JsonObject

SET = "tools/set-changed"
ORDER = "tools/order"
DESCRIPTION = "tools/description-changed"
KEY_ORDER = "tools/schema-key-order"


def changes(comparison: Comparison) -> Iterator[Suspect]:
    """Every way in which the tools differ, in the order of their places."""
    then, now = comparison.then.request.tools, comparison.now.request.tools
    same = len(then) == len(now) and all(old is new for old, new in zip(then, now, strict=True))
    if same or (then == now and _dumped(then) == _dumped(now)):
        return
    found = [*_set(then, now), *_order(then, now), *_definitions(then, now)]
    yield from sorted(found, key=lambda suspect: int(suspect.path[6:-1]))


def shows(suspect: Suspect, comparison: Comparison, place: Place) -> bool:
    """Whether the template prints what differs in a tool: a permuted schema has the same words in another order."""
    if not suspect.path.startswith("tools[") or suspect.code in (SET, ORDER):
        return True
    now, index = comparison.now.request.tools, int(suspect.path[6:-1])
    names = [name_of(tool) for tool in comparison.then.request.tools]
    before = f"tools[{names.index(name_of(now[index]))}]"
    old, new = _printed(place.old, before), _printed(place.new, suspect.path)
    return (
        old != new if suspect.code == KEY_ORDER else sorted(re.findall(r"\w+", old)) != sorted(re.findall(r"\w+", new))
    )


def token_of(suspect: Suspect, place: Place) -> int:
    """The first token of a tool in this turn's prompt; 0 where it is not printed."""
    start = next((span.start for span in place.new.spans if span.path == suspect.path), 0)
    return max(0, int(np.searchsorted(place.new.token_starts, start, side="right")) - 1)


def _printed(side: Attribution, path: str) -> str:
    """What a prompt prints of one tool."""
    found = [span for span in side.spans if span.path == path]
    return side.text[found[0].start : found[-1].stop] if found else ""


def name_of(tool: JsonObject) -> str:
    """The name of a tool, in the form of the chat API or in that of the Responses API."""
    function = tool.get("function")
    return str(function.get("name") if isinstance(function, dict) else tool.get("name"))


def _set(then: tuple[JsonObject, ...], now: tuple[JsonObject, ...]) -> Iterator[Suspect]:
    old, new = [name_of(tool) for tool in then], [name_of(tool) for tool in now]
    added, removed = [name for name in new if name not in old], [name for name in old if name not in new]
    if not added and not removed:
        return
    places = [new.index(name) for name in added] + [old.index(name) for name in removed]
    said = [f"added: {listed(added)}"] if added else []
    said += [f"removed: {listed(removed)}"] if removed else []
    fix = "Send the same tools on every turn" + (
        "; to forbid calls keep them and send tool_choice: none." if not now else "."
    )
    yield Suspect(SET, f"tools[{min(places)}]", f"the set of tools differs, {'; '.join(said)}", fix)


def _order(then: tuple[JsonObject, ...], now: tuple[JsonObject, ...]) -> Iterator[Suspect]:
    old, new = [name_of(tool) for tool in then], [name_of(tool) for tool in now]
    before, after = [name for name in old if name in new], [name for name in new if name in old]
    if before == after or sorted(before) != sorted(after):
        return
    first = next(name for name, other in zip(after, before, strict=True) if name != other)
    said = f"the same tools in another order: {listed(after)} now, {listed(before)} before"
    yield Suspect(ORDER, f"tools[{new.index(first)}]", said, "Sort the tools by name.")


def _definitions(then: tuple[JsonObject, ...], now: tuple[JsonObject, ...]) -> Iterator[Suspect]:
    """What differs inside of a tool, the first of each kind."""
    known = {name_of(tool): tool for tool in reversed(then)}
    told = set()
    for index, tool in enumerate(now):
        old = known.get(name_of(tool))
        for found in () if old is None else _definition(index, old, tool):
            if found.code not in told:
                told.add(found.code)
                yield found


def _definition(index: int, then: JsonObject, now: JsonObject) -> Iterator[Suspect]:
    old, new = normalise_tool(then), normalise_tool(now)
    path = f"tools[{index}]"
    if json.dumps(old, sort_keys=True) != json.dumps(new, sort_keys=True):
        yield _other(path, old, new)
    if _permuted(old, new):
        said = f"the keys of {quoted(name_of(now))} stand in another order"
        yield Suspect(KEY_ORDER, path, said, "Write schemas from maps that keep their order.")


def _permuted(old: Json, new: Json) -> bool:
    """Whether keys that both have stand in another order, at any depth."""
    if isinstance(old, dict) and isinstance(new, dict):
        before, after = [key for key in old if key in new], [key for key in new if key in old]
        return before != after or any(_permuted(old[key], new[key]) for key in before)
    if isinstance(old, list) and isinstance(new, list):
        return any(_permuted(one, other) for one, other in zip(old, new, strict=False))
    return False


def _other(path: str, old: JsonObject, new: JsonObject) -> Suspect:
    """A tool that says something else than before."""
    name = quoted(name_of(new))
    found = ways(json.dumps(old, ensure_ascii=False), json.dumps(new, ensure_ascii=False))
    if len(found) == 1 and found <= set(VALUES):
        (code,) = found
        return Suspect(code, path, f"{name}: {WHAT[code]}", FIXES[code], undo=DESCRIPTION)
    said = f"{name} differs in {_differing(old, new)}"
    return Suspect(DESCRIPTION, path, said, "Move lists that change out of the descriptions of tools.")


def _differing(old: Json, new: Json) -> str:
    """The fields of the function that differ."""
    before, after = (side.get("function") if isinstance(side, dict) else None for side in (old, new))
    if not isinstance(before, dict) or not isinstance(after, dict):
        return "its definition"
    names = [name for name in {**before, **after} if before.get(name) != after.get(name)]
    return listed(names) if names else "its definition"


def _dumped(tools: tuple[JsonObject, ...]) -> list[str]:
    return [json.dumps(normalise_tool(tool)) for tool in tools]
