"""What a log format is, and what goes wrong when a file is none.

A format is a module with the attributes of ``Format``: it sees bytes, never a path, and knows nothing of tokens.
"""

from collections.abc import Callable, Container, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

from analysis.formats.stored import Data
from analysis.model.session import Log, Problem, ProblemKind

HEAD_BYTES = 1 << 24  # what a format sees of a file to say yes or no

Progress = Callable[[int, int], None]  # bytes read, bytes in all


class FormatError(ValueError):
    """A file cannot be read at all; the message names the file and the remedy."""


class UnknownFormat(FormatError):
    """No format, or more than one, says yes to a file."""


class Format(Protocol):
    """A log format."""

    name: str
    title: str
    looks_for: str  # what a file must have, for whoever asks why one was refused
    limitations: tuple[str, ...]

    def sniff(self, head: bytes) -> bool:
        """Say whether these first bytes are ours.  Cheap, total, never raises."""

    def read(self, data: bytes, file: str, source: str, progress: Progress | None = None) -> Log:
        """Parse the whole log; damage is a Problem in it.  Raise FormatError where nothing could be read."""


class StreamingFormat(Format, Protocol):
    """A format of lines, whose files may be larger than memory: it also reads a log that stays on the disk."""

    def read(self, data: Data, file: str, source: str, progress: Progress | None = None) -> Log:
        """Parse the whole log, line by line."""


class SpanningFormat(Format, Protocol):
    """A format whose requests lie in several files: what one source has of them is read together.

    Its ``read`` is ``read_together`` of one file.
    """

    def read_together(self, files: Sequence[tuple[str, bytes]], source: str, progress: Progress | None = None) -> Log:
        """Parse files, each a name with its bytes, as one log."""


def _unseen(_number: int, _done: int) -> None:
    """Nobody watches."""


@dataclass(slots=True)
class FilesRead:
    """How far several files are read, in whichever order: what is done adds up.

    ``show`` gets the number of the file that is being read, from 1, and the bytes done of all; ``num_bytes`` are those
    of the files that are done.
    """

    show: Callable[[int, int], None] = _unseen
    number: int = 1
    num_bytes: int = 0

    def within(self, done: int, _total: int) -> None:
        """So many bytes are done of the file that is being read."""
        self.show(self.number, self.num_bytes + done)

    def within_together(self, done: int, total: int) -> None:
        """The same of files that are read in one go: where one ends the next begins."""
        self.within(done, total)
        if done >= total:
            self.end(total)

    def end(self, num_bytes: int, files: int = 1) -> None:
        """Files of so many bytes are done."""
        self.number += files
        self.num_bytes += num_bytes


@dataclass(slots=True)
class Problems:
    """Problems of one file; those that are alike are counted under the line where the first one stands."""

    file: str
    _first: dict[str, Problem] = field(default_factory=dict)
    _counts: dict[str, int] = field(default_factory=dict)

    def add(self, line: int | None, message: str, kind: ProblemKind = "other") -> None:
        """Note a problem of its own."""
        self._first[f"{line}:{message}"] = Problem(self.file, line, message, kind)

    def count(self, alike: str, line: int | None, message: str, kind: ProblemKind = "other") -> None:
        """Note one of many that have the key ``alike``: only the first line is named, the rest are counted."""
        if alike not in self._first:
            self._first[alike] = Problem(self.file, line, message, kind)
        self._counts[alike] = self._counts.get(alike, 0) + 1

    def take(self, other: "Problems", part: str, but: Container[str] = ()) -> None:
        """Those that another reader met in a ``part`` of the lines as well, ``but`` those of some keys."""
        for alike, first in other._first.items():
            if alike not in but:
                self._first.setdefault(alike, replace(first, file=self.file, message=f"{part}: {first.message}"))
                self._counts[alike] = self._counts.get(alike, 0) + other._counts.get(alike, 1)

    def listed(self) -> tuple[Problem, ...]:
        """All problems in the order they were met."""
        return tuple(
            replace(first, message=and_more(first.message, self._counts.get(alike, 1) - 1))
            for alike, first in self._first.items()
        )

    def refusal(self, why: str, title: str) -> FormatError:
        """The error of a file without a turn: why, what the format named ``title`` reads, and the first problem."""
        found = self.listed()
        place = f"line {found[0].line}: " if found and found[0].line is not None else ""
        first = f" First problem: {place}{found[0].message}" if found else ""
        return FormatError(f"{self.file}: {why}. Whymiss reads {title}.{first}")


def and_more(message: str, more: int) -> str:
    """A message that stands for others like it."""
    return message if not more else f"{message} (and {more:,} more such {'line' if more == 1 else 'lines'})"
