"""An import that is killed and started again ends with the store of one that was not."""

import contextlib
import multiprocessing
import signal
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import pytest

from analysis.model.settings import Settings
from analysis.pipeline import importing, resuming
from analysis.pipeline.sources import read_source
from analysis.store.repository import Repository
from tests.builders import SAMPLES, without_ids
from tests.sample_store import sample_renderers

LOGS = [path for path in SAMPLES if path.stem[:2] in ("02", "03", "06", "13")]
TABLES = ("requests", "divergences", "findings", "request_tokens", "block_runs")

# Every process is a copy of one that has imported everything already.
PROCESSES = multiprocessing.get_context("forkserver")
PROCESSES.set_forkserver_preload(["pytest", __name__])


def import_all(db: Path, logs: list[Path], steps: Connection) -> None:
    """Import logs one after the other, and say of every step that it was taken."""
    resuming.LARGE_IMPORT = 0
    repository = Repository.open(db)
    for path in logs:
        source, settings, renderers = read_source(path), Settings(16, "given"), sample_renderers()
        if importing.already_stored(source, renderers, settings, repository):
            steps.send("already there")
            continue
        importing.import_source(source, renderers, settings, repository, progress=lambda *step: steps.send(step))
        steps.send("stored")
    repository.close()


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """The logs, without token ids."""
    folder = tmp_path_factory.mktemp("logs")
    for path in LOGS:
        (folder / path.name).write_bytes(without_ids(path))
    return sorted(folder.iterdir())


def run(db: Path, logs: list[Path], killed_after: int | None = None) -> int:
    """Import the logs; kill it right after this many steps.  How many steps were seen."""
    steps, child = PROCESSES.Pipe(duplex=False)
    process = PROCESSES.Process(target=import_all, args=(db, logs, child))
    process.start()
    child.close()  # here: it is open in the process alone, and ends with it
    seen = 0
    with steps, contextlib.suppress(EOFError):
        while seen != killed_after:
            steps.recv()
            seen += 1
        process.kill()
    process.join()
    assert process.exitcode in ((0,) if killed_after is None else (0, -signal.SIGKILL))
    return seen


def rows(db: Path) -> dict[str, list[Any]]:
    """What is stored, keys and times aside: sessions by name, and the rows that are theirs in their order."""
    repository = Repository.open(db)
    named = "SELECT source, session_id, {} FROM {} JOIN sessions USING (session_key) ORDER BY ALL"
    read = repository.transactions.rows
    found = {table: read(named.format(f"{table}.* EXCLUDE (session_key)", table)) for table in TABLES}
    found["sessions"] = read("SELECT * EXCLUDE (session_key, import_key) FROM sessions ORDER BY ALL")
    found["imports"] = read("SELECT * EXCLUDE (import_key, imported_at) FROM imports ORDER BY ALL")
    found["problems"] = read("SELECT file, line, message FROM problems ORDER BY ALL")
    found["token_text"] = read("SELECT * FROM token_text ORDER BY ALL")
    repository.close()
    return found


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory, logs: list[Path]) -> tuple[dict[str, list[Any]], int]:
    """The store of an import that nobody interrupts, and its number of steps."""
    db = tmp_path_factory.mktemp("whole") / "db.duckdb"
    steps = run(db, logs)
    found = rows(db)
    assert len(found["imports"]) == len(LOGS) and all(
        found[name] for name in ("requests", "request_tokens", "findings")
    )
    return found, steps


@pytest.mark.parametrize(
    "shares",
    [
        pytest.param((0.5,), id="once"),
        pytest.param((0.0, 0.1, 0.3, 0.5, 0.7, 0.9, 1.0), id="again and again", marks=pytest.mark.load),
        *(pytest.param((share / 12,), id=f"once, {share} of 12", marks=pytest.mark.load) for share in range(13)),
    ],
)
def test_killed_and_started_again(
    tmp_path: Path, logs: list[Path], whole: tuple[dict[str, list[Any]], int], shares: tuple[float, ...]
) -> None:
    expected, steps = whole
    db = tmp_path / "db.duckdb"
    for share in shares:
        run(db, logs, killed_after=max(1, round(share * steps)))
    run(db, logs)
    assert rows(db) == expected
    assert not list(tmp_path.glob("*.unfinished"))
