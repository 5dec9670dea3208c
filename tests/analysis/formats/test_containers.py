"""Compressed files and archives are read as what is in them."""

import gzip
import io
import os
import zipfile

import pytest

from analysis.formats import containers, unpacking
from analysis.formats.base import FormatError
from analysis.formats.containers import as_utf8, unpacked

TEXT = b'{"a": "\xc3\xa9"}\n' * 400


def zipped(**members: bytes) -> bytes:
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(name if "/" in name else name.replace("__", "/").replace("_", "."), data)
    return held.getvalue()


def test_a_gzip_file_is_what_is_in_it() -> None:
    assert unpacked("a.jsonl.gz", gzip.compress(TEXT)) == [("a.jsonl", TEXT, "")]
    assert unpacked("a.jsonl", gzip.compress(TEXT) + gzip.compress(TEXT)) == [("a.jsonl", 2 * TEXT, "")]


@pytest.mark.parametrize("behind", [b"", gzip.compress(TEXT, 0)], ids=["the only member", "the second member"])
def test_a_gzip_file_that_is_cut_off_gives_its_whole_lines_and_says_so(behind: bytes) -> None:
    whole = behind + gzip.compress(TEXT, 0)
    ((_name, found, damage),) = unpacked("a.gz", whole[: len(whole) - len(TEXT) // 2])
    assert found.endswith(b"}\n") and (2 * TEXT).startswith(found)
    assert damage.startswith("the gzip archive is cut off: the lines before that place were read")


def test_a_gzip_file_that_is_damaged_says_so() -> None:
    whole = bytearray(gzip.compress(40 * TEXT, 0))
    whole[-8] ^= 1  # of the checksum
    ((_name, found, damage),) = unpacked("a.gz", bytes(whole))
    assert found.endswith(b"}\n") and (40 * TEXT).startswith(found)
    assert damage == containers.CUT.format("damaged")
    assert unpacked("a.gz", gzip.compress(b"no line")[:-4])[0][1] == b"no line", "the beginning of one"


def test_a_zip_is_its_logs() -> None:
    archive = zipped(
        b_jsonl=TEXT, d__a_json=TEXT, n_md=b"x", **{"__MACOSX/a.json": b"x"}, c_jsonl_gz=gzip.compress(TEXT)
    )
    found = unpacked("logs.zip", archive, (".json", ".jsonl", ".gz"))
    assert [one.name for one in found] == ["b.jsonl", "c.jsonl", "d/a.json"]
    assert {one.data for one in found} == {TEXT}


def test_a_zip_of_another_name_is_a_formats_own() -> None:
    assert unpacked("run.eval", zipped(a_json=TEXT))[0][0] == "run.eval"


@pytest.mark.parametrize(
    ("name", "data", "said"),
    [
        ("a.gz", b"\x1f\x8bbroken", "not a gzip file"),
        ("a.zip", b"PK\x03\x04broken", "not a zip archive"),
        ("a.zip", zipped(n_md=b"x"), "no log in this archive"),
    ],
)
def test_what_cannot_be_unpacked_is_said(name: str, data: bytes, said: str) -> None:
    with pytest.raises(FormatError, match=f"^{name}: {said}"):
        unpacked(name, data, (".json",))


def doll(depth: int) -> bytes:
    """An archive in an archive, and so on."""
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w") as archive:
        archive.writestr("a.zip" if depth > 1 else "a.jsonl", doll(depth - 1) if depth > 1 else TEXT)
    return held.getvalue()


def many_small(each: int) -> bytes:
    """Archives in an archive: each is within the limit, all of them are not."""
    return zipped(**{f"{number}_zip": zipped(a_jsonl=os.urandom(each)) for number in range(8)})


@pytest.mark.parametrize(
    ("name", "data", "said"),
    [
        ("a.jsonl.gz", gzip.compress(bytes(20 << 20)), "unpacks to more than 250 times its size, which no log does"),
        ("a.jsonl.gz", 400 * gzip.compress(bytes(1 << 16)), "unpacks to more than 250 times its size"),
        ("a.zip", zipped(a_json=bytes(20 << 20)), "unpacks to more than 250 times its size"),
        ("a.zip", zipped(z_zip=zipped(a_json=bytes(20 << 20))), "unpacks to more than 250 times its size"),
        ("a.gz", gzip.compress(os.urandom(5 << 20)), r"unpacks to more than 0\.00390625 GB"),
        ("a.zip", many_small(1 << 20), r"unpacks to more than 0\.00390625 GB, the most that is unpacked in memory"),
        ("a.zip", doll(4), "archives in archives, more than 3 deep"),
        ("a.zip", zipped(**{f"{number}_json": b"{}" for number in range(10)}), "more than 9 files are in it"),
    ],
)
def test_a_bomb_is_refused_while_it_is_unpacked(
    monkeypatch: pytest.MonkeyPatch, name: str, data: bytes, said: str
) -> None:
    monkeypatch.setattr(unpacking, "UNASKED", 1 << 20)
    monkeypatch.setattr(unpacking, "MOST_BYTES", 16 << 20 if "times" in said else 4 << 20)
    monkeypatch.setattr(unpacking, "MOST_FILES", 9)
    with pytest.raises(FormatError, match=f"^{name}: {said}"):
        unpacked(name, data, (".json", ".jsonl", ".zip"))


def test_archives_in_archives_are_read_as_deep_as_people_pack_them() -> None:
    ((name, data, _damage),) = unpacked("a.zip", doll(3), (".jsonl", ".zip"))
    assert (name, data) == ("a.jsonl", TEXT)


def test_an_encrypted_archive_is_said_to_be_one_in_plain_words() -> None:
    data = bytearray(zipped(a_json=TEXT))
    for place in (data.index(b"PK\x03\x04") + 6, data.index(b"PK\x01\x02") + 8):
        data[place] |= 1
    with pytest.raises(FormatError, match=r"^a\.zip: a\.json in it is encrypted\. Unpack it with its password\.$"):
        unpacked("a.zip", bytes(data))


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be"])
def test_text_is_utf_8(encoding: str) -> None:
    mark = "\ufeff" if encoding == "utf-16-be" else ""
    assert as_utf8((mark + TEXT.decode()).encode(encoding)) == TEXT


def test_other_bytes_stay_as_they_are() -> None:
    assert as_utf8(b"\x7fELF\0") == b"\x7fELF\0" and as_utf8(b"") == b""
