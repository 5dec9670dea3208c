"""Where logs come from: files, compressed ones, archives and folders, as the histories of servers.

Reads bytes; what they mean is for the formats.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from analysis.formats.base import FormatError
from analysis.formats.containers import unpacked

LOG_ENDINGS = (".jsonl", ".json", ".ndjson", ".log", ".traj", ".eval", ".csv", ".har", ".yaml", ".yml")
ENDINGS = (*LOG_ENDINGS, *(f"{ending}.gz" for ending in LOG_ENDINGS), ".zip")


@dataclass(frozen=True, slots=True)
class LogFile:
    """A file of a log by its name and its bytes."""

    name: str
    data: bytes


@dataclass(frozen=True, slots=True)
class Source:
    """The history of one server: a file, or the files of one folder."""

    name: str
    files: tuple[LogFile, ...]

    @property
    def sha256(self) -> str:
        """Fingerprint of everything in it."""
        digests = [hashlib.sha256(file.data).hexdigest() for file in self.files]
        return digests[0] if len(digests) == 1 else hashlib.sha256("".join(digests).encode()).hexdigest()

    @property
    def num_bytes(self) -> int:
        """Bytes of all its files."""
        return sum(len(file.data) for file in self.files)


def read_source(path: Path) -> Source:
    """Read a file, or the log files of a folder and the folders in it.

    Raise FormatError or OSError where there is nothing to read.
    """
    if not path.is_dir():
        return source_of(path.name, path.read_bytes())
    found = sorted(file for file in path.rglob("*") if _is_log(file.relative_to(path)) and file.is_file())
    if not found:
        endings = ", ".join(f"*{ending}" for ending in LOG_ENDINGS)
        raise FormatError(f"{path}: no log in this folder (looked for {endings}, also *.gz and *.zip).")
    files = [piece for file in found for piece in _unpacked(file.relative_to(path).as_posix(), file.read_bytes())]
    return Source(path.name, tuple(files))


def source_of(name: str, data: bytes) -> Source:
    """The file of this name as a source, unpacked; raise FormatError where it cannot be."""
    return Source(name, tuple(_unpacked(name, data)))


def joined(sources: Sequence[Source]) -> Source:
    """Several sources as the history of one server."""
    names = " + ".join(source.name for source in sources)
    return Source(names, tuple(file for source in sources for file in source.files))


def _is_log(place: Path) -> bool:
    """Whether a file is read with its folder: by its ending, and nothing that is hidden in there."""
    return place.name.lower().endswith(ENDINGS) and not any(part.startswith(".") for part in place.parts)


def _unpacked(name: str, data: bytes) -> list[LogFile]:
    return [LogFile(inner, piece) for inner, piece in unpacked(name, data, ENDINGS)]
