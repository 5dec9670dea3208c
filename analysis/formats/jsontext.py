"""JSON as it is found in logs: one value a line, one array, or one pretty-printed object.

Does not interpret the values.  Lone surrogates and NaN, which JSON writers do emit, are replaced, not refused.
"""

import json
import math
from collections.abc import Iterator
from typing import TypeAlias

import msgspec

from analysis.formats.base import Problems, Progress
from analysis.formats.stored import Data, head_of, whole
from analysis.model.session import Json

Fields: TypeAlias = dict[str, msgspec.Raw]

BLANK = b" \t\r\n\v\f\0"  # a rotated file may begin with the zeros of the one it was
BOM = b"\xef\xbb\xbf"
_FIELDS = msgspec.json.Decoder(Fields)
_ANY = msgspec.json.Decoder()
_ITEMS = msgspec.json.Decoder(list[msgspec.Raw])

CUT_LINE = "the last line is incomplete: still being written? Import again when it is whole."
NO_JSON = "not a JSON object: this line was left out. Check how the log was written."


def decode(raw: bytes | memoryview | msgspec.Raw) -> Json:
    """Decode one JSON value; raise ValueError where it is none."""
    try:
        return _ANY.decode(raw)  # type: ignore[no-any-return]
    except (msgspec.MsgspecError, RecursionError):
        return _lenient(bytes(raw))


def fields(raw: bytes | memoryview | msgspec.Raw) -> Fields:
    """Split one JSON object into its fields, their values undecoded; raise ValueError where it is none."""
    try:
        return _FIELDS.decode(raw)
    except (msgspec.MsgspecError, RecursionError):
        value = _lenient(bytes(raw))
        if not isinstance(value, dict):
            raise ValueError("not a JSON object") from None
        return _FIELDS.decode(msgspec.json.encode(value))


def items(raw: bytes | memoryview | msgspec.Raw) -> list[msgspec.Raw]:
    """Split one JSON array into its values, undecoded; raise ValueError where it is none."""
    try:
        return _ITEMS.decode(raw)
    except (msgspec.MsgspecError, RecursionError):
        value = _lenient(bytes(raw))
        if not isinstance(value, list):
            raise ValueError("not a JSON array") from None
        return _ITEMS.decode(msgspec.json.encode(value))


def records(data: Data, problems: Problems, progress: Progress | None = None) -> Iterator[tuple[int, Fields]]:
    """Yield every JSON object of a log with its 1-based line (of an array: its 1-based position)."""
    if (objects := _whole(data)) is not None:
        for number, item in enumerate(objects, 1):
            if (record := _record(item, number, problems, last=False)) is not None:
                yield number, record
        return
    done = 0
    for number, raw in enumerate(_lines(data), 1):
        done += len(raw)
        if progress is not None:
            progress(done, len(data))
        line = (raw.removeprefix(BOM) if number == 1 else raw).strip(BLANK)
        if line and (record := _record(line, number, problems, last=not raw.endswith(b"\n"))) is not None:
            yield number, record


def _lines(data: Data) -> Iterator[bytes]:
    """The lines with their line ends; the last may have none."""
    if not isinstance(data, bytes):
        yield from data.lines()
        return
    start = 0
    while start < len(data):
        stop = data.find(b"\n", start) + 1 or len(data)
        yield data[start:stop]
        start = stop


def _whole(data: Data) -> list[msgspec.Raw] | list[bytes] | None:
    """The records of a file that is one JSON array or one object over several lines; None where it is lines."""
    head = head_of(data, 1024).removeprefix(BOM).lstrip()
    is_array = head.startswith(b"[")
    if not is_array and (not head.startswith(b"{") or _first_line(data).endswith(b"}")):
        return None
    text = whole(data).removeprefix(BOM)
    try:
        if is_array:
            return items(text)
        fields(text)
    except ValueError:
        return None
    return [text]


def _first_line(data: Data) -> bytes:
    lines = (line.removeprefix(BOM).strip() for line in _lines(data))
    return next((line for line in lines if line), b"")


def _record(line: bytes | msgspec.Raw, number: int, problems: Problems, last: bool) -> Fields | None:
    try:
        return fields(line)
    except ValueError:
        if last:
            problems.add(number, CUT_LINE, "damaged")
        else:
            problems.count("json", number, NO_JSON, "damaged")
        return None


def _lenient(raw: bytes) -> Json:
    try:
        return _scrubbed(json.loads(raw.decode("utf-8", "replace")))
    except RecursionError:
        raise ValueError("nested too deeply") from None


def _scrubbed(value: Json) -> Json:
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode("utf-8") if not value.isascii() else value
    if isinstance(value, list):
        return [_scrubbed(item) for item in value]
    if isinstance(value, dict):
        return {str(_scrubbed(key)): _scrubbed(item) for key, item in value.items()}
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value
