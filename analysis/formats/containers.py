"""Files as they lie on disks: compressed, zipped, with a byte order mark, in UTF-16; brought to the text of a log.

Works on bytes alone.  A file that is cut off in the middle of its compression gives the whole lines before that.
"""

import io
import zipfile
import zlib
from typing import NamedTuple

from analysis.formats.base import FormatError
from analysis.formats.stored import Data, whole
from analysis.formats.unpacking import Budget

STEP = 1 << 16  # bytes that are unpacked at a time
ENCRYPTED = 1  # the bit of a member's flags
GZIP, ZIP = b"\x1f\x8b", b"PK\x03\x04"
UTF_8_BOM = b"\xef\xbb\xbf"
UTF_16 = {b"\xff\xfe": "utf-16-le", b"\xfe\xff": "utf-16-be", b"{\0": "utf-16-le", b"[\0": "utf-16-le"}


CUT = "the gzip archive is {}: the lines before that place were read. Copy or pack it again."


class Unpacked(NamedTuple):
    """A file as it was before it was packed; ``damage`` says what is wrong with its archive, if anything is."""

    name: str
    data: bytes
    damage: str = ""


def unpacked(name: str, data: bytes, endings: tuple[str, ...] = ()) -> list[Unpacked]:
    """The files in a compressed one, by name; itself where it is none.

    Of an archive the members with one of these ``endings`` are taken, all where none are named.  Archives are told by
    the ending ``.zip``: a format may be a zip of its own.  Raise FormatError where nothing can be unpacked, or where
    too much comes out of it.
    """
    return _unpacked(name, data, endings, Budget(name, len(data)), 1)


def as_text(data: Data) -> Data:
    """A file as UTF-8 without a byte order mark; on the disk it stays as it is, but for UTF-16."""
    if isinstance(data, bytes) or data.head(2) in UTF_16:
        return as_utf8(whole(data))
    return data


def as_utf8(data: bytes) -> bytes:
    """Text as UTF-8 without a byte order mark; what is not UTF-16 stays as it is."""
    if data.startswith(UTF_8_BOM):
        return data[len(UTF_8_BOM) :]
    encoding = UTF_16.get(data[:2])
    return data.decode(encoding, "replace").removeprefix("\ufeff").encode("utf-8", "replace") if encoding else data


def _unpacked(name: str, data: bytes, endings: tuple[str, ...], budget: Budget, depth: int) -> list[Unpacked]:
    if data.startswith(GZIP):
        return [Unpacked(name.removesuffix(".gz"), *_gunzipped(name, data, budget))]
    if data.startswith(ZIP) and name.lower().endswith(".zip"):
        return _unzipped(name, data, endings, budget, depth)
    return [Unpacked(name, data)]


def _gunzipped(name: str, data: bytes, budget: Budget) -> tuple[bytes, str]:
    """All members of a gzip file; where one is damaged or cut off, the whole lines before that, and what to say."""
    found, place, damage = bytearray(), 0, ""
    while data.startswith(GZIP, place) and not damage:
        inflater = zlib.decompressobj(wbits=31)
        try:
            while not inflater.eof and place < len(data):
                piece = inflater.decompress(data[place : place + STEP])
                place = min(place + STEP, len(data)) - len(inflater.unused_data)
                budget.take(len(piece))
                found += piece
            damage = "" if inflater.eof else CUT.format("cut off")
        except zlib.error as error:
            if not found:
                raise FormatError(f"{name}: not a gzip file that can be read ({error}). Copy it again.") from None
            damage = CUT.format("damaged")
    lines = found.rfind(b"\n") + 1 if damage else 0
    return bytes(found[:lines] if lines else found), damage


def _unzipped(name: str, data: bytes, endings: tuple[str, ...], budget: Budget, depth: int) -> list[Unpacked]:
    found: list[Unpacked] = []
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            members = [one for one in archive.infolist() if not one.is_dir() and _wanted(one.filename, endings)]
            for member in sorted(members, key=lambda one: one.filename):
                if member.flag_bits & ENCRYPTED:
                    raise FormatError(f"{name}: {member.filename} in it is encrypted. Unpack it with its password.")
                budget.enter(depth)
                found += _unpacked(member.filename, _member(archive, member, budget), endings, budget, depth + 1)
    except FormatError:
        raise
    except (zipfile.BadZipFile, zlib.error, RuntimeError, NotImplementedError, EOFError, OSError, ValueError) as error:
        said = str(error).partition("<")[0].strip() or type(error).__name__  # zipfile quotes objects of Python
        raise FormatError(f"{name}: not a zip archive that can be read ({said}). Copy or zip it again.") from None
    if not found:
        raise FormatError(f"{name}: no log in this archive.")
    return found


def _member(archive: zipfile.ZipFile, member: zipfile.ZipInfo, budget: Budget) -> bytes:
    found = bytearray()
    with archive.open(member) as opened:
        while piece := opened.read(STEP):
            budget.take(len(piece))
            found += piece
    return bytes(found)


def _wanted(member: str, endings: tuple[str, ...]) -> bool:
    hidden = member.startswith("__MACOSX/") or member.rpartition("/")[2].startswith(".")
    return not hidden and (not endings or member.lower().endswith(endings))
