"""A log whose calls are here already, under another name, says so where it is added."""

import json
from pathlib import Path

from analysis.store.repository import Repository
from app.already_here import already_here
from tests.app.command_line import chat, run
from tests.builders import SAMPLES
from tests.sample_store import fill

LINES = SAMPLES[0].read_bytes().splitlines(keepends=True)


def write(path: Path, *lines: bytes) -> Path:
    path.write_bytes(b"".join(lines))
    return path


def said(database: Path, log: Path) -> list[str]:
    """What is said of a log as it is added."""
    return [line for line in run("analyze", log, "--db", database).stderr.splitlines() if "already here" in line]


def test_a_part_of_a_log_under_another_name_is_told(tmp_path: Path) -> None:
    database = tmp_path / "a.duckdb"
    assert said(database, write(tmp_path / "proxy.jsonl", *LINES)) == []
    line = "copy.jsonl: 1 of 1 session is already here, at least in part, from proxy.jsonl, and counted twice."
    assert said(database, write(tmp_path / "copy.jsonl", *LINES[:4])) == [line]
    assert said(database, write(tmp_path / "proxy.jsonl", *LINES)) != [], "and the other way round"


def test_a_log_that_has_grown_and_the_very_same_bytes_are_no_repetition(tmp_path: Path) -> None:
    database = tmp_path / "a.duckdb"
    for lines in (LINES[:3], LINES, LINES):
        assert said(database, write(tmp_path / "proxy.jsonl", *lines)) == []
    assert said(database, write(tmp_path / "same.jsonl", *LINES)) == []


def test_other_calls_are_no_repetition(tmp_path: Path) -> None:
    database = tmp_path / "a.duckdb"
    later = [json.dumps({**json.loads(line), "ts_start": 5.0 + n}).encode() + b"\n" for n, line in enumerate(LINES)]
    timeless = [json.dumps({"session_id": "s", "request": chat("a")}).encode() + b"\n"]
    for name, lines in (("a", LINES), ("b", later), ("c", timeless), ("d", [*timeless, b"\n"])):
        assert said(database, write(tmp_path / f"{name}.jsonl", *lines)) == []


def begun_at_once(name: str, **other: object) -> list[bytes]:
    """The lines of a benchmark whose sessions all begin in the same second, with a clock that knows no more."""
    return [
        json.dumps({"session_id": f"{name}-{n}", "ts_start": 1000, "request": chat("hi"), **other}).encode() + b"\n"
        for n in range(3)
    ]


def test_sessions_of_two_runs_that_began_in_one_second_are_no_repetition(tmp_path: Path) -> None:
    database = tmp_path / "a.duckdb"
    for name in ("a", "b"):
        assert said(database, write(tmp_path / f"{name}.jsonl", *begun_at_once(name))) == []
    for name in ("c", "d"):  # the sessions of these are told by their messages
        lines = begun_at_once(name, session_id=None, note=name)
        assert said(database, write(tmp_path / f"{name}.jsonl", *lines)) == []
    other = begun_at_once("a", request={**chat("hi"), "model": "another"})
    assert said(database, write(tmp_path / "e.jsonl", *other)) == [], "the same tasks given to two models"
    assert said(database, write(tmp_path / "f.jsonl", *begun_at_once("a"), b"\n")) != []


def test_samples_have_nothing_in_common() -> None:
    repository = fill(":memory:")
    keys = repository.imports().import_key.tolist()
    assert len(keys) > 5 and {already_here(repository, key, 1) for key in keys} == {None}
    repository.close()


def test_many_logs_are_not_all_named(tmp_path: Path) -> None:
    database = tmp_path / "a.duckdb"
    for number in range(1, 6):
        said(database, write(tmp_path / f"{number}.jsonl", *LINES[:number]))
    repository = Repository.open(database)
    newest = int(repository.imports().import_key.max())
    assert already_here(repository, newest, 1200) == (
        "1 of 1,200 sessions is already here, at least in part, from 1.jsonl, 2.jsonl, 3.jsonl and 1 other log,"
        " and counted twice"
    )
    repository.close()
