"""Reports out of the store: of a case with its sessions, of a list, with labels and notes."""

import shutil
from pathlib import Path

import pytest

from analysis.model.annotation import Anchor, CaseText
from analysis.model.desk import MarkChange
from analysis.report import building
from app import sharing, state
from tests.app.dashboard import key_of


@pytest.fixture
def keys(samples: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Three sessions of a store, the second of which has a label and a note."""
    monkeypatch.setenv("WHYMISS_DB", str(shutil.copy(samples, tmp_path / "shared.duckdb")))
    found = [int(key_of(start)) for start in ("01", "02", "03")]
    state.repository().desk.change_marks(found[1:2], MarkChange(added=("vip",)))
    state.repository().annotations.add(found[1], Anchor("session"), "Ann", "seen by me")
    return found


def test_a_list_is_told_from_what_is_stored(keys: list[int]) -> None:
    report = sharing.of_sessions([*keys, 9_999])
    assert [one.name.text for one in report.overview] == ["desk-chat-60417", "nimbrel-query-19c4", "pw-backoff-7f21"]
    assert [[label.text for label in one.labels] for one in report.overview] == [[], ["vip"], []]
    part = report.sessions[1]
    assert [one.text.text for one in part.written] == ["seen by me"] and part.turns[6].runs
    assert part.turns[6].change is not None and part.turns[6].change.columns


def test_of_many_sessions_only_those_that_are_told_are_read_with_tokens(
    keys: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(building, "MOST_SESSIONS", 1)
    monkeypatch.setattr(sharing, "MOST_SHARED", 2)
    report = sharing.of_sessions([keys[2], keys[0], keys[1]])
    assert [one.detailed for one in report.overview] == [True, False] and report.left_out == 1
    assert report.sessions[0].turns[1].runs


def test_of_a_large_case_every_side_is_told(keys: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    cases = state.repository().cases
    case_key = cases.create("Ann", CaseText("Slow", "SUP-1"))
    for key, side in zip(keys, ("before", "before", "after"), strict=True):
        cases.take(case_key, key, side)
    case = cases.one(case_key)
    assert case is not None and sharing.of_all_sides(case)[1] == keys[2]
    monkeypatch.setattr(sharing, "MOST_SHARED", 2)
    report = sharing.of_case(case)
    assert {one.side for one in report.overview} == {"before", "after"} and report.left_out == 1


def test_a_case_is_told_with_its_sessions(keys: list[int]) -> None:
    cases = state.repository().cases
    case_key = cases.create("Ann", CaseText("Slow", "SUP-1"))
    cases.take(case_key, keys[1], "before")
    case = cases.one(case_key)
    assert case is not None
    report = sharing.of_case(case)
    assert report.case is not None and report.case.title.text == "Slow"
    assert [(one.side, one.detailed) for one in report.overview] == [("before", True)]


def test_one_session(keys: list[int]) -> None:
    record = state.session(keys[1])
    assert record is not None
    assert [one.text.text for one in sharing.of_session(record, keys[1]).sessions[0].written] == ["seen by me"]
