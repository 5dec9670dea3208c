"""``whymiss export`` and ``whymiss restore``: there and back, and one clear line for what cannot be."""

import subprocess
import sys
from pathlib import Path

import pytest

from analysis.store.repository import Repository
from tests.app.command_line import error_of, run
from tests.sample_store import fill


def num_sessions(path: Path) -> int:
    repository = Repository.open(path)
    try:
        return len(repository.sessions())
    finally:
        repository.close()


def test_there_and_back(tmp_path: Path) -> None:
    fill(tmp_path / "a.duckdb", "03", "07").close()
    assert "copy.duckdb: a copy of " in run("export", tmp_path / "copy.duckdb", "--db", tmp_path / "a.duckdb").stderr
    result = run("restore", tmp_path / "copy.duckdb", "--db", tmp_path / "b.duckdb")
    assert "b.duckdb: restored from " in result.stderr
    assert num_sessions(tmp_path / "b.duckdb") == 2


def test_without_a_name_it_is_the_database_of_the_dashboard(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fill(tmp_path / "mine.duckdb", "03").close()
    monkeypatch.setenv("WHYMISS_DB", str(tmp_path / "mine.duckdb"))
    run("export", tmp_path / "copy.duckdb")
    run("restore", tmp_path / "copy.duckdb", "--replace")
    assert num_sessions(tmp_path / "mine.duckdb") == 1


def test_while_the_dashboard_runs_its_copy_is_pointed_to(tmp_path: Path) -> None:
    fill(tmp_path / "a.duckdb", "03").close()
    hold = "import sys, duckdb; held = duckdb.connect(sys.argv[1]); print(flush=True); sys.stdin.read()"
    command = [sys.executable, "-c", hold, str(tmp_path / "a.duckdb")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as holder:
        assert holder.stdout is not None and holder.stdout.readline()
        said = error_of("export", tmp_path / "x", "--db", tmp_path / "a.duckdb")
        holder.communicate()
    assert said == (
        f"{tmp_path}/a.duckdb: the dashboard (process {holder.pid}) has this database open."
        " Download the copy there (Sessions, Imports), or stop it first."
    )
    assert not (tmp_path / "x").exists()


def test_errors_are_one_line(tmp_path: Path) -> None:
    fill(tmp_path / "a.duckdb", "03").close()
    assert "none.duckdb: no such database" in error_of("export", tmp_path / "x", "--db", tmp_path / "none.duckdb")
    assert not (tmp_path / "none.duckdb").exists()
    assert "there already" in error_of("export", tmp_path / "a.duckdb", "--db", tmp_path / "a.duckdb")
    assert "no such file" in error_of("restore", tmp_path / "none", "--db", tmp_path / "b.duckdb")
    assert "--replace" in error_of("restore", tmp_path / "a.duckdb", "--db", tmp_path / "a.duckdb")
