"""Logs of any format into one canonical log: read first, so that a log that is none leaves no file behind."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import BinaryIO

from analysis.formats import salts
from analysis.formats.base import FormatError
from analysis.formats.canonical import lines
from analysis.model.session import Log, Problem
from analysis.pipeline.reading import read_files
from analysis.pipeline.rotated import told_apart
from analysis.pipeline.sources import Source, joined, read_source

Progress = Callable[[str, int, int], None]  # stage, done, in all


@dataclass(frozen=True, slots=True, eq=False)
class Converted:
    """What was read of the logs, and what could not be; ``num_lines`` is one per turn."""

    logs: tuple[Log, ...]
    problems: tuple[Problem, ...]

    @property
    def num_sessions(self) -> int:
        """Sessions of all logs."""
        return sum(len(log.sessions) for log in self.logs)

    @property
    def num_lines(self) -> int:
        """Turns of all sessions, a line each."""
        return sum(len(session.turns) for log in self.logs for session in log.sessions)

    def lines(self) -> Iterator[bytes]:
        """The canonical log, a line per turn with its end: the whole is never in memory as text."""
        return lines(self.logs)

    def write(self, file: BinaryIO) -> None:
        """Write it line by line."""
        for line in self.lines():
            file.write(line)


def read_to_convert(
    paths: Sequence[Path],
    log_format: str | None = None,
    progress: Progress | None = None,
    keep_secrets: bool = False,
) -> Converted:
    """Read files and folders; raise the first error where not one of them is a log, else it is a problem.

    ``keep_secrets``: cache salts stay as they were sent, instead of their fingerprints.
    """
    with salts.as_sent() if keep_secrets else nullcontext():
        return _converted(_read(paths, log_format, progress))


def _converted(read: Iterable[tuple[str, Log | FormatError | OSError]]) -> Converted:
    logs: list[Log] = []
    problems: list[Problem] = []
    refused: list[Exception] = []
    for file, found in read:
        if isinstance(found, Log):
            logs.append(found)
            problems.extend(found.problems)
        else:
            refused.append(found)
            problems.append(Problem(file, None, _reason(found).removeprefix(f"{file}: ")))
    if not logs and refused:
        raise refused[0]
    return Converted(tuple(_told_apart(logs)), tuple(problems))


def _told_apart(logs: Sequence[Log]) -> Iterator[Log]:
    """The same logs: in one log, runs of one key are told apart by it alone."""
    named = iter(told_apart([session for log in logs for session in log.sessions]))
    for log in logs:
        yield replace(log, sessions=tuple(islice(named, len(log.sessions))))


def _read(
    paths: Sequence[Path], log_format: str | None, progress: Progress | None
) -> Iterator[tuple[str, Log | FormatError | OSError]]:
    """All files as those of one source, which is what the canonical log will be."""
    sources: list[Source] = []
    for path in paths:
        try:
            sources.append(read_source(path))
        except (FormatError, OSError) as error:
            yield path.name, error
    together = joined(sources)
    for problem in together.problems:
        yield problem.file, FormatError(f"{problem.file}: {problem.message}")
    yield from read_files([(file.name, file.content) for file in together.files], together.name, log_format, progress)


def _reason(error: Exception) -> str:
    return str(error.strerror) if isinstance(error, OSError) and error.strerror else str(error)
