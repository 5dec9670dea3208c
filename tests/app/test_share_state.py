"""A report is made anew when something of it has changed, and labels are the same while a browser session lasts."""

import shutil
from pathlib import Path

import pytest

from analysis.model.annotation import Anchor
from analysis.model.desk import MarkChange
from app import share_state, state
from tests.sample_reports import report


def test_labels_of_one_report_keep_their_key() -> None:
    assert share_state.report_key("a") == share_state.report_key("a") != share_state.report_key("b")
    assert len(share_state.report_key("a")) == 32


def test_notes_and_labels_change_what_was_written(
    samples: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WHYMISS_DB", str(shutil.copy(samples, tmp_path / "written.duckdb")))
    kept = state.repository()
    seen = [share_state.written_about([1, 2])]
    kept.desk.change_marks([2], MarkChange(added=("vip",)))
    seen.append(share_state.written_about([1, 2]))
    note = kept.annotations.add(1, Anchor("session"), "Ann", "text")
    seen.append(share_state.written_about([1, 2]))
    kept.annotations.change(note, 1, "Ann", "another text")
    seen.append(share_state.written_about([1, 2]))
    kept.desk.change_marks([3], MarkChange(added=("of another",)))
    assert len(set(seen)) == 4 and share_state.written_about([1, 2]) == seen[-1]


def test_a_report_is_kept_until_it_would_be_another(samples: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WHYMISS_DB", str(samples))
    made: list[str] = []

    def ask(about: str, written: int) -> None:
        share_state.made(about, written, lambda: (made.append(f"{about}{written}"), report("03"))[1])

    for about, written in (("a", 1), ("a", 1), ("a", 2), ("b", 2), ("a", 2)):
        ask(about, written)
    assert made == ["a1", "a2", "b2", "a2"]
