"""A log that stays on the disk: its lines are read one by one, so a large file never lies in memory as a whole.

Does not know what the lines mean, and does not unpack.
"""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

CHUNK = 1 << 20


@dataclass(slots=True)
class Stored:
    """A file as long as it was when it was found: what is written behind that later is not seen."""

    path: Path
    num_bytes: int
    _sha256: dict[int, str] = field(default_factory=dict, compare=False, repr=False)  # by how many bytes

    def __len__(self) -> int:
        return self.num_bytes

    def head(self, most: int) -> bytes:
        """The first bytes, this many at most."""
        with self.path.open("rb") as file:
            return file.read(min(most, self.num_bytes))

    def lines(self) -> Iterator[bytes]:
        """The lines with their line ends; the last may have none."""
        left = self.num_bytes
        with self.path.open("rb", buffering=CHUNK) as file:
            for line in file:
                yield line[:left]
                left -= len(line)
                if left <= 0:
                    return

    def sha256(self, num_bytes: int | None = None) -> str:
        """Fingerprint of the first bytes, of all where no number is given; made once."""
        number = self.num_bytes if num_bytes is None else min(num_bytes, self.num_bytes)
        if number not in self._sha256:
            digest, left = hashlib.sha256(), number
            with self.path.open("rb") as file:
                while left > 0 and (piece := file.read(min(CHUNK, left))):
                    digest.update(piece)
                    left -= len(piece)
            self._sha256[number] = digest.hexdigest()
        return self._sha256[number]


Data: TypeAlias = bytes | Stored  # what a file holds: in memory, or on the disk where it is large


def head_of(data: Data, most: int) -> bytes:
    """The first bytes, this many at most."""
    return data[:most] if isinstance(data, bytes) else data.head(most)


def whole(data: Data) -> bytes:
    """All bytes, for what can only be read as a whole."""
    return data if isinstance(data, bytes) else data.head(data.num_bytes)
