"""``whymiss serve``: for whom, where, and what they may do."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import streamlit as st

from analysis.store.repository import Repository
from app import serving, state, visitors
from app.held import held
from tests.app.command_line import error_of, run
from tests.builders import ROOT, SAMPLES
from tests.sample_store import fill

CLEAN = SAMPLES[0]


@pytest.fixture(autouse=True)
def started(monkeypatch: pytest.MonkeyPatch) -> list[tuple[Any, ...]]:
    """How the dashboard was started; it is not."""
    calls: list[tuple[Any, ...]] = []
    monkeypatch.setattr(serving, "run_dashboard", lambda *given: calls.append(given))
    for name in (visitors.READ_ONLY, visitors.SHARED, visitors.ENDPOINTS):
        monkeypatch.setenv(name, "left by another")
    return calls


def test_by_default_it_is_for_this_machine(tmp_path: Path, started: list[tuple[Any, ...]]) -> None:
    result = run("serve", CLEAN, "--db", tmp_path / "a.duckdb", "--port", 8600)
    assert started == [(tmp_path / "a.duckdb", 8600, "127.0.0.1")]
    assert result.stderr.splitlines() == [f"Whymiss keeps its sessions in {tmp_path}/a.duckdb (--db chooses another)."]
    assert visitors.may_write() and visitors.may_name_files()
    repository = Repository.open(tmp_path / "a.duckdb")
    assert len(repository.sessions()) == 1
    repository.close()


@pytest.mark.parametrize("read_only", [False, True])
def test_the_database_is_held_before_anybody_visits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, read_only: bool
) -> None:
    file = tmp_path / "a.duckdb"
    fill(file, "03").close()
    export = [sys.executable, "-m", "app.cli", "export", str(tmp_path / "copy.duckdb"), "--db", str(file)]
    said: list[str] = []

    def visited(database: Path, *_where: object) -> None:
        said.append(subprocess.run(export, cwd=ROOT, capture_output=True, text=True).stderr)
        monkeypatch.setenv("WHYMISS_DB", str(database))
        assert len(state.repository().sessions()) == 1
        assert state.repository() is held(str(file))

    monkeypatch.setattr(serving, "run_dashboard", visited)
    run("serve", "--db", file, *(["--read-only"] if read_only else []))
    assert f"(process {os.getpid()}) has this database open" in said[0]
    st.cache_resource.clear()


def test_a_home_folder_is_the_same_for_the_pages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    run("serve", "--db", "~/a.duckdb")
    assert (tmp_path / "a.duckdb").is_file()


def test_whoever_is_let_in_is_said(tmp_path: Path, started: list[tuple[Any, ...]]) -> None:
    said = run("serve", "--db", tmp_path / "a.duckdb", "--host", "0.0.0.0", "--allow-endpoint", "gpu7:8000").stderr
    assert "Whoever reaches 0.0.0.0 sees every session and adds logs, unless a login is asked for: the README" in said
    assert started == [(tmp_path / "a.duckdb", None, "0.0.0.0")]
    assert not visitors.may_name_files() and os.environ[visitors.ENDPOINTS] == "http://gpu7:8000"


def test_read_only_needs_no_right_to_write(tmp_path: Path, started: list[tuple[Any, ...]]) -> None:
    fill(tmp_path / "a.duckdb", "03").close()
    (tmp_path / "a.duckdb").chmod(0o400)
    said = run("serve", "--db", tmp_path / "a.duckdb", "--read-only", "--host", "::").stderr
    assert "Whymiss reads its sessions in " in said and "sees every session, unless a login" in said
    assert started and not visitors.may_write()


def test_what_cannot_be_served_is_one_line(tmp_path: Path, started: list[tuple[Any, ...]]) -> None:
    missing, there = tmp_path / "none.duckdb", tmp_path / "a.duckdb"
    assert "no such database to read" in error_of("serve", "--read-only", "--db", missing)
    assert not missing.exists()
    assert "--read-only adds no logs" in error_of("serve", CLEAN, "--read-only", "--db", there)
    assert "more than the address" in error_of("serve", "--allow-endpoint", "gpu7/v2", "--db", there)
    assert not started


def test_a_log_that_is_here_under_another_name_is_told(tmp_path: Path, started: list[tuple[Any, ...]]) -> None:
    part = tmp_path / "part.jsonl"
    part.write_bytes(b"".join(CLEAN.read_bytes().splitlines(keepends=True)[:3]))
    said = run("serve", CLEAN, part, "--db", tmp_path / "a.duckdb").stderr
    assert (
        f"part.jsonl: 1 of 1 session is already here, at least in part, from {CLEAN.name}, and counted twice." in said
    )
