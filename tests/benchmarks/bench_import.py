"""Import of a large log: megabytes a CPU second and peak memory, each stage in a process of its own.

    python -m tests.benchmarks.bench_import [MEGABYTES]

or by pytest as the other benchmarks.  A megabyte is 1,000,000 bytes; CPU seconds are those of all threads.
"""

import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from analysis.model.settings import Settings
from analysis.pipeline.importing import import_source
from analysis.pipeline.renderers import Renderers
from analysis.pipeline.sources import read_source
from analysis.store.repository import Repository
from tests.benchmarks.big_log import write
from tests.benchmarks.long_session import SAMPLES

pytestmark = pytest.mark.benchmark

GIVEN = Settings(16, "given")


def parse(log: Path, db: Path) -> None:
    """Read and group."""
    from analysis.formats import read_logs

    source = read_source(log)
    for _name, found in read_logs([(file.name, file.content) for file in source.files], source.name):
        assert not isinstance(found, Exception)


def keep(log: Path, db: Path) -> None:
    """Read, group and store, with nothing to render with."""
    _import(log, db, Renderers())


def whole(log: Path, db: Path) -> None:
    """Read, group, render, analyse and store."""
    _import(log, db, Renderers(model=str(SAMPLES / "model")))


STAGES: dict[str, Callable[[Path, Path], None]] = {
    "parse and group": parse,
    "parse, group and store": keep,
    "whole analysis": whole,
}


def test_import_of_a_large_log(tmp_path: Path) -> None:
    print()
    measure(tmp_path / "log.jsonl", 100)


def measure(log: Path, megabytes: float, stages: tuple[str, ...] = tuple(STAGES)) -> None:
    """Print a line per stage."""
    write(int(megabytes * 1_000_000), log)
    for name in stages:
        with tempfile.TemporaryDirectory() as folder:
            command = [sys.executable, "-m", "tests.benchmarks.bench_import", name, str(log), f"{folder}/db.duckdb"]
            said = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
        seconds, wall, peak = map(float, said.split()[-3:])
        size = log.stat().st_size / 1e6
        print(f"{name}: {size / seconds:.1f} MB/CPU-s ({size:,.0f} MB, {seconds:.1f} CPU-s, {wall:.1f} s)", end="")
        print(f", peak {peak:,.0f} MB", flush=True)


def _import(log: Path, db: Path, renderers: Renderers) -> None:
    repository = Repository.open(db)
    import_source(read_source(log), renderers, GIVEN, repository)
    repository.close()


def _child(name: str, log: Path, db: Path) -> None:
    before, begun = time.process_time(), time.monotonic()
    STAGES[name](log, db)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000
    print(time.process_time() - before, time.monotonic() - begun, peak)


if __name__ == "__main__":
    if len(sys.argv) == 4:
        _child(sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3]))
    else:
        number = float(sys.argv[1]) if len(sys.argv) > 1 else 100
        measure(Path(tempfile.gettempdir()) / f"whymiss-{number:g}.jsonl", number)
