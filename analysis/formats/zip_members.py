"""The members of a zip archive, also of one that is cut off, and those that were packed with zstd.

Reads what is wanted and no more, and never unpacks more than fits into memory.  Does not know what the members mean.
"""

import io
import re
import struct
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass

from analysis.formats import unpacking
from analysis.formats.base import Problems
from analysis.formats.containers import ZIP

ZSTD = 93  # the number of the method, which zipfile knows from Python 3.14 on
STEP = 1 << 16  # packed bytes that are unpacked at a time
CUT_OFF = "the archive is cut off: only what is whole in it was read. Copy it again."
_HEADER = struct.Struct("<4s5H3I2H")  # magic, version, flags, method, time, date, crc, two sizes, two lengths
_UNREADABLE = (zipfile.BadZipFile, struct.error, NotImplementedError, OSError, ValueError)  # what zipfile raises


@dataclass(frozen=True, slots=True)
class _Member:
    """Where a member lies: its packed bytes ``[start, stop)``; ``stop`` is None where only its end tells."""

    name: str
    method: int
    start: int
    stop: int | None
    crc: int | None


def first_name(head: bytes) -> str | None:
    """The name of the first member of an archive; None where these bytes begin none."""
    found = _at(head, 0)
    return None if found is None else found.name


def members(data: bytes, file: str, wanted: re.Pattern[str], problems: Problems) -> Iterator[tuple[str, bytes]]:
    """The members whose whole name is wanted, unpacked, in the order they lie in; of equal names the last.

    What cannot be unpacked is a problem.  Raise FormatError where all of it would be too large.
    """
    left = unpacking.MOST_BYTES
    for member in _listed(data, wanted, problems):
        try:
            raw, _stop = _unpacked(data, member, left)
        except ValueError as error:
            problems.count("damaged", None, f"{member.name[:80]} was left out: {error}.")
            continue
        left -= len(raw)
        if left < 0:
            raise unpacking.too_large(file)
        yield member.name, raw


def _listed(data: bytes, wanted: re.Pattern[str], problems: Problems) -> Iterator[_Member]:
    """The members by the directory at the end of the archive; where there is none, by the headers in front of each."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            known = {one.filename: one for one in archive.infolist() if wanted.fullmatch(one.filename)}
    except _UNREADABLE:
        problems.add(None, CUT_OFF)
        yield from _walked(data, wanted)
        return
    for one in sorted(known.values(), key=lambda one: one.header_offset):
        place = _at(data, one.header_offset)
        start = place.start if place is not None else len(data)
        yield _Member(one.filename, one.compress_type, start, start + one.compress_size, one.CRC)


def _walked(data: bytes, wanted: re.Pattern[str]) -> Iterator[_Member]:
    """The wanted members that are whole."""
    place = data.find(ZIP)
    while place >= 0:
        member, stop = _at(data, place), place + len(ZIP)
        if member is not None and wanted.fullmatch(member.name):
            with suppress(ValueError):
                end = member.stop if member.stop is not None else _unpacked(data, member, unpacking.MOST_BYTES)[1]
                if end <= len(data):
                    stop = end
                    yield member
        place = data.find(ZIP, stop)


def _at(data: bytes, place: int) -> _Member | None:
    """The member whose header stands here; None where none does."""
    head = data[place : place + _HEADER.size]
    if len(head) < _HEADER.size or not head.startswith(ZIP):
        return None
    _magic, _version, flags, method, _time, _date, crc, packed, _plain, name, extra = _HEADER.unpack(head)
    start = place + _HEADER.size
    text = data[start : start + name].decode("utf-8", "replace")
    start += name + extra
    follows = bool(flags & 8)  # sizes stand behind the member
    return _Member(text, method, start, None if follows else start + packed, None if follows else crc)


def _unpacked(data: bytes, member: _Member, most: int) -> tuple[bytes, int]:
    """A member of about so many bytes at the most, and where it ends; raise ValueError where it is not whole."""
    stop = len(data) if member.stop is None else member.stop
    if stop > len(data):
        raise ValueError("it is cut off")
    if member.method == zipfile.ZIP_DEFLATED:
        raw, stop = _inflated(data, member.start, stop, most)
    elif member.stop is None or member.method not in (zipfile.ZIP_STORED, ZSTD):
        raise ValueError(f"it is packed in a way that cannot be read (method {member.method})")
    else:
        packed = data[member.start : stop]
        raw = packed if member.method == zipfile.ZIP_STORED else _of_zstd(packed, most)
    if member.crc is not None and zlib.crc32(raw) != member.crc and len(raw) <= most:
        raise ValueError("it is damaged")
    return raw, stop


def _inflated(data: bytes, start: int, stop: int, most: int) -> tuple[bytes, int]:
    inflater, pieces, size = zlib.decompressobj(wbits=-15), [], 0
    while not inflater.eof and size <= most:
        if start >= stop:
            raise ValueError("it is cut off")
        try:
            pieces.append(inflater.decompress(data[start : min(start + STEP, stop)]))
        except zlib.error:
            raise ValueError("it is damaged") from None
        start, size = min(start + STEP, stop), size + len(pieces[-1])
    return b"".join(pieces), start - len(inflater.unused_data)


def _of_zstd(packed: bytes, most: int) -> bytes:
    import pyarrow as pa  # slow to load, and needed by few archives

    try:
        return bytes(pa.CompressedInputStream(pa.py_buffer(packed), "zstd").read(most + 1))
    except OSError:
        raise ValueError("it is damaged") from None
