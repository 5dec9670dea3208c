"""Files, folders and archives as sources."""

import gzip
import zipfile
from pathlib import Path

import pytest

from analysis.formats.base import FormatError
from analysis.pipeline.sources import LogFile, Source, joined, read_source, source_of

LINE = b'{"request": {"model": "m", "messages": []}}\n'


def test_a_folder_is_read_with_the_folders_in_it(tmp_path: Path) -> None:
    for place in ("b.jsonl", "in/a.json", "in/deep/c.traj.json", ".git/x.json", "in/.hidden.json", "notes.md"):
        (tmp_path / place).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / place).write_bytes(LINE)
    (tmp_path / "z.jsonl.gz").write_bytes(gzip.compress(LINE))
    with zipfile.ZipFile(tmp_path / "y.zip", "w") as archive:
        archive.writestr("d.jsonl", LINE)
    found = read_source(tmp_path)
    assert [file.name for file in found.files] == ["b.jsonl", "in/a.json", "in/deep/c.traj.json", "d.jsonl", "z.jsonl"]
    assert {file.data for file in found.files} == {LINE}


def test_an_upload_is_unpacked() -> None:
    assert source_of("a.jsonl.gz", gzip.compress(LINE)) == Source("a.jsonl.gz", (LogFile("a.jsonl", LINE),))
    with pytest.raises(FormatError, match=r"^a\.zip: not a zip archive"):
        source_of("a.zip", b"PK\x03\x04")


def test_sources_of_one_server_are_joined() -> None:
    one, other = source_of("a", b"1"), source_of("b", b"22")
    both = joined([one, other])
    assert (both.name, both.num_bytes, both.files) == ("a + b", 3, one.files + other.files)
    assert both.sha256 not in (one.sha256, other.sha256)
