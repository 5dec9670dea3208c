"""``whymiss report``: one file that can be sent, redacted unless it is asked otherwise."""

import json
from pathlib import Path

import pytest

from app.reporting import written
from tests.app.command_line import error_of, run, write
from tests.builders import SAMPLES
from tests.sample_reports import leaving

CLOCK = next(path for path in SAMPLES if path.stem.startswith("03"))


def test_a_report_is_redacted_and_says_so(tmp_path: Path) -> None:
    said = run("report", CLOCK, "--block-size", 16, "-o", tmp_path / "a.html").stderr
    page = (tmp_path / "a.html").read_text("utf-8")
    assert page == written(leaving("03"), ".html") and "desk-chat" not in page
    assert said.strip().endswith("a.html: 1 session, redacted: 46 texts hidden.")


def test_what_a_log_says_leaves_only_where_it_is_asked_for(tmp_path: Path) -> None:
    run("report", CLOCK, "--redact", "nothing", "-o", tmp_path / "a.md")
    assert "29 November 2026, 22:31:13 UTC" in (tmp_path / "a.md").read_text("utf-8")
    run("report", CLOCK, "--redact", "secrets", "--hide", "desk-chat-60417", "-o", tmp_path / "b.json")
    values = json.loads((tmp_path / "b.json").read_text("utf-8"))
    assert values["redaction"]["scope"] == "secrets" and values["sessions"][0]["name"] == "‹hidden›"


def test_names_of_models_can_be_kept() -> None:
    out = run("report", CLOCK, "-o", "-", "--keep", "model").stdout
    assert "model `sample/agent-8k`" in out and "desk-chat" not in out


def test_several_logs_are_a_fleet() -> None:
    out = run("report", CLOCK, SAMPLES[0], "-o", "-").stdout
    assert out.startswith("# Prefix cache report: 2 sessions\n") and "## All sessions" in out


def test_a_log_that_cannot_be_read_is_a_problem_of_the_others(tmp_path: Path) -> None:
    result = run("report", CLOCK, tmp_path / "gone.jsonl", "-o", "-")
    assert "gone.jsonl: No such file" in result.stderr and "1 session" in result.stderr
    assert "## What could not be read" in result.stdout and "gone.jsonl" not in result.stdout


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        pytest.param(["-o", "report.txt"], "report.txt: a report is written as .html, .md, .json", id="another form"),
        pytest.param(
            ["-o", "-", "--redact", "some"], "--redact some: use one of everything, secrets, nothing.", id="scope"
        ),
        pytest.param(["-o", "-", "--hide", "Jo"], "--hide belongs to --redact secrets", id="a name without its scope"),
        pytest.param(["-o", "-", "--keep", "session"], "--keep session: use model or tool.", id="a kind of names"),
        pytest.param(["-o", "no/such/folder/a.md"], "No such file or directory", id="no such folder"),
    ],
)
def test_errors_are_one_line(arguments: list[str], said: str) -> None:
    assert said in error_of("report", CLOCK, *arguments)


def test_a_log_is_not_written_over(tmp_path: Path) -> None:
    log = write(tmp_path / "a.json", {"model": "m"})
    assert "this is one of the logs that are read" in error_of("report", log, "-o", log)


def test_a_log_without_sessions_makes_no_report(tmp_path: Path) -> None:
    assert error_of("report", write(tmp_path / "a.jsonl", {"odd": 1}), "-o", tmp_path / "a.html")
    assert not (tmp_path / "a.html").exists()
