"""What commands write: whole or not at all, and never over a log."""

import os
from pathlib import Path
from typing import BinaryIO

import pytest

from app.outputs import refuse_unwritable, spare_logs, write_text, write_whole
from tests.app.command_line import error_of
from tests.builders import SAMPLE_MODEL, SAMPLES
from tests.template_server import TemplateServer

CLEAN = SAMPLES[0]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "logs" / "sub").mkdir(parents=True)
    for name in ("a.jsonl", "run.json", "sub/b.jsonl"):
        (tmp_path / "logs" / name).write_bytes(CLEAN.read_bytes())
    (tmp_path / "link.jsonl").symlink_to(tmp_path / "logs" / "a.jsonl")
    return tmp_path


@pytest.mark.parametrize(
    ("log", "output"),
    [
        pytest.param("logs/a.jsonl", "logs/a.jsonl", id="the log itself"),
        pytest.param("logs/a.jsonl", "link.jsonl", id="a link to it"),
        pytest.param("logs", "logs/run.json", id="in the folder"),
        pytest.param("logs", "logs/sub/b.jsonl", id="in a folder of it"),
    ],
)
def test_a_log_that_is_read_is_spared(folder: Path, log: str, output: str) -> None:
    with pytest.raises(ValueError, match=r"this is one of the logs that are read; name another file with --save\."):
        spare_logs(folder / output, [folder / log], "--save")


@pytest.mark.parametrize("output", [None, "-", "new.json", "logs/new.json"])
def test_other_places_are_free(folder: Path, output: str | None) -> None:
    spare_logs(None if output is None else folder / output, [folder / "logs"])


@pytest.mark.parametrize(
    "command",
    [
        ["analyze", "logs", "--json", "logs/run.json"],
        ["check", "logs/a.jsonl", "--save", "logs/a.jsonl"],
        ["convert", "logs", "-o", "logs/sub/b.jsonl"],
        ["report", "logs", "-o", "logs/run.json"],
    ],
    ids=lambda command: command[0],
)
def test_no_command_writes_over_a_log(folder: Path, command: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    model = [] if command[0] == "convert" else ["--model", SAMPLE_MODEL]
    assert "this is one of the logs that are read" in error_of(*command, *model)
    assert {path.read_bytes() for path in (folder / "logs").rglob("*.json*")} == {CLEAN.read_bytes()}


@pytest.mark.parametrize(
    ("output", "said"), [("no/folder/a.json", "No such file or directory"), ("logs", "Is a directory")]
)
def test_an_output_that_cannot_be_written_is_refused_before_the_work(folder: Path, output: str, said: str) -> None:
    with pytest.raises(OSError, match=said) as refused:
        refuse_unwritable(folder / output)
    assert refused.value.filename == str(folder / output)
    for free in (None, Path("-"), folder / "new.json", folder / "logs" / "a.jsonl", Path(os.devnull)):
        refuse_unwritable(free)
    with TemplateServer("{{ messages }}") as server:
        assert said in error_of("analyze", CLEAN, "--endpoint", server.url, "--json", folder / output)
    assert server.seen == []


def test_a_file_is_written_whole_or_stays_what_it_was(tmp_path: Path) -> None:
    def breaks_off(file: BinaryIO) -> None:
        file.write(b"half")
        raise OSError(28, "No space left on device")

    write_text(tmp_path / "a.md", "first")
    (tmp_path / "a.md").chmod(0o640)
    with pytest.raises(OSError, match="No space left on device") as refused:
        write_whole(tmp_path / "a.md", breaks_off)
    assert refused.value.filename == str(tmp_path / "a.md")
    assert (tmp_path / "a.md").read_text() == "first"
    write_text(tmp_path / "a.md", "second, é")
    assert (tmp_path / "a.md").read_bytes() == "second, é".encode()
    assert (tmp_path / "a.md").stat().st_mode & 0o777 == 0o640
    assert [path.name for path in tmp_path.iterdir()] == ["a.md"]


def test_a_link_stays_one_and_a_device_is_written_to(tmp_path: Path) -> None:
    (tmp_path / "there.md").write_text("old")
    (tmp_path / "link.md").symlink_to(tmp_path / "there.md")
    write_text(tmp_path / "link.md", "new")
    assert (tmp_path / "link.md").is_symlink() and (tmp_path / "there.md").read_text() == "new"
    write_text(Path(os.devnull), "gone")
    for place in (tmp_path, tmp_path / "none" / "a.md"):
        with pytest.raises(OSError) as refused:
            write_text(place, "x")
        assert refused.value.filename == str(place)
