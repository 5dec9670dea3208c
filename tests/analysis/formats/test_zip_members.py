"""Members of an archive: whole, cut off, damaged, too large, and packed in ways that zipfile may not know."""

import re
import struct
import zipfile
import zlib
from collections.abc import Callable

import pyarrow as pa
import pytest

from analysis.formats import unpacking
from analysis.formats.base import FormatError, Problems
from analysis.formats.zip_members import CUT_OFF, ZSTD, first_name, members
from tests.format_samples import packed

TEXTS = {f"m/{number}.json": f"[{number}]".encode() * 400 for number in range(5)}
ALL = re.compile(r"m/.*")


def read(data: bytes, wanted: re.Pattern[str] = ALL) -> tuple[dict[str, bytes], list[str]]:
    problems = Problems("f")
    found = dict(members(data, "f", wanted, problems))
    return found, [problem.message for problem in problems.listed()]


def with_method(data: bytes, plain: bytes) -> bytes:
    """An archive of one stored member as if what is stored were these bytes, packed with zstd."""
    crc, size = struct.pack("<I", zlib.crc32(plain)), struct.pack("<I", len(plain))
    central = data.index(b"PK\x01\x02")
    local = data[:8] + struct.pack("<H", ZSTD) + data[10:14] + crc + data[18:22] + size + data[26:central]
    end = data[central:]
    return local + end[:10] + struct.pack("<H", ZSTD) + end[12:16] + crc + end[20:24] + size + end[28:]


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_the_wanted_members_are_unpacked(method: int) -> None:
    data = packed({**TEXTS, "other": b"x"}, method)
    assert read(data) == (TEXTS, []) and first_name(data) == "m/0.json"
    assert read(data, re.compile(r"m/[12]\.json"))[0] == {name: TEXTS[name] for name in ("m/1.json", "m/2.json")}


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
@pytest.mark.parametrize("percent", [5, 30, 60, 90])
def test_of_an_archive_that_is_cut_off_what_is_whole_is_read(method: int, percent: int) -> None:
    data = packed(TEXTS, method)
    found, said = read(data[: len(data) * percent // 100])
    assert found == {name: TEXTS[name] for name in list(TEXTS)[: len(found)]} and said == [CUT_OFF]
    assert percent < 30 or found


def test_sizes_may_stand_behind_a_member() -> None:
    """As in an archive that was written to a pipe; the header in front then knows neither size nor checksum."""
    data = bytearray(packed({"m/a": b"a" * 999, "m/b": b"b" * 999}))
    for name in (b"m/a", b"m/b"):
        place = data.index(name) - 30
        data[place + 6 : place + 8] = struct.pack("<H", 8)
        data[place + 14 : place + 26] = bytes(12)
    assert read(bytes(data[: data.index(b"PK\x01\x02")])) == ({"m/a": b"a" * 999, "m/b": b"b" * 999}, [CUT_OFF])


def test_zstd_is_unpacked_whatever_python_knows() -> None:
    plain = b"as Inspect packs by default" * 99
    data = with_method(packed({"m/z": pa.compress(plain, "zstd", asbytes=True)}, zipfile.ZIP_STORED), plain)
    assert read(data) == ({"m/z": plain}, []) and read(data[:-30]) == ({"m/z": plain}, [CUT_OFF])
    twice = pa.compress(plain, "zstd", asbytes=True) * 2
    assert read(with_method(packed({"m/z": twice}, zipfile.ZIP_STORED), plain * 2)) == ({"m/z": plain * 2}, [])


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        (lambda data: data.replace(b"[2][2]", b"[2]x2]", 1), "m/2.json was left out: it is damaged."),
        (
            lambda data: with_method(packed({"m/z": b"no frame"}, zipfile.ZIP_STORED), b"x"),
            "m/z was left out: it is damaged.",
        ),
        (lambda data: data.replace(b"PK\x05\x06", b"PK\x05\x07"), CUT_OFF),
    ],
    ids=["a checksum", "zstd", "a directory"],
)
def test_damage_is_a_problem_of_its_member(damage: Callable[[bytes], bytes], said: str) -> None:
    assert said in read(damage(packed(TEXTS, zipfile.ZIP_STORED)))[1]


def test_a_method_that_is_not_known_is_said() -> None:
    data = packed(TEXTS, zipfile.ZIP_BZIP2)
    assert read(data) == (
        {},
        ["m/0.json was left out: it is packed in a way that cannot be read (method 12). (and 4 more such lines)"],
    )


@pytest.mark.parametrize("cut", [0, 60], ids=["whole", "cut off"])
def test_a_bomb_is_refused(monkeypatch: pytest.MonkeyPatch, cut: int) -> None:
    monkeypatch.setattr(unpacking, "MOST_BYTES", 1 << 20)
    data = packed({"m/0": bytes(1 << 19), "m/1": bytes(8 << 20)})
    with pytest.raises(FormatError, match=r"^f: unpacks to more than 0\.000976562 GB"):
        read(data[: len(data) - cut])


@pytest.mark.parametrize("head", [b"", b"PK", b"PK\x03\x04", b"PK\x05\x06" + bytes(18), b"{}" * 40])
def test_what_is_no_archive_has_no_name(head: bytes) -> None:
    assert first_name(head) is None
