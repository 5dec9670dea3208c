"""Files, folders and archives as sources."""

import gzip
import os
import zipfile
from pathlib import Path

import pytest

from analysis.formats.base import FormatError
from analysis.pipeline import sources
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


def test_what_cannot_be_read_in_a_folder_is_a_problem_each(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = os.scandir

    def scandir(place: str) -> object:
        if str(place).endswith("locked"):
            raise PermissionError(13, "Permission denied", place)
        return real(place)

    monkeypatch.setattr(os, "scandir", scandir)
    (tmp_path / "sub" / "locked").mkdir(parents=True)
    (tmp_path / "a.jsonl").write_bytes(LINE)
    (tmp_path / "gone.jsonl").symlink_to(tmp_path / "nowhere")
    (tmp_path / "x.zip").write_bytes(b"PK\x03\x04")
    os.mkfifo(tmp_path / "pipe.jsonl")
    found = read_source(tmp_path)
    assert [file.name for file in found.files] == ["a.jsonl"]
    said = [f"{problem.file}: {problem.message}" for problem in found.problems]
    assert said[:-1] == [
        "sub/locked: it cannot be read (Permission denied) and was left out.",
        "gone.jsonl: it cannot be read (No such file or directory) and was left out.",
        "pipe.jsonl: neither a file nor a folder. It was left out.",
    ]
    assert said[-1].startswith("x.zip: not a zip archive") and joined([found, found]).problems == 2 * found.problems
    (tmp_path / "a.jsonl").unlink()
    with pytest.raises(PermissionError):
        read_source(tmp_path)


def test_an_upload_is_unpacked() -> None:
    assert source_of("a.jsonl.gz", gzip.compress(LINE)) == Source("a.jsonl.gz", (LogFile("a.jsonl", LINE),))
    with pytest.raises(FormatError, match=r"^a\.zip: not a zip archive"):
        source_of("a.zip", b"PK\x03\x04")


def test_an_archive_that_is_cut_off_is_a_problem_and_its_lines_are_read(tmp_path: Path) -> None:
    cut = gzip.compress(3 * LINE, 0)[:-20]
    (tmp_path / "logs").mkdir()
    for name in ("a.jsonl.gz", "logs/b.jsonl.gz"):
        (tmp_path / name).write_bytes(cut)
    for found in (source_of("a.jsonl.gz", cut), read_source(tmp_path / "a.jsonl.gz"), read_source(tmp_path / "logs")):
        ((file,), (problem,)) = found.files, found.problems
        assert file.data and (3 * LINE).startswith(file.data) and file.data.endswith(b"\n")
        assert (problem.file, problem.line) == (file.name, None)
        assert problem.message.startswith("the gzip archive is cut off: the lines before that place were read")
        assert joined([found]).problems == found.problems


def test_sources_of_one_server_are_joined() -> None:
    one, other = source_of("a", b"1"), source_of("b", b"22")
    both = joined([one, other])
    assert (both.name, both.num_bytes, both.files) == ("a + b", 3, one.files + other.files)
    assert both.sha256 not in (one.sha256, other.sha256)


@pytest.mark.parametrize(
    ("groups", "names"),
    [
        pytest.param({"A": "run", "B": "run"}, ["A/run", "B/run"], id="two folders"),
        pytest.param({"A": "run ui", "B": "run"}, ["A/run", "A/ui", "B/run"], id="what belongs together still does"),
        pytest.param({"A": "run", "B": "other"}, ["run", "other"], id="names of their own"),
        pytest.param({"run": "run", "B": "run"}, ["run", "B/run"], id="a file and a folder"),
        pytest.param({"run": "run", "run ": "run"}, ["1/run", "2/run"], id="two files"),
        pytest.param({"A": "run", "A ": "run", "B": "run"}, ["1/run", "2/run", "B/run"], id="two folders of one name"),
        pytest.param({"A": "run", "A ": "other"}, ["run", "other"], id="folders of one name, files of their own"),
    ],
)
def test_equal_names_in_several_sources_are_told_apart(groups: dict[str, str], names: list[str]) -> None:
    sources = [
        Source(name.strip(), tuple(LogFile(one, b"") for one in inner.split())) for name, inner in groups.items()
    ]
    assert [file.name for file in joined(sources).files] == names


def test_equal_names_in_the_archives_of_a_folder_are_told_apart(tmp_path: Path) -> None:
    for name in ("a.zip", "b.zip"):
        with zipfile.ZipFile(tmp_path / name, "w") as archive:
            archive.writestr("d.jsonl", LINE)
    (tmp_path / "x.jsonl").write_bytes(LINE)
    (tmp_path / "x.jsonl.gz").write_bytes(gzip.compress(LINE))
    names = [file.name for file in read_source(tmp_path).files]
    assert names == ["a.zip/d.jsonl", "b.zip/d.jsonl", "x.jsonl", "x.jsonl.gz/x.jsonl"]


def test_a_large_file_stays_on_the_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sources, "LARGE", len(LINE))
    (tmp_path / "large.jsonl").write_bytes(2 * LINE)
    (tmp_path / "small.jsonl").write_bytes(LINE)
    (tmp_path / "zipped.jsonl.gz").write_bytes(gzip.compress(200 * LINE))
    found = read_source(tmp_path)
    assert [(file.name, len(file.data), len(file.content)) for file in found.files] == [
        ("large.jsonl", 0, 2 * len(LINE)),
        ("small.jsonl", len(LINE), len(LINE)),
        ("zipped.jsonl", 200 * len(LINE), 200 * len(LINE)),
    ]
    monkeypatch.setattr(sources, "LARGE", 1 << 30)
    assert (found.sha256, found.num_bytes) == (read_source(tmp_path).sha256, 203 * len(LINE))


def test_a_fingerprint_of_the_beginning(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sources, "LARGE", 0)
    (tmp_path / "a.jsonl").write_bytes(LINE + b"more")
    (stored,) = read_source(tmp_path / "a.jsonl").files
    assert stored.stored is not None
    assert stored.sha256(len(LINE)) == LogFile("a", LINE).sha256() == LogFile("a", LINE + b"x").sha256(len(LINE))


@pytest.mark.parametrize(
    ("name", "said"),
    [("log é.jsonl", "log é.jsonl"), ("bad\udcff.jsonl", r"bad\xff.jsonl"), ("a\ud83d.jsonl", r"a\ud83d.jsonl")],
)
def test_any_name_of_a_file_can_be_stored(name: str, said: str) -> None:
    assert LogFile(name, b"").name == Source(name, ()).name == said
    assert said.encode()
