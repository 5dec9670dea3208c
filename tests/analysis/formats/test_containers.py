"""Compressed files and archives are read as what is in them."""

import gzip
import io
import zipfile

import pytest

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
    assert unpacked("a.jsonl.gz", gzip.compress(TEXT)) == [("a.jsonl", TEXT)]
    assert unpacked("a.jsonl", gzip.compress(TEXT) + gzip.compress(TEXT)) == [("a.jsonl", 2 * TEXT)]


def test_a_gzip_file_that_is_cut_off_gives_what_is_whole() -> None:
    whole = gzip.compress(TEXT, 0)
    ((_name, found),) = unpacked("a.gz", whole[: len(whole) // 2])
    assert found and TEXT.startswith(found)


def test_a_zip_is_its_logs() -> None:
    archive = zipped(
        b_jsonl=TEXT, d__a_json=TEXT, n_md=b"x", **{"__MACOSX/a.json": b"x"}, c_jsonl_gz=gzip.compress(TEXT)
    )
    found = unpacked("logs.zip", archive, (".json", ".jsonl", ".gz"))
    assert [name for name, _data in found] == ["b.jsonl", "c.jsonl", "d/a.json"]
    assert {data for _name, data in found} == {TEXT}


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


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be"])
def test_text_is_utf_8(encoding: str) -> None:
    mark = "\ufeff" if encoding == "utf-16-be" else ""
    assert as_utf8((mark + TEXT.decode()).encode(encoding)) == TEXT


def test_other_bytes_stay_as_they_are() -> None:
    assert as_utf8(b"\x7fELF\0") == b"\x7fELF\0" and as_utf8(b"") == b""
