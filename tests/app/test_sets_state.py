"""What the page of two sets keeps: baseline files, and sets that are those of ``whymiss check``."""

import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pandas as pd
import pytest
import streamlit as st

from analysis.model.annotation import CaseText
from analysis.report.baseline import held_against
from analysis.report.baseline_file import read, written
from app import cause_table, desk_state, sets_state, state
from app.check_command import lines_of
from app.desk_address import Asked
from app.sets_address import OfCase, Pair, Side
from app.sets_state import Set
from tests.app.browser_address import Address
from tests.app.command_line import run
from tests.builders import SAMPLES
from tests.builders import lines_of as log_lines
from tests.sample_store import fill


@pytest.fixture(autouse=True)
def browser(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(st, "session_state", {})
    monkeypatch.setattr(st, "query_params", Address())
    monkeypatch.setattr(st, "context", SimpleNamespace(timezone="Europe/Berlin", url="http://here:8501/sets?by=model"))
    yield
    state._open.clear()  # type: ignore[attr-defined]


def shown(side: Side) -> Set:
    found = sets_state.set_of(side, desk_state.sessions(), cause_table.causes(), "UTC")
    assert found is not None
    return found


def test_the_page_and_the_command_agree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same two logs, with one session id in both, through ``whymiss check`` and through the page's functions."""
    before, after, saved = tmp_path / "before.jsonl", tmp_path / "after.jsonl", tmp_path / "base.json"
    (session,) = {line["session_id"] for line in log_lines(SAMPLES[1])}
    (other,) = {line["session_id"] for line in log_lines(SAMPLES[4])}
    shutil.copy(SAMPLES[1], before)
    after.write_text(SAMPLES[4].read_text("utf-8").replace(other, session), "utf-8")
    run("check", before, "--save", saved)
    said = run("check", after, "--baseline", saved, code=1).stdout.splitlines()
    for log in (before, after):
        run("analyze", log, "--db", tmp_path / "both.duckdb")
    monkeypatch.setenv("WHYMISS_DB", str(tmp_path / "both.duckdb"))
    first, second = (shown(Side(Asked(source=(log.name,)))).baseline for log in (before, after))
    assert first == read(saved.read_text("utf-8"), "base.json"), "settings, sums, causes and sessions"
    assert written(first) == saved.read_text("utf-8"), "what the page saves is what the command saves"
    assert lines_of(held_against(first, second)) == said and len(said) > 4
    assert said[-1].startswith(f"session {session}: ")


def test_a_side_is_what_its_filters_or_its_file_say(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fill(tmp_path / "s.duckdb", "02", "03").close()
    monkeypatch.setenv("WHYMISS_DB", str(tmp_path / "s.duckdb"))
    assert shown(Side()).keys == {1, 2}
    assert shown(Side(Asked(cause=("template/reasoning-stripped",), q="02"))).keys == {1}
    assert shown(Side(keys=(2, 99))).keys == {2}
    label = sets_state.keep_file(written(shown(Side(keys=(2,))).baseline).encode(), "base.json")
    kept = shown(Side(file=label))
    assert kept.baseline == shown(Side(keys=(2,))).baseline and kept.keys == set()
    assert sets_state.set_of(Side(file="other.json"), pd.DataFrame(), pd.DataFrame(), "UTC") is None


def test_a_side_of_a_case_is_what_the_case_has_now(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fill(tmp_path / "s.duckdb", "02", "03", "07").close()
    monkeypatch.setenv("WHYMISS_DB", str(tmp_path / "s.duckdb"))
    cases = state.repository().cases
    case = cases.create("ann", CaseText("slow"))
    for key, side in ((1, "before"), (2, "after"), (3, None)):
        cases.take(case, key, side)
    before, after = (Side(case=OfCase(case, side)) for side in ("before", "after"))
    assert (shown(before).keys, shown(after).keys) == ({1}, {2})
    cases.take(case, 3, "before")
    assert shown(before).keys == {1, 3}
    assert shown(replace(before, asked=Asked(q="07"))).keys == {3}, "filters narrow it"
    cases.change(case, 1, "ann", None)
    assert shown(before).keys == set() and sets_state.case_of(before) is None, "deleted"


def test_common_sessions_are_left_out_of_both_unless_one_has_no_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(tmp_path / "s.duckdb", "02", "03", "07").close()
    monkeypatch.setenv("WHYMISS_DB", str(tmp_path / "s.duckdb"))
    first, second, every = (shown(Side(keys=keys)) for keys in ((1, 2), (2, 3), ()))
    found = sets_state.apart([first, second], {2})
    assert [one and one.keys for one in found] == [{1}, {3}]
    assert found[0] is not None and found[0].baseline == shown(Side(keys=(1,))).baseline
    assert [one and one.keys for one in sets_state.apart([first, every], {1, 2})] == [{1, 2}, {3}]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        pytest.param(b"\xff\xfe\x00", "no JSON", id="binary"),
        pytest.param(b'{"a": 1}', "no baseline of Whymiss", id="another JSON"),
        pytest.param(b'{"whymiss_baseline": 1}', "damaged", id="cut"),
    ],
)
def test_what_is_no_baseline_is_refused_with_the_remedy(content: bytes, words: str) -> None:
    with pytest.raises(ValueError, match=rf"^x\.json: .*{words}.*--save\.$"):
        sets_state.keep_file(content, "x.json")
    assert sets_state.file("x.json") is None


def test_files_are_kept_apart_by_their_content() -> None:
    texts = [f'{{"whymiss_baseline": 1, "settings": {{}}, "whole": {WHOLE}, "causes": {{"a": {n}}}, "sessions": {{}}}}'
             for n in range(sets_state.MOST_FILES + 1)]  # fmt: skip
    labels = [sets_state.keep_file(text.encode(), "b.json") for text in texts]
    assert len(set(labels)) == len(labels) and all(label.startswith("b.json (") for label in labels)
    assert sets_state.file(labels[0]) is None, "the oldest is let go of"
    last = sets_state.file(labels[-1])
    assert last is not None and last.causes == {"a": sets_state.MOST_FILES} and last.waste is None


WHOLE = '{"num_turns": 1, "rendered_tokens": 0, "reusable_tokens": 0, "known_tokens": 1, "cached_tokens": 1}'


def test_a_link_keeps_the_time_zone_of_its_days() -> None:
    pair = sets_state.asked()
    assert pair == Pair() and sets_state.link(pair) == "http://here:8501/sets"
    split = Pair(Side(Asked(model=("m",))), by="model")
    assert sets_state.link(split) == "http://here:8501/sets?a.model=m&by=model"
    assert sets_state.zone(Pair(zone="Asia/Tokyo")) == "Asia/Tokyo"
