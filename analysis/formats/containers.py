"""Files as they lie on disks: compressed, zipped, with a byte order mark, in UTF-16; brought to the text of a log.

Works on bytes alone.  A file that is cut off in the middle of its compression gives what is whole before that.
"""

import io
import zipfile
import zlib

from analysis.formats.base import FormatError
from analysis.formats.stored import Data, whole

MOST_BYTES = 8 << 30  # unpacked, of one file: what a log of that size would not fit into memory as
GZIP, ZIP = b"\x1f\x8b", b"PK\x03\x04"
UTF_8_BOM = b"\xef\xbb\xbf"
UTF_16 = {b"\xff\xfe": "utf-16-le", b"\xfe\xff": "utf-16-be", b"{\0": "utf-16-le", b"[\0": "utf-16-le"}


def unpacked(name: str, data: bytes, endings: tuple[str, ...] = ()) -> list[tuple[str, bytes]]:
    """The files in a compressed one, by name; itself where it is none.

    Of an archive the members with one of these ``endings`` are taken, all where none are named.  Archives are told by
    the ending ``.zip``: a format may be a zip of its own.  Raise FormatError where nothing can be unpacked.
    """
    if data.startswith(GZIP):
        return [(name.removesuffix(".gz"), _gunzipped(name, data))]
    if data.startswith(ZIP) and name.lower().endswith(".zip"):
        return _unzipped(name, data, endings)
    return [(name, data)]


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


def _gunzipped(name: str, data: bytes) -> bytes:
    """All members of a gzip file, up to where it is cut off."""
    pieces: list[bytes] = []
    size = 0
    while data.startswith(GZIP):
        inflater = zlib.decompressobj(wbits=31)
        try:
            piece = inflater.decompress(data, MOST_BYTES - size + 1)
        except zlib.error as error:
            if not pieces:
                raise FormatError(f"{name}: not a gzip file that can be read ({error}). Copy it again.") from None
            break
        pieces.append(piece)
        size += len(piece)
        if size > MOST_BYTES:
            raise FormatError(f"{name}: unpacks to more than {MOST_BYTES >> 30} GiB. Split the log.")
        data = inflater.unused_data
    return b"".join(pieces)


def _unzipped(name: str, data: bytes, endings: tuple[str, ...]) -> list[tuple[str, bytes]]:
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            members = [one for one in archive.infolist() if not one.is_dir() and _wanted(one.filename, endings)]
            if sum(one.file_size for one in members) > MOST_BYTES:
                raise FormatError(f"{name}: unpacks to more than {MOST_BYTES >> 30} GiB. Split the log.")
            found = [(one.filename, archive.read(one)) for one in sorted(members, key=lambda one: one.filename)]
    except (zipfile.BadZipFile, zlib.error, RuntimeError, NotImplementedError, EOFError, OSError) as error:
        raise FormatError(f"{name}: not a zip archive that can be read ({error}). Copy or zip it again.") from None
    if not found:
        raise FormatError(f"{name}: no log in this archive.")
    return [piece for member, raw in found for piece in unpacked(member, raw, endings)]


def _wanted(member: str, endings: tuple[str, ...]) -> bool:
    hidden = member.startswith("__MACOSX/") or member.rpartition("/")[2].startswith(".")
    return not hidden and (not endings or member.lower().endswith(endings))
