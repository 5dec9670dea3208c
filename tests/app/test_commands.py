"""Mistakes in the options are one line, and a command ends quietly when nobody reads what it says."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from app import analysing
from tests.app.command_line import error_of, run
from tests.builders import ROOT, SAMPLE_MODEL, SAMPLES


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("nonesuch", "no such command 'nonesuch' (`whymiss --help` lists what there is)."),
        ("analyze", "missing argument 'logs' (`whymiss analyze --help` lists what there is)."),
        ("analyze x --nonesuch", "no such option: --nonesuch"),
        (
            "analyze x --block-size many",
            "invalid value for '--block-size': 'many' is no whole number from 1 to 1048576 (",
        ),
        ("analyze x --block-size 0", "invalid value for '--block-size': '0' is no whole number from 1 to 1048576 ("),
        ("analyze x --blocks 1.5", "invalid value for '--blocks': '1.5' is no whole number from 2 to 16777216 ("),
        ("analyze x --window -1", "invalid value for '--window': '-1' is no whole number from 1 on ("),
        ("analyze x --retention inf", "invalid value for '--retention': 'inf' is no whole number from 0 on ("),
        ("check x --dcp nan", "invalid value for '--dcp': 'nan' is no whole number from 1 to 65536 ("),
        ("analyze x --max-lost nan", "invalid value for '--max-lost': 'nan' is no number from 0 to 100 ("),
        ("analyze x --max-lost inf", "invalid value for '--max-lost': 'inf' is no number from 0 to 100 ("),
        ("analyze x --max-lost -0.5", "invalid value for '--max-lost': '-0.5' is no number from 0 to 100 ("),
        ("check x --max-drop nan", "invalid value for '--max-drop': 'nan' is no number from 0 to 100 ("),
        ("record --upstream x -o y --port 65536", "invalid value for '--port': '65536' is no whole number from 0 to "),
        ("analyze x --json", "option '--json' requires an argument"),
        ("serve --port 0", "invalid value for '--port': '0' is no whole number from 1 to 65535 ("),
    ],
)
def test_a_mistake_in_the_options_is_one_line(command: str, said: str) -> None:
    assert error_of(*command.split()).startswith(said)


def test_a_name_to_hide_that_is_empty_is_refused(tmp_path: Path) -> None:
    given = ["report", SAMPLES[0], "--redact", "secrets", "-o", tmp_path / "r.md"]
    assert error_of(*given, "--hide", "Ott", "--hide", "").startswith("--hide is empty")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("command", [["formats"], ["template", str(SAMPLE_MODEL)], ["analyze", str(SAMPLES[0])]])
def test_a_closed_pipe_ends_it_quietly(command: list[str]) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    ended = subprocess.run(
        [sys.executable, "-m", "app.cli", *command], cwd=ROOT, stdout=writing, stderr=subprocess.PIPE, text=True
    )
    os.close(writing)
    assert (ended.returncode, ended.stderr) == (141, "")


def test_a_full_disk_behind_stdout_is_one_line() -> None:
    with Path("/dev/full").open("w") as full:
        ended = subprocess.run(
            [sys.executable, "-m", "app.cli", "formats"], cwd=ROOT, stdout=full, stderr=-1, text=True
        )
    assert (ended.returncode, ended.stderr) == (2, "whymiss: No space left on device\n")


@pytest.mark.parametrize("keeps", [True, False])
def test_an_import_that_is_stopped_says_that_it_can_go_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, keeps: bool
) -> None:
    def stopped(*_given: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(analysing, "import_source", stopped)
    monkeypatch.setattr(analysing, "analyse_source", stopped)
    result = run("analyze", SAMPLES[0], *(["--db", tmp_path / "w.duckdb"] if keeps else []), code=130)
    assert result.stderr == ("whymiss: stopped. The same command goes on where it was.\n" if keeps else "")
