"""Attributes of spans: OTLP's typed values as plain JSON, and names with dots as a tree.

A tree holds ``llm.input_messages.0.message.role`` under ``llm``, ``input_messages``, ``0``, ``message``, ``role``,
however deep the exporter had nested it.  Does not know what an attribute means.
"""

from collections.abc import Iterable
from typing import TypeAlias

from analysis.formats.calls import dig, mapping, objects
from analysis.model.session import Json, JsonObject

Tree: TypeAlias = "dict[str, Json]"

DEEPEST = 32  # names within one name, and values within one value
SCALARS = ("stringValue", "boolValue", "doubleValue", "bytesValue")


def plain(value: Json, depth: int = 0) -> Json:
    """An AnyValue of OTLP as the value that it holds; integers come as text there.

    >>> plain({"arrayValue": {"values": [{"intValue": "7"}]}})
    [7]
    """
    held = mapping(value)
    if depth > DEEPEST:
        return None
    if (number := held.get("intValue")) is not None:
        return int(number) if isinstance(number, str) and number.lstrip("-").isdecimal() else number
    if "arrayValue" in held:
        return [plain(item, depth + 1) for item in objects(dig(held, "arrayValue", "values"))]
    if "kvlistValue" in held:
        return by_key(dig(held, "kvlistValue", "values"), depth + 1)
    return next((held[name] for name in SCALARS if name in held), None)


def by_key(pairs: Json, depth: int = 0) -> Tree:
    """A list of ``{key, value}`` as an object of plain values."""
    return {key: plain(pair.get("value"), depth) for pair in objects(pairs) if isinstance(key := pair.get("key"), str)}


def tree(attributes: Iterable[tuple[str, Json]]) -> Tree:
    """Attributes by the parts of their names; where a name is both a value and a holder of others, the others stay."""
    found: Tree = {}
    for name, value in attributes:
        *path, last = name.split(".")[:DEEPEST]
        holder = found
        for step in path:
            inner = holder.get(step)
            if not isinstance(inner, dict):
                inner = holder[step] = {}
            holder = inner
        _put(holder, last, value)
    return found


def listed(value: Json) -> list[Json]:
    """The items of a list, or of the object that numbered attributes became; of the JSON text of a list as well."""
    if isinstance(value, dict):
        numbers = sorted((int(key), key) for key in value if key.isdecimal() and len(key) < 9)
        return [value[key] for _number, key in numbers]
    return list(value) if isinstance(value, list) else list(objects(value))


def has_gaps(value: Json) -> bool:
    """Whether numbered attributes lack one in between: their exporter dropped some."""
    numbers = [int(key) for key in value if key.isdecimal() and len(key) < 9] if isinstance(value, dict) else []
    return bool(numbers) and max(numbers) != len(numbers) - 1


def inner(value: Json, name: str) -> JsonObject:
    """What stands under a name in an item: as an object, or still as names with dots."""
    held = mapping(value)
    within = mapping(tree(held.items()).get(name))
    return within or held


def _put(holder: Tree, name: str, value: Json) -> None:
    known = holder.get(name)
    if isinstance(known, dict):
        known.update(value if isinstance(value, dict) else {})
    else:
        holder[name] = dict(value) if isinstance(value, dict) else value
