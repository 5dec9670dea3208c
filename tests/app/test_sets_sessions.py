"""The sessions of two sets that did the same: in one table, with how they were matched, and which one a click opens."""

from dataclasses import replace
from pathlib import Path

from analysis.model.baseline import SetFigures
from analysis.report.two_sets import Member, tasks
from analysis.store.imports import Import
from analysis.store.repository import Repository
from app.sets_sessions import matched_words, moved_table, opened
from tests.app.dashboard import Open, address, no_exception, words
from tests.sample_store import record_of

BEFORE = [
    Member(1, "a", True, None, SetFigures(5, 0, 0, 100, 90)),
    Member(2, "a", True, None, SetFigures(5, 0, 0, 100, 40)),
    Member(3, "x", True, 7, SetFigures(5, 100, 80, 0, 0)),
]
AFTER = [
    Member(4, "a", True, None, SetFigures(5, 0, 0, 100, 20)),
    Member(5, "y", True, 7, SetFigures(5, 100, 10, 0, 0)),
]
FILE = [replace(one, key=None) for one in AFTER]


def test_a_task_is_a_row_with_what_is_known_of_it() -> None:
    frame = moved_table(tasks(BEFORE, AFTER))
    assert frame.Task.tolist() == ["y", "a"] and frame.Same.tolist() == ["first prompt", "session id"]
    assert frame.Sessions.tolist() == ["1 / 1", "2 / 1"]
    assert frame["Change of reusable"].tolist()[0] == -70 and frame.Change.isna().tolist() == [True, False]
    assert frame[["Hit rate A", "Hit rate B", "Change"]].iloc[1].tolist() == [65, 20, -45]


def test_how_sessions_were_matched_is_said() -> None:
    assert matched_words(tasks(BEFORE, AFTER), (9, 2)) == (
        "2 tasks in both sets (1 by session id, 1 by first prompt): 3 of 9 sessions of set A and 2 of"
        " 2 sessions of set B."
    )


def test_a_click_opens_the_worst_session_of_the_side_that_was_clicked() -> None:
    task = tasks(BEFORE, AFTER)[1]
    assert (opened(task, "Hit rate A"), opened(task, "Task"), opened(task, "Hit rate B")) == (2, 4, 4)
    assert opened(tasks(BEFORE, FILE)[1], "Task") == 2, "a file has no session to open"
    assert opened(tasks(FILE, FILE)[0], "Task") is None


def test_the_session_that_moved_is_opened(visit: Open, tmp_path: Path) -> None:
    """The same session before and after: what was reused before is lost in the second log."""
    record = record_of("02")
    worse = tuple(replace(turn, cached_tokens=0) for turn in record.turns)
    repository = Repository.open(tmp_path / "moved.duckdb")
    for name, turns in (("old.jsonl", record.turns), ("new.jsonl", worse)):
        kept = replace(record, source=name, file=name, turns=turns)
        repository.save(Import(name, name, 1, "as given", [kept]))
    repository.close()
    query = {"by": "source", "a.source": "old.jsonl", "b.source": "new.jsonl"}
    shown = no_exception(visit("sets", tmp_path / "moved.duckdb", **query))
    assert "1 task in both sets (1 by session id)" in words(shown)
    (table,) = (frame.value for frame in shown.dataframe if "Task" in frame.value)
    assert table["Hit rate B"].tolist() == [0] and table.Change.tolist()[0] < -80
    shown.session_state["moved_0_0"] = {"selection": {"rows": [], "columns": [], "cells": [(0, "Task")]}}
    no_exception(shown.run())
    assert address(shown)["session"] == "2" and record.session_id in words(shown)
