"""The repository: saved as it was, loaded as it was; a failed save is no save; readers beside a writer."""

import resource
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from analysis.model.finding import BLOCK_STATES
from analysis.model.record import SessionRecord
from analysis.model.session import Problem
from analysis.pipeline.record import figures
from analysis.store.database import StoreError
from analysis.store.repository import Import, Repository
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


@pytest.fixture
def empty() -> Iterator[Repository]:
    repository = Repository.open(":memory:")
    yield repository
    repository.close()


def an_import(*records: SessionRecord, sha256: str = "s", **fields: Any) -> Import:
    return Import("a.jsonl", sha256, 10, "as given", records, **fields)


def key_of(repository: Repository, record: SessionRecord) -> int:
    query = "SELECT session_key FROM sessions WHERE session_id = ? AND source = ?"
    ((key,),) = repository._rows(query, record.session_id, record.source)
    return int(key)


def contents(repository: Repository) -> tuple[Any, ...]:
    """All that a person can see of a database."""
    frames = (repository.imports(), repository.sessions(), repository.problems())
    return repository.version(), *(frame.to_json(date_format="iso") for frame in frames)


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
    assert empty._rows("SELECT count(*) FROM text_comparisons") == [(0,)]


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


def test_replacing_and_deleting_leave_nothing_behind(empty: Repository) -> None:
    problem = Problem("a.jsonl", 3, "odd")
    first = empty.save(an_import(replace(record_of("02"), problems=(problem,)), problems=[problem]))
    second = empty.save(an_import(record_of("07"), sha256="t"), replacing=[first])
    assert empty.sessions().session_id.tolist() == [record_of("07").session_id]
    assert empty.problems().empty
    empty.delete(second)
    tables = ("imports", "sessions", "requests", "divergences", "findings", "request_tokens", "block_runs", "problems")
    for table in tables:
        assert empty._rows(f"SELECT count(*) FROM {table}") == [(0,)], table


def test_a_session_of_a_replaced_import_keeps_its_key(empty: Repository) -> None:
    first = empty.save(an_import(record_of("03"), record_of("07")))
    keys = {record: key_of(empty, record_of(record)) for record in ("03", "07")}
    grown = replace(record_of("07"), turns=record_of("07").turns[:3], full_ids=record_of("07").full_ids[:3])
    empty.save(an_import(record_of("02"), grown, sha256="t"), replacing=[first])
    assert key_of(empty, grown) == keys["07"]
    assert key_of(empty, record_of("02")) not in keys.values()
    assert empty.session(keys["07"], with_runs=True) == grown and list(empty.full_ids(keys["07"])) == [1, 2, 3]
    assert empty.session(keys["03"]) is None


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


@pytest.mark.parametrize(
    ("flaw", "error"),
    [
        pytest.param({"turns": record_of("03").turns[:1] * 8}, StoreError, id="refused by the database"),
        pytest.param({"session_id": "half a \ud83d"}, UnicodeEncodeError, id="refused on the way there"),
        pytest.param({"full_ids": ()}, ValueError, id="refused half-way"),
    ],
)
def test_a_failed_save_leaves_everything_as_it_was(
    empty: Repository, flaw: dict[str, Any], error: type[Exception]
) -> None:
    kept = empty.save(an_import(record_of("07"), texts={"m": {1: b"one"}}))
    before = contents(empty)
    broken = replace(record_of("03"), **flaw)
    with pytest.raises(error):
        empty.save(an_import(record_of("02"), broken, sha256="t", texts={"m": {2: b"two"}}), replacing=[kept])
    assert contents(empty) == before
    assert empty.session(key_of(empty, record_of("07")), with_runs=True) == record_of("07")
    assert empty.token_bytes("m", [1, 2]) == {1: b"one"}
    empty.save(an_import(record_of("03"), sha256="t"), replacing=[kept])
    assert empty.sessions().session_id.tolist() == [record_of("03").session_id], "the next save works"


@contextmanager
def full_disk(largest: int) -> Iterator[None]:
    """No file of this process can grow beyond so many bytes: what a full disk does to a database."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (largest, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def test_a_full_disk_is_said_in_one_line_and_nothing_is_lost(tmp_path: Path) -> None:
    repository = fill(tmp_path / "full.duckdb", "07")
    before = contents(repository)
    written = max(path.stat().st_size for path in tmp_path.iterdir())
    with full_disk(written + 4096):
        with pytest.raises(StoreError, match=r"full\.duckdb: nothing was stored .* Is the disk full\?") as caught:
            repository.save(an_import(record_of("11")))
        assert str(caught.value).isprintable()
        with pytest.raises(StoreError, match="nothing was stored"):
            repository.remember_texts("m", {number: bytes(8) for number in range(20_000)})
    assert contents(repository) == before
    repository.save(an_import(record_of("11")))
    repository.close()
    reopened = Repository.open(tmp_path / "full.duckdb")
    assert len(reopened.sessions()) == 2
    reopened.close()


def test_damage_behind_the_headers_is_said_in_one_line(tmp_path: Path) -> None:
    """A file may open and be damaged all the same: what cannot be read says so, and the file stays as it is."""
    database = tmp_path / "damaged.duckdb"
    fill(database, "11").close()
    damaged = bytearray(database.read_bytes())
    for start in range(12288 + 100_000, len(damaged), 262_144):  # within every block but for its checksum
        damaged[start : start + 1000] = bytes(byte ^ 0xFF for byte in damaged[start : start + 1000])
    database.write_bytes(damaged)
    with pytest.raises(StoreError, match=r"damaged\.duckdb: not a database .* Restore a copy") as caught:
        repository = Repository.open(database)
        for key in repository.sessions().session_key:
            repository.session(key, with_runs=True)
            repository.full_ids(key)
    assert str(caught.value).isprintable()
    assert database.read_bytes() == damaged


def test_threads_read_whole_imports_while_one_writes(empty: Repository) -> None:
    record = record_of("03")
    empty.save(an_import(record, sha256="0"))
    done = threading.Event()
    errors: list[Exception] = []
    reads: list[int] = []

    def read() -> None:
        while not done.is_set() or not reads:
            try:
                for row in empty.sessions().itertuples(index=False):
                    assert row.num_turns == len(record.turns)
                    found = empty.session(row.session_key, with_runs=True)
                    assert found is None or found == record  # None: replaced since
                    reads.append(row.session_key)
                assert empty.token_bytes("m", [1, 2]) in ({}, {1: b"one"})
            except Exception as error:
                errors.append(error)
                return

    readers = [threading.Thread(target=read) for _ in range(3)]
    for reader in readers:
        reader.start()
    try:
        for number in range(1, 9):
            (previous,) = (key for key, _sha, _size in empty.sizes("a.jsonl"))
            incoming = an_import(record, sha256=str(number), texts={"m": {1: b"one"}})
            empty.save(incoming, replacing=[previous])
    finally:
        done.set()
        for reader in readers:
            reader.join()
    assert errors == []
    assert len(empty.sessions()) == 1 and reads


def test_threads_that_write_wait_for_each_other(empty: Repository) -> None:
    saves = [an_import(record_of("03"), sha256=str(number)) for number in range(6)]
    keys: list[int] = []
    writers = [threading.Thread(target=lambda one=one: keys.append(empty.save(one))) for one in saves]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    assert len(set(keys)) == len(saves) == len(empty.sessions())


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
    ((file, sha256),) = empty._rows("SELECT file, sha256 FROM imports")
    found = empty.origin(1)
    assert found is not None and found[:2] == (file, sha256)
    assert empty.origin(2) is None
