"""A recording: what passes between clients and a server, written to a log line by line as exchanges end.

The log is added to, never replaced.  A line is complete or marked as cut; what cannot be written is counted and said.
"""

import os
import secrets
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

from analysis.formats.additions import Asked, asked_for
from analysis.formats.exchanges import Salted, fingerprint, line
from analysis.live.recorder import Recorder
from analysis.model.exchange import Exchange

Say = Callable[[str], None]

KEY_BYTES = 32


@dataclass(slots=True)
class Recording:
    """A log that is being written.  ``salted`` says what stands for a cache salt, None that salts are kept."""

    file: BinaryIO
    salted: Salted | None
    say: Say
    num_kept: int = 0
    num_cut: int = 0
    num_lost: int = 0
    _told: set[str] = field(default_factory=set)

    def keep(self, exchange: Exchange) -> None:
        """Write an exchange.  The clients are served whether it can be written or not."""
        try:
            self.file.write(line(exchange, self.salted))
            self.file.flush()
        except OSError as error:
            self.num_lost += 1
            reason = str(error.strerror)
            if reason not in self._told:
                self._told.add(reason)
                self.say(f"{self.file.name}: {reason}: exchanges pass and are not recorded until it can be written.")
            return
        self.num_kept += 1
        self.num_cut += exchange.cut is not None

    def summary(self) -> str:
        """What is in the log, in one line."""
        said = f"{self.file.name}: {self.num_kept:,} request{'s' * (self.num_kept != 1)} recorded"
        said += f", {self.num_cut:,} of them cut short" if self.num_cut else ""
        return f"{said}; {self.num_lost:,} could not be written." if self.num_lost else f"{said}."


def opened(path: Path) -> BinaryIO:
    """The log, to add to, readable by its owner alone where it is new; raise OSError where it cannot be written."""
    broken = path.is_file() and _last_byte(path) not in (b"", b"\n")
    file = open(path, "ab", opener=_for_the_owner)  # noqa: SIM115 - it is open as long as the recording runs
    if broken:
        file.write(b"\n")  # what wrote here before was stopped in the middle of a line
        file.flush()
    return file


def salt_fingerprints(key_file: Path, say: Say) -> Salted:
    """Fingerprints under the key in this file, which is made where there is none; else under one of this run."""
    try:
        if not key_file.exists():
            key_file.parent.mkdir(parents=True, exist_ok=True)
            with open(key_file, "xb", opener=_for_the_owner) as file:
                file.write(secrets.token_bytes(KEY_BYTES))
        key = key_file.read_bytes()
    except OSError as error:
        say(f"{key_file}: {error.strerror}: cache salts get fingerprints that only this run makes.")
        return fingerprint(secrets.token_bytes(KEY_BYTES))
    if len(key) != KEY_BYTES:
        raise ValueError(f"{key_file}: this is no key of Whymiss. Remove the file, and a new one is made.")
    return fingerprint(key)


def recorder(upstream: str, recording: Recording, add_ids: bool = False, add_usage: bool = False) -> Recorder:
    """The proxy that writes this recording; raise EndpointError where the address is none."""

    def ask(path: str, body: bytes) -> Asked | None:
        return asked_for(path, body, add_ids, add_usage)

    return Recorder(upstream, recording.keep, ask if add_ids or add_usage else None)


def _last_byte(path: Path) -> bytes:
    with path.open("rb") as file:
        file.seek(max(0, file.seek(0, os.SEEK_END) - 1))
        return file.read(1)


def _for_the_owner(name: str, flags: int) -> int:
    return os.open(name, flags, 0o600)
