"""Where logs come from: files, compressed ones, archives and folders, as the histories of servers.

Reads bytes; what they mean is for the formats.
"""

import hashlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from analysis.formats.base import FormatError
from analysis.formats.containers import GZIP, ZIP, unpacked
from analysis.formats.stored import Data, Stored

LOG_ENDINGS = (".jsonl", ".json", ".ndjson", ".log", ".traj", ".eval", ".csv", ".har", ".yaml", ".yml")
LARGE = 32 << 20  # bytes of a file that is not read into memory as a whole
ENDINGS = (*LOG_ENDINGS, *(f"{ending}.gz" for ending in LOG_ENDINGS), ".zip")


@dataclass(frozen=True, slots=True)
class LogFile:
    """A file of a log by its name and its bytes; of a large one ``stored`` says where they are, and ``data`` is empty.

    What a large file gets behind its end afterwards is not part of it.
    """

    name: str
    data: bytes
    stored: Stored | None = None

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
    """The history of one server: a file, or the files of one folder."""

    name: str
    files: tuple[LogFile, ...]

    @property
    def sha256(self) -> str:
        """Fingerprint of everything in it."""
        digests = [file.sha256() for file in self.files]
        return digests[0] if len(digests) == 1 else hashlib.sha256("".join(digests).encode()).hexdigest()

    @property
    def num_bytes(self) -> int:
        """Bytes of all its files."""
        return sum(len(file.content) for file in self.files)


def read_source(path: Path) -> Source:
    """Read a file, or the log files of a folder and the folders in it.

    Raise FormatError or OSError where there is nothing to read.
    """
    if path.exists() and not path.is_dir() and not path.is_file():
        raise FormatError(f"{path}: neither a file nor a folder. Write what comes from there to a file first.")
    if not path.is_dir():
        return Source(path.name, tuple(_read(path.name, path)))
    found = sorted(file for file in path.rglob("*") if _is_log(file.relative_to(path)) and file.is_file())
    if not found:
        endings = ", ".join(f"*{ending}" for ending in LOG_ENDINGS)
        raise FormatError(f"{path}: no log in this folder (looked for {endings}, also *.gz and *.zip).")
    pieces = [(name, _read(name, path / name)) for name in (file.relative_to(path).as_posix() for file in found)]
    return Source(path.name, _told_apart(pieces))


def source_of(name: str, data: bytes) -> Source:
    """The file of this name as a source, unpacked; raise FormatError where it cannot be."""
    return Source(name, tuple(_unpacked(name, data)))


def joined(sources: Sequence[Source]) -> Source:
    """Several sources as the history of one server; files of one name in several of them have names of their own."""
    names = " + ".join(source.name for source in sources)
    return Source(names, _told_apart([(source.name, source.files) for source in sources]))


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


def _read(name: str, path: Path) -> list[LogFile]:
    """A file, unpacked; a large one that is plain text stays where it is."""
    stored = Stored(path, path.stat().st_size)
    if len(stored) > LARGE and not stored.head(4).startswith((GZIP, ZIP)):
        return [LogFile(name, b"", stored)]
    return _unpacked(name, path.read_bytes())


def _unpacked(name: str, data: bytes) -> list[LogFile]:
    return [LogFile(inner, piece) for inner, piece in unpacked(name, data, ENDINGS)]
