"""The repository: saved as it was, loaded as it was."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from analysis.model.finding import BLOCK_STATES
from analysis.model.record import SessionRecord
from analysis.model.session import Problem
from analysis.pipeline.record import figures
from analysis.store.repository import Repository
from tests.analysis.store.stored import an_import, contents, key_of
from tests.sample_store import analysed_samples, fill, record_of, text_record

RECORDS = [record for analysed in analysed_samples().values() for record in analysed.records]


@pytest.fixture(scope="module")
def filled() -> Iterator[Repository]:
    repository = fill(":memory:")
    yield repository
    repository.close()


@pytest.fixture(scope="module")
def rows(filled: Repository) -> pd.DataFrame:
    return filled.sessions()


@pytest.mark.parametrize("record", RECORDS, ids=lambda record: record.session_id)
def test_every_sample_session_is_loaded_as_it_was_saved(filled: Repository, record: SessionRecord) -> None:
    key = key_of(filled, record)
    assert filled.session(key, with_runs=True) == record
    ids = filled.full_ids(key)
    assert list(ids) == [turn.turn for turn in record.turns]
    for turn, token_ids in zip(record.turns, record.full_ids, strict=True):
        assert token_ids is not None
        np.testing.assert_array_equal(ids[turn.turn], token_ids)
    runs = filled.runs(key)
    shown = list(zip(*(column.tolist() for column in (runs.turns, runs.starts, runs.stops, runs.states)), strict=True))
    assert shown == [
        (turn.turn, run.start, run.stop, BLOCK_STATES.index(run.state))
        for turn in record.turns
        for run in turn.block_runs
    ]


@pytest.mark.parametrize("record", RECORDS, ids=lambda record: record.session_id)
def test_the_row_of_a_session_is_its_turns_added_up(
    filled: Repository, rows: pd.DataFrame, record: SessionRecord
) -> None:
    row = rows[rows.session_key == key_of(filled, record)].iloc[0]
    sums = figures(record)
    for name in ("num_turns", "num_divergences", "prompt_tokens", "known_turns", "known_prompt_tokens"):
        assert row[name] == getattr(sums, name), name
    for name in ("cached_tokens", "reusable_tokens", "missed_tokens", "lost_tokens", "unknown_turns"):
        assert row[name] == getattr(sums, name), name
    assert row.mismatched_turns == sums.mismatched_turns
    if sums.costliest_turn is None:
        assert pd.isna(row.costliest_turn)
        return
    assert row.costliest_turn == sums.costliest_turn
    assert sums.costliest_segment is not None and row.costliest_path == sums.costliest_segment.path


def test_the_row_of_a_session_that_was_compared_by_text(empty: Repository) -> None:
    record = text_record()
    meant = tuple(replace(cause, deliberate=True) for cause in record.turns[2].causes)
    edited = replace(record, turns=(*record.turns[:2], replace(record.turns[2], causes=meant), record.turns[3]))
    empty.save(an_import(edited, sha256="t"))
    assert (empty.sessions().text_meant[0], figures(edited).text_meant) == (1, 1)
    assert (empty.sessions().text_changes[0], figures(edited).text_changes) == (0, 0)
    empty.delete(1)
    key = empty.save(an_import(record))
    assert empty.session(2) == record
    row, sums = empty.sessions().iloc[0], figures(record)
    assert (sums.text_turns, sums.text_changes, sums.text_turn, sums.unknown_turns) == (3, 1, 3, 4)
    assert (row.text_turns, row.text_changes, row.text_turn) == (3, 1, 3)
    assert (row.text_path, row.text_role) == ("messages[0].content", "system")
    assert list(row.causes) == [sums.top_cause] == ["volatile-head/client-timestamp"]
    causes = empty.causes().iloc[0]
    assert (causes.code, causes.turns) == ("volatile-head/client-timestamp", 1) and pd.isna(causes.tokens)
    empty.delete(key)
    assert empty.transactions.rows("SELECT count(*) FROM text_comparisons") == [(0,)]


def test_the_most_wasteful_session_comes_first(filled: Repository) -> None:
    frame = filled.sessions()
    assert (frame.missed_tokens + frame.lost_tokens).is_monotonic_decreasing
    assert len(frame) == len(RECORDS)


def test_a_closed_file_opens_with_all_it_had(tmp_path: Path) -> None:
    repository = fill(tmp_path / "kept.duckdb", "03", "07")
    before = contents(repository)
    repository.close()
    reopened = Repository.open(tmp_path / "kept.duckdb")
    assert contents(reopened) == before
    assert reopened.session(key_of(reopened, record_of("07")), with_runs=True) == record_of("07")
    reopened.close()


def test_an_import_is_found_by_content_and_way_of_reading(empty: Repository) -> None:
    key = empty.save(an_import(record_of("03")))
    assert empty.find("s", "as given") == key
    assert empty.find("s", "otherwise") is None and empty.find("t", "as given") is None
    assert empty.sizes("a.jsonl") == [(key, "s", 10)] and empty.sizes("b.jsonl") == []


def test_every_change_is_a_new_version(empty: Repository) -> None:
    versions = [empty.version()]

    def note() -> None:
        assert empty.version() not in versions
        versions.append(empty.version())

    first = empty.save(an_import(record_of("03")))
    note()
    second = empty.save(an_import(record_of("07"), sha256="t"), replacing=[first])
    note()
    empty.save(an_import(record_of("02"), sha256="u"))
    note()
    empty.delete(second)
    note()
    empty.delete(empty.version()[0])
    assert empty.version() == versions[0], "as empty as at first"
    empty.save(an_import(record_of("02"), sha256="u"))
    note()


def test_imports_and_problems_are_listed_newest_first(empty: Repository) -> None:
    first = empty.save(an_import(record_of("03"), problems=[Problem("a.jsonl", 9, "b"), Problem("a.jsonl", 2, "a")]))
    second = empty.save(an_import(*RECORDS[:2], sha256="t", problems=[Problem("a.jsonl", None, "c")]))
    listed = empty.imports()
    assert listed.import_key.tolist() == [second, first]
    assert empty.problems().message.tolist() == ["c", "a", "b"]


def test_untouched_until_the_first_import_and_never_again(tmp_path: Path) -> None:
    database = tmp_path / "first.duckdb"
    repository = Repository.open(database)
    assert repository.untouched()
    repository.close()
    repository = Repository.open(database)
    assert repository.untouched(), "opening is no import"
    key = repository.save(an_import(record_of("03")))
    assert not repository.untouched()
    repository.delete(key)
    assert not repository.untouched(), "who deletes the samples does not want them back"
    repository.close()
    repository = Repository.open(database)
    assert not repository.untouched() and repository.sessions().empty
    repository.close()


def test_token_texts_by_model(empty: Repository) -> None:
    empty.save(an_import(record_of("03"), texts={"m": {1: b"one", 2: b"\xf0\x9f"}}))
    assert empty.token_bytes("m", [2, 1, 1]) == {1: b"one", 2: b"\xf0\x9f"}
    assert empty.token_bytes("m", [3, 2**31 - 1]) == {} and empty.token_bytes("m", []) == {}
    assert empty.token_bytes("another", [1]) == {}
    empty.remember_texts("another", {1: b"uno"})
    empty.remember_texts("another", {1: b"changed", 2: b"due"})
    assert empty.token_bytes("another", [1, 2]) == {1: b"uno", 2: b"due"}


def test_there_is_nothing_under_an_unknown_key(empty: Repository) -> None:
    assert empty.session(1) is None and empty.full_ids(1) == {} and len(empty.runs(1).turns) == 0
    empty.delete(1)
    assert empty.version() == (0, 0)


def test_a_session_knows_the_log_it_came_from(empty: Repository) -> None:
    empty.save(an_import(record_of("03")))
    ((file, sha256),) = empty.transactions.rows("SELECT file, sha256 FROM imports")
    found = empty.origin(1)
    assert found is not None and found[:2] == (file, sha256)
    assert empty.origin(2) is None
