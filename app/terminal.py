"""What every command says on stderr: problems, progress, and the one line of an error."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import NoReturn

import typer

from analysis.model.session import Problem
from analysis.report.problem_words import without_tried
from app.entry import INTERRUPTED
from app.pace import Pace
from app.printing import safe

FORMATS_TELL = " `whymiss formats` lists what each format looks for."

Progress = Callable[[str, int, int], None]  # stage, done, in all


def say(line: str) -> None:
    """One line on stderr; what it quotes is untrusted."""
    typer.echo(safe(line), err=True)


def say_problem(problem: Problem) -> None:
    """One thing that could not be read, with its file and line."""
    line = f" line {problem.line}:" if problem.line is not None else ""
    said, tried = without_tried(problem.message)
    say(f"{problem.file}:{line} {said}{FORMATS_TELL if tried else ''}")


def fail(error: Exception) -> NoReturn:
    """End with exit code 2 and one line; below it, where a file is no log, what each format looked for.

    A pipe that nobody reads any more is no error of the input: it is raised again.
    """
    if isinstance(error, BrokenPipeError):
        raise error
    said, tried = without_tried(reason(error))
    say(f"whymiss: {said}")
    for one in tried:
        say(f"  {one}")
    raise typer.Exit(2)


def reason(error: Exception) -> str:
    """What went wrong, with the file where the system names one."""
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename}: {error.strerror}" if error.filename else error.strerror
    return str(error)


@contextmanager
def resumable() -> Iterator[None]:
    """What is done inside goes on where it was when it is stopped with Ctrl-C, and says so."""
    try:
        yield
    except KeyboardInterrupt:
        if sys.stderr.isatty():
            sys.stderr.write("\n")  # below the line of the progress
        say("whymiss: stopped. The same command goes on where it was.")
        raise typer.Exit(INTERRUPTED) from None


def progress() -> Progress | None:
    """Progress on stderr where a person watches."""
    if not sys.stderr.isatty():
        return None

    pace = Pace()

    def show(stage: str, done: int, total: int) -> None:
        if (line := pace.line(stage, done, total)) is not None:
            sys.stderr.write(f"\r\x1b[2K{line}" + ("\n" if done >= total else ""))
            sys.stderr.flush()

    return show
