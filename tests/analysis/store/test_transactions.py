"""Transactions: a failed one is none, readers stand beside a writer, and what the disk does is one line."""

import resource
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from analysis.store.database import StoreError
from analysis.store.repository import Repository
from tests.analysis.store.stored import an_import, contents, key_of
from tests.sample_store import fill, fill_damaged, record_of


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
    damaged = fill_damaged(database)
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
