"""What commands say on stderr: one line, whatever is in it."""

import sys

import pytest
import typer

from analysis.model.session import Problem
from app.terminal import fail, progress, reason, say, say_problem


def test_untrusted_text_stays_on_its_line(capsys: pytest.CaptureFixture[str]) -> None:
    say("a\nb\x1b[31m")
    assert capsys.readouterr().err == "a\\nb\\x1b[31m\n"


@pytest.mark.parametrize(("line", "said"), [(None, "f: m\n"), (12, "f: line 12: m\n")])
def test_a_problem_names_its_line(capsys: pytest.CaptureFixture[str], line: int | None, said: str) -> None:
    say_problem(Problem("f", line, "m"))
    assert capsys.readouterr().err == said


def test_an_error_is_one_line_and_exit_code_2(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(typer.Exit) as stopped:
        fail(ValueError("no"))
    assert stopped.value.exit_code == 2 and capsys.readouterr().err == "whymiss: no\n"


def test_the_reason_names_the_file() -> None:
    assert reason(FileNotFoundError(2, "No such file", "a/b")) == "a/b: No such file"
    assert reason(ValueError("why")) == "why"


def test_progress_only_where_a_person_watches(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert progress() is None
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    show = progress()
    assert show is not None
    show("bytes read", 1, 2)
    show("bytes read", 2, 2)
    assert capsys.readouterr().err == "\r\x1b[2K1 of 2 bytes read\r\x1b[2K2 of 2 bytes read\n"
