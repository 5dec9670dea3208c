"""``whymiss convert``: the same figures before and after, one clear line for what cannot be."""

import json
from pathlib import Path
from typing import Any

import pytest

from analysis.report.words import counted
from tests.app.command_line import error_of, run
from tests.builders import SAMPLES

SHARED = next(path for path in SAMPLES if path.stem.startswith("13"))
SALTED = next(path for path in SAMPLES if path.stem.startswith("07"))


def sessions(*logs: Path) -> Any:
    found = json.loads(run("analyze", *logs, "--json", "-").stdout)["sessions"]
    return [{**session, "source": None} for session in found]


@pytest.mark.parametrize("log", [SHARED, SALTED], ids=["with headers and streams", "with salts"])
def test_the_analysis_is_the_same_before_and_after(tmp_path: Path, log: Path) -> None:
    output = tmp_path / "canonical.jsonl"
    result = run("convert", log, "-o", output)
    assert result.stdout == ""
    num_requests = len(output.read_bytes().splitlines())
    assert (
        f"canonical.jsonl: {counted(num_requests, 'request')} in {counted(len(sessions(log)), 'session')}.\n"
        in result.stderr
    )
    assert sessions(output) == sessions(log)


def test_on_stdout_are_the_lines_and_nothing_else(tmp_path: Path) -> None:
    run("convert", SHARED, "-o", tmp_path / "file.jsonl")
    assert run("convert", SHARED, "-o", "-").stdout == (tmp_path / "file.jsonl").read_text("utf-8")


def test_a_part_that_is_no_log_is_said_and_the_rest_written(tmp_path: Path) -> None:
    (tmp_path / "x.log").write_text("hello")
    result = run("convert", tmp_path / "x.log", SHARED, "-o", tmp_path / "out.jsonl")
    assert "x.log: text, and no log that Whymiss reads." in result.stderr
    assert (tmp_path / "out.jsonl").stat().st_size > 0


def test_errors_are_one_line_and_leave_no_file(tmp_path: Path) -> None:
    (tmp_path / "x.log").write_text("hello")
    assert "no log that Whymiss reads" in error_of("convert", tmp_path / "x.log", "-o", tmp_path / "out.jsonl")
    assert "No such file or directory" in error_of("convert", tmp_path / "no.jsonl", "-o", tmp_path / "out.jsonl")
    assert not (tmp_path / "out.jsonl").exists()
    assert "No such file or directory" in error_of("convert", SHARED, "-o", tmp_path / "no" / "out.jsonl")


def test_a_log_is_never_its_own_output(tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    log.write_bytes(SHARED.read_bytes())
    for logs in (log, tmp_path):
        assert "this is one of the logs that are read" in error_of("convert", logs, "-o", log)
    assert log.read_bytes() == SHARED.read_bytes()


def test_an_output_is_asked_for() -> None:
    assert "--output" in run("convert", SHARED, code=2).stderr


def test_salts_are_fingerprints_unless_they_are_asked_for(tmp_path: Path) -> None:
    def written(*flags: str) -> list[str | None]:
        run("convert", SALTED, "-o", tmp_path / "out.jsonl", *flags)
        return [json.loads(line)["request"].get("cache_salt") for line in (tmp_path / "out.jsonl").open()]

    sent = [json.loads(line)["request"].get("cache_salt") for line in SALTED.open()]
    assert written("--keep-secrets") == sent and len(set(sent)) > 1
    hidden = written()
    assert len(set(hidden)) == len(set(sent)) and not set(hidden) & set(sent) - {None}
