"""Where logs come from: files, compressed ones, archives and folders, as the histories of servers.

Reads bytes; what they mean is for the formats.
"""

import hashlib
import os
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from analysis.formats.base import FormatError
from analysis.formats.containers import GZIP, ZIP, unpacked
from analysis.formats.stored import Data, Stored
from analysis.model.session import Problem

LOG_ENDINGS = (".jsonl", ".json", ".ndjson", ".log", ".traj", ".eval", ".csv", ".har", ".yaml", ".yml")
LARGE = 32 << 20  # bytes of a file that is not read into memory as a whole
ENDINGS = (*LOG_ENDINGS, *(f"{ending}.gz" for ending in LOG_ENDINGS), ".zip")


def sayable(name: str) -> str:
    """The name of a file as text that can be stored and shown: of its bytes, those that are no UTF-8 as escapes."""
    try:
        raw = name.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:  # half a character, which no file has in its name but an archive or an upload may
        raw = name.encode("utf-8", "backslashreplace")
    return raw.decode("utf-8", "backslashreplace")


@dataclass(frozen=True, slots=True)
class LogFile:
    """A file of a log by its name and its bytes; of a large one ``stored`` says where they are, and ``data`` is empty.

    What a large file gets behind its end afterwards is not part of it.  ``damage`` is what is wrong with the archive
    that it was in.
    """

    name: str
    data: bytes
    stored: Stored | None = None
    damage: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "name", sayable(self.name))

    @property
    def content(self) -> Data:
        """What formats read."""
        return self.data if self.stored is None else self.stored

    def sha256(self, num_bytes: int | None = None) -> str:
        """Fingerprint of the first bytes, of all where no number is given."""
        return (
            hashlib.sha256(self.data[:num_bytes]).hexdigest() if self.stored is None else self.stored.sha256(num_bytes)
        )


@dataclass(frozen=True, slots=True)
class Source:
    """The history of one server: a file, or the files of one folder, with what of it could not be read."""

    name: str
    files: tuple[LogFile, ...]
    problems: tuple[Problem, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "name", sayable(self.name))

    @property
    def sha256(self) -> str:
        """Fingerprint of everything in it."""
        digests = [file.sha256() for file in self.files]
        return digests[0] if len(digests) == 1 else hashlib.sha256("".join(digests).encode()).hexdigest()

    @property
    def num_bytes(self) -> int:
        """Bytes of all its files."""
        return sum(len(file.content) for file in self.files)


def refuse_special(path: Path) -> None:
    """Raise FormatError for a device or a pipe, which may never end."""
    if path.exists() and not path.is_dir() and not path.is_file():
        raise FormatError(f"{path}: neither a file nor a folder. Write what comes from there to a file first.")


def read_source(path: Path) -> Source:
    """Read a file, or the log files of a folder and the folders in it; what cannot be read in there is a problem.

    Raise FormatError or OSError where there is nothing to read.
    """
    refuse_special(path)
    if not path.is_dir():
        return _with_damage(path.name, _read(path.name, path))
    failed: list[OSError | FormatError] = []
    names = [place.as_posix() for place in _logs_in(path, failed.append)]
    pieces: list[tuple[str, list[LogFile]]] = []
    for name in names:
        try:
            pieces.append((name, _read(name, path / name)))
        except (OSError, FormatError) as error:
            failed.append(error)
    if not pieces and failed:
        raise failed[0]
    if not pieces:
        endings = ", ".join(f"*{ending}" for ending in LOG_ENDINGS)
        raise FormatError(f"{path}: no log in this folder (looked for {endings}, also *.gz and *.zip).")
    return _with_damage(path.name, _told_apart(pieces), [_problem(path, error) for error in failed])


def source_of(name: str, data: bytes) -> Source:
    """The file of this name as a source, unpacked; raise FormatError where it cannot be."""
    return _with_damage(name, _unpacked(name, data))


def _with_damage(name: str, files: Sequence[LogFile], problems: Sequence[Problem] = ()) -> Source:
    """These files as a source, with what is wrong with the archives that they were in."""
    damaged = (Problem(file.name, None, file.damage) for file in files if file.damage)
    return Source(name, tuple(files), (*problems, *damaged))


def joined(sources: Sequence[Source]) -> Source:
    """Several sources as the history of one server; files of one name in several of them have names of their own."""
    names = " + ".join(source.name for source in sources)
    problems = tuple(problem for source in sources for problem in source.problems)
    return Source(names, _told_apart([(source.name, source.files) for source in sources]), problems)


def _told_apart(groups: Sequence[tuple[str, Sequence[LogFile]]]) -> tuple[LogFile, ...]:
    """The files of all groups; a group that shares a file name with another one becomes a folder.

    The folder has the name of the group, or its number where groups are called alike.  All files of the group are in
    it, so that those which belong together still do.
    """
    holders = Counter(name for _group, files in groups for name in {file.name for file in files})
    called = Counter(group for group, _files in groups)
    found: list[LogFile] = []
    for number, (group, files) in enumerate(groups, 1):
        folder = ""
        if any(holders[file.name] > 1 for file in files):
            own_name = [file.name for file in files] == [group]
            folder = f"{number}/" if called[group] > 1 else "" if own_name else f"{group}/"
        found += [replace(file, name=f"{folder}{file.name}") for file in files] if folder else files
    return tuple(found)


def _is_log(place: Path) -> bool:
    """Whether a file is read with its folder: by its ending, and nothing that is hidden in there."""
    return place.name.lower().endswith(ENDINGS) and not any(part.startswith(".") for part in place.parts)


def _logs_in(folder: Path, failed: Callable[[OSError], None]) -> list[Path]:
    """The logs of a folder by their place in it, in their order; a folder in it that cannot be looked into failed."""
    found = []
    for inner, folders, files in os.walk(folder, onerror=failed):
        folders[:] = [name for name in folders if not name.startswith(".")]
        places = (Path(inner, name).relative_to(folder) for name in files)
        found += [place for place in places if _is_log(place)]
    return sorted(found)


def _problem(folder: Path, error: OSError | FormatError) -> Problem:
    """What is wrong with one file or folder of a folder, by its place in it."""
    if isinstance(error, OSError) and error.filename:
        place = Path(error.filename)
        name = place.relative_to(folder).as_posix() if place.is_relative_to(folder) else place.name
        return Problem(sayable(name), None, f"it cannot be read ({error.strerror}) and was left out.")
    name, _colon, said = str(error).partition(": ")
    return Problem(sayable(name), None, said)


def _read(name: str, path: Path) -> list[LogFile]:
    """A file, unpacked; a large one that is plain text stays where it is."""
    if path.exists() and not path.is_file():
        raise FormatError(f"{name}: neither a file nor a folder. It was left out.")
    stored = Stored(path, path.stat().st_size)
    if len(stored) > LARGE and not stored.head(4).startswith((GZIP, ZIP)):
        return [LogFile(name, b"", stored)]
    return _unpacked(name, path.read_bytes())


def _unpacked(name: str, data: bytes) -> list[LogFile]:
    return [LogFile(one.name, one.data, damage=one.damage) for one in unpacked(name, data, ENDINGS)]
