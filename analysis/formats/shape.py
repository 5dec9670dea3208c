"""What the first bytes of a file look like: the JSON objects that it begins with, for formats to know their own by.

Reads no more than a few objects, once per file, and stands a file that was cut off.  Does not decode their values.
"""

import json
import re
from collections.abc import Iterator
from functools import lru_cache

import msgspec

from analysis.formats import jsontext
from analysis.formats.calls import mapping
from analysis.formats.jsontext import Fields
from analysis.model.session import Json

MOST = 24  # objects that are looked at
DEEPEST = 64  # objects within objects that a search goes down

# Fields by which another tool's file is known, whatever else it has in common with a plain request or transcript.
OTHERS = frozenset(
    {
        *("trajectory", "trajectory_format", "mini_version", "traj", "simulations"),  # mini-swe-agent, SWE-agent, tau
        *("call_type", "custom_llm_provider", "spend"),  # LiteLLM
        *("latency_sec", "raw_response", "raw_messages", "kwargs"),  # OpenHands
        *("resourceSpans", "observations", "parentObservationId", "span_id", "dotted_order"),  # tracing
        *("parent_observation_id", "usageDetails", "usage_details"),
        *("eval", "samples", "captureData", "sessionUpdate", "systemPrompt", "system_prompt"),
        "responseIsBinary",  # nock
        *("parentUuid", "isSidechain", "modelInfo", "conversations"),
    }
)
NOTHING = msgspec.Raw(b"null")
# A string that is not closed reaches to the end: were it passed over, each quote in it would be tried anew.
_MARK = re.compile(r'"((?:[^"\\]++|\\.)*+)(?:"|\\?\Z)|[{}\[\]:,]', re.DOTALL)


@lru_cache(maxsize=1)
def opening(head: bytes) -> tuple[Fields, ...]:
    """The first objects of a file, of which some line or array item may be broken; empty where there are none.

    Of a single object that is longer than these bytes only the names of its fields are known, their values are null.
    """
    text = head.removeprefix(jsontext.BOM).lstrip(jsontext.BLANK)
    if text.startswith(b"["):
        found = tuple(_of_array(text))
        if found:
            return found
    if text.startswith(b"{") and (whole := _fields(text)) is not None:
        return (whole,)
    lines = tuple(_of_lines(text))
    if lines or not text.startswith(b"{"):
        return lines
    names = _names(text.decode("utf-8", "replace"))
    return (dict.fromkeys(names, NOTHING),) if names else ()


def has(head: bytes, *names: str) -> bool:
    """Whether one of the first objects has all these fields."""
    return any(all(name in record for name in names) for record in opening(head))


def value(record: Fields, name: str) -> Json:
    """A field, decoded; None where it is not there."""
    return jsontext.decode(record[name]) if name in record else None


def inner(record: Fields, name: str) -> dict[str, Json]:
    """The object in a field, or in the JSON text there; empty where there is none."""
    return mapping(value(record, name))


def _of_lines(text: bytes) -> Iterator[Fields]:
    start = found = tried = 0
    while start < len(text) and found < MOST and tried < 4 * MOST:
        stop = text.find(b"\n", start)
        stop = len(text) if stop < 0 else stop
        line = text[start:stop].strip(jsontext.BLANK)
        start = stop + 1
        tried += bool(line)
        if line.startswith(b"{") and (record := _fields(line)) is not None:
            found += 1
            yield record


def _of_array(text: bytes) -> Iterator[Fields]:
    """The first objects of an array, whether it is closed within these bytes or not."""
    source, decoder = text.decode("utf-8", "replace"), json.JSONDecoder()
    place, found = 1, 0
    while found < MOST:
        place += len(source[place : place + 4096]) - len(source[place : place + 4096].lstrip(" \t\r\n,"))
        if source[place : place + 1] != "{":
            return
        try:
            _value, stop = decoder.raw_decode(source, place)
        except (ValueError, RecursionError):
            return
        record = _fields(source[place:stop].encode("utf-8", "replace"))
        if record is not None:
            yield record
        place, found = stop, found + 1


def _fields(raw: bytes) -> Fields | None:
    try:
        return jsontext.fields(raw)
    except ValueError:
        return None


def _names(text: str) -> list[str]:
    """The field names of an object that is not closed within this text."""
    depth, names, pending = 0, [], ""
    for found in _MARK.finditer(text):
        sign = found[0]
        if sign in ("{", "["):
            depth += 1
        elif sign in ("}", "]"):
            depth -= 1
        elif sign == ":" and depth == 1 and pending:
            names.append(pending)
        pending = found[1] if sign.startswith('"') and depth == 1 else ""
        if depth > DEEPEST:
            break
    return names
