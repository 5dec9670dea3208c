"""Rows into records: what was written is read back, whatever it was."""

from collections.abc import Iterator
from dataclasses import fields, replace

import duckdb
import numpy as np
import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as limits
from hypothesis import strategies as st

from analysis.model.evidence import Reconciliation
from analysis.model.record import SessionRecord
from analysis.model.settings import Settings
from analysis.store.reading import read_full_ids, read_session
from analysis.store.schema import migrate
from analysis.store.writing import insert_sessions
from tests.generated_records import maybe_count, maybe_words, positions, session_records
from tests.sample_store import record_of


@pytest.fixture(scope="module")
def connection() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect(":memory:") as connection:
        migrate(connection)
        yield connection


@pytest.fixture
def rolled_back(connection: duckdb.DuckDBPyConnection) -> Iterator[duckdb.DuckDBPyConnection]:
    """The database, as empty afterwards as before."""
    connection.execute("BEGIN")
    yield connection
    connection.execute("ROLLBACK")


@limits(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(record=session_records)
def test_any_record_is_read_as_it_was_written(connection: duckdb.DuckDBPyConnection, record: SessionRecord) -> None:
    connection.execute("BEGIN")
    try:
        insert_sessions(connection, 1, [7], [record])
        assert read_session(connection, 7, with_runs=True) == record
        ids = read_full_ids(connection, 7)
    finally:
        connection.execute("ROLLBACK")
    expected = {
        turn.turn: token_ids
        for turn, token_ids in zip(record.turns, record.full_ids, strict=True)
        if token_ids is not None
    }
    assert ids.keys() == expected.keys()
    for turn, token_ids in ids.items():
        np.testing.assert_array_equal(token_ids, expected[turn])
        assert token_ids.dtype == np.int32


SETTINGS = st.builds(
    Settings,
    num_blocks=maybe_count,
    window=maybe_count,
    retention=maybe_count,
    spec_decode=st.booleans(),
    dcp=positions,
    prefix_caching=st.none() | st.booleans(),
    mamba_cache_mode=maybe_words,
)
RECONCILIATIONS = st.none() | st.builds(Reconciliation, *[maybe_count] * len(fields(Reconciliation)))


@limits(max_examples=25, deadline=None)
@given(settings=SETTINGS, reconciliation=RECONCILIATIONS)
def test_settings_and_what_the_server_said_are_read_as_they_were_written(
    connection: duckdb.DuckDBPyConnection, settings: Settings, reconciliation: Reconciliation | None
) -> None:
    record = replace(record_of("03"), settings=settings, reconciliation=reconciliation)
    connection.execute("BEGIN")
    try:
        insert_sessions(connection, 1, [7], [record])
        found = read_session(connection, 7, with_runs=False)
    finally:
        connection.execute("ROLLBACK")
    assert found is not None and (found.settings, found.reconciliation) == (settings, reconciliation)


def test_no_session_of_this_key(rolled_back: duckdb.DuckDBPyConnection) -> None:
    assert read_session(rolled_back, 99, with_runs=True) is None
    assert read_full_ids(rolled_back, 99) == {}


def test_runs_are_read_only_where_they_are_asked_for(rolled_back: duckdb.DuckDBPyConnection) -> None:
    record = record_of("03")
    insert_sessions(rolled_back, 1, [1], [record])
    bare = read_session(rolled_back, 1, with_runs=False)
    assert bare is not None and bare != record
    assert all(turn.block_runs == () for turn in bare.turns)
    assert any(turn.block_runs for turn in record.turns)


def test_sessions_of_one_import_keep_apart(rolled_back: duckdb.DuckDBPyConnection) -> None:
    first, second = record_of("03"), record_of("07")
    insert_sessions(rolled_back, 1, [1, 2], [first, second])
    assert read_session(rolled_back, 1, with_runs=True) == first
    assert read_session(rolled_back, 2, with_runs=True) == second
    for key, record in ((1, first), (2, second)):
        for turn, token_ids in read_full_ids(rolled_back, key).items():
            np.testing.assert_array_equal(token_ids, record.full_ids[turn - 1])
