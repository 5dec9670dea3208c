"""The files that commands write: whole or not at all, and never over a log that is read."""

import errno
import os
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import BinaryIO


def spare_logs(output: Path | None, logs: Sequence[Path], option: str = "-o") -> None:
    """Raise ValueError where an output would take the place of a log that is read."""
    if output is not None and any(_is_read(log, output) for log in logs):
        raise ValueError(f"{output}: this is one of the logs that are read; name another file with {option}.")


def refuse_unwritable(output: Path | None) -> None:
    """Raise OSError that names an output which cannot be written: before the work that it is for."""
    if output is None or str(output) == "-":
        return
    place = Path(os.path.realpath(output))
    if place.is_dir():
        code = errno.EISDIR
    elif not place.parent.is_dir():
        code = errno.ENOENT
    elif not os.access(place.parent if place.is_file() or not place.exists() else place, os.W_OK):
        code = errno.EACCES
    else:
        return
    raise OSError(code, os.strerror(code), str(output))


def write_text(output: Path, content: str) -> None:
    """Write a text file; raise OSError that names it."""
    write_whole(output, lambda file: file.write(content.encode("utf-8")))


def write_whole(output: Path, write: Callable[[BinaryIO], object]) -> None:
    """Write a file beside its place and move it there: what was there stays until then.  Errors name the file."""
    try:
        if output.exists() and not output.is_file():
            _pour(output, write)  # a device or a pipe: there is nothing to keep
        else:
            _replace(Path(os.path.realpath(output)), write)
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(output)) from None


def _pour(output: Path, write: Callable[[BinaryIO], object]) -> None:
    with output.open("wb") as file:
        write(file)


def _replace(place: Path, write: Callable[[BinaryIO], object]) -> None:
    mode = place.stat().st_mode & 0o777 if place.exists() else 0o666 & ~_umask()
    descriptor, name = tempfile.mkstemp(prefix=f".{place.name[:80]}.", dir=place.parent)
    try:
        with os.fdopen(descriptor, "wb") as file:
            write(file)
        Path(name).chmod(mode)
        Path(name).replace(place)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def _is_read(log: Path, output: Path) -> bool:
    if not (log.exists() and output.exists()):
        return False
    return log.samefile(output) or (log.is_dir() and log.resolve() in output.resolve().parents)
