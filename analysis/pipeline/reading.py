"""The files of one source, read one after the other or, where that pays, several at once in processes of their own.

What comes of them is the same and in the same order.  A process gets a file and the salt key of this one over a pipe
and answers with the log; where it cannot, the file is read here.
"""

import os
import pickle
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor

from analysis.formats import SPANNING, chosen, read_as, read_logs, salts
from analysis.formats.base import FilesRead, FormatError
from analysis.formats.containers import as_text
from analysis.formats.stored import Data
from analysis.model.session import Log

PAYS = 48 << 20  # bytes of a source: a process takes a third of a second to start
MOST_AT_ONCE = 4  # processes: each holds the messages of its file

File = tuple[str, Data]
Found = Log | FormatError
Stage = Callable[[str, int, int], None]  # what is done, bytes done, bytes in all

CHILD = "from analysis.pipeline.reading import answer; answer()"


def read_files(
    files: Sequence[File], source: str, log_format: str | None = None, progress: Stage | None = None
) -> Iterator[tuple[str, Found]]:
    """The logs of a source, each with the name of its file; the error where a file is refused."""
    total = sum(len(data) for _name, data in files)
    count = FilesRead() if progress is None else _shown(progress, len(files), total)
    if len(files) < 2 or total <= PAYS or (os.cpu_count() or 1) < 2:
        yield from read_logs(files, source, log_format, count)
        return
    together: list[File] = []
    for file, found in _at_once(files, source, log_format):
        if found is None:
            together.append(file)
            continue
        yield file[0], found
        count.within_together(len(file[1]), len(file[1]))
    yield from read_logs(together, source, log_format, count)


def _shown(progress: Stage, of: int, total: int) -> FilesRead:
    """A count that says what is done of so many files, of so many bytes in all: packed ones hold more than they say."""

    def show(number: int, done: int) -> None:
        words = "bytes read" if of == 1 else f"bytes read, file {min(number, of)} of {of}"
        progress(words, min(done, total), total)

    return FilesRead(show)


def _at_once(files: Sequence[File], source: str, log_format: str | None) -> Iterator[tuple[File, Found | None]]:
    """What comes of every file in their order; None where it must be read together with others of its format."""
    most = min(len(files), os.cpu_count() or 1, MOST_AT_ONCE)
    with ThreadPoolExecutor(most) as threads:
        waiting: list[tuple[File, Future[Found | None]]] = []
        for file in files:
            waiting.append((file, threads.submit(_asked, file, source, log_format)))
            if len(waiting) > most:  # no more logs than this wait in memory
                first, future = waiting.pop(0)
                yield first, future.result()
        for file, future in waiting:
            yield file, future.result()


def _asked(file: File, source: str, log_format: str | None) -> Found | None:
    question = pickle.dumps((salts.KEY, file, source, log_format))
    command = [sys.executable, "-c", CHILD]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    try:
        said = subprocess.run(command, input=question, capture_output=True, check=True, env=environment).stdout
        found: Found | None = pickle.loads(said)  # from a process of ours
    except (OSError, subprocess.CalledProcessError, pickle.UnpicklingError, EOFError):
        return parsed(file, source, log_format)
    return found


def answer() -> None:
    """Read the one file that is asked for on stdin, and write what came of it to stdout."""
    salt_key, file, source, log_format = pickle.loads(sys.stdin.buffer.read())
    salts.KEY = salt_key
    sys.stdout.buffer.write(pickle.dumps(parsed(file, source, log_format), 5))


def parsed(file: File, source: str, log_format: str | None) -> Found | None:
    """What comes of one file; None where it must be read together with others of its format."""
    name, data = file
    try:
        text = as_text(data)
        known = chosen(text, name, log_format)
        if any(known.name == spanning.name for spanning in SPANNING):
            return None
        return read_as(known, text, name, source, None)
    except FormatError as error:
        return error
