"""How much is unpacked: so much in all, and so many times what a file has on the disk.

Asked piece by piece while something is unpacked, so that a few bytes which stand for gigabytes are refused at once.
"""

from dataclasses import dataclass

from analysis.formats.base import FormatError

MOST_BYTES = 2 << 30  # unpacked in memory, of one file
MOST_RATIO = 250  # one line over and over reaches 150; zeros 1,000
UNASKED = 64 << 20  # bytes below which the ratio does not matter
MOST_DEPTH = 3  # archives in archives
MOST_FILES = 100_000


@dataclass(slots=True)
class Budget:
    """What may still come out of one file; ``packed`` are its bytes on the disk."""

    name: str
    packed: int
    unpacked: int = 0
    files: int = 0

    def take(self, num_bytes: int) -> None:
        """Count bytes that were unpacked; raise FormatError where they are too many."""
        self.unpacked += num_bytes
        if self.unpacked > max(UNASKED, MOST_RATIO * self.packed):
            raise FormatError(
                f"{self.name}: unpacks to more than {MOST_RATIO} times its size, which no log does. Unpack it yourself"
                " if you trust it."
            )
        if self.unpacked > MOST_BYTES:
            raise too_large(self.name)

    def enter(self, depth: int) -> None:
        """Count a file in an archive; raise FormatError where it lies too deep, or too many do."""
        self.files += 1
        if depth > MOST_DEPTH:
            raise FormatError(f"{self.name}: archives in archives, more than {MOST_DEPTH} deep. Unpack it yourself.")
        if self.files > MOST_FILES:
            raise FormatError(f"{self.name}: more than {MOST_FILES:,} files are in it. Unpack it and add its folders.")


def too_large(name: str) -> FormatError:
    """What to say of a file whose content is too large to be unpacked."""
    return FormatError(
        f"{name}: unpacks to more than {MOST_BYTES / (1 << 30):g} GB, the most that is unpacked in memory. Unpack it"
        " yourself: large plain logs are read from the disk. Or split it."
    )
