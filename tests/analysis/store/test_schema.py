"""Migrations: from empty and from every earlier version to the newest, all or nothing."""

import json
from collections.abc import Iterator
from dataclasses import asdict

import duckdb
import pytest

from analysis.model.settings import Settings
from analysis.store.reading import read_session
from analysis.store.schema import MIGRATIONS, migrate
from tests.sample_store import fill

Tables = set[tuple[str, str, str, str]]


@pytest.fixture
def connection() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect(":memory:") as connection:
        yield connection


def version(connection: duckdb.DuckDBPyConnection) -> int:
    row = connection.execute("SELECT max(version) FROM schema_version").fetchone()
    assert row is not None
    return int(row[0])


def tables(connection: duckdb.DuckDBPyConnection) -> Tables:
    query = "SELECT table_name, column_name, data_type, is_nullable FROM information_schema.columns"
    return set(connection.execute(query).fetchall())


def fresh_tables() -> Tables:
    with duckdb.connect(":memory:") as connection:
        migrate(connection)
        return tables(connection)


def add_annotations(connection: duckdb.DuckDBPyConnection) -> None:
    """A migration as a later version might bring it."""
    connection.execute("CREATE TABLE annotations (session_key BIGINT NOT NULL, words VARCHAR NOT NULL)")
    connection.execute("ALTER TABLE sessions ADD COLUMN starred BOOLEAN DEFAULT false")


def fail(connection: duckdb.DuckDBPyConnection) -> None:
    connection.execute("CREATE TABLE half_done (number INTEGER)")
    connection.execute("SELECT no_such_column FROM sessions")


@pytest.mark.parametrize("known", range(len(MIGRATIONS) + 1))
def test_every_earlier_version_becomes_the_newest(connection: duckdb.DuckDBPyConnection, known: int) -> None:
    migrate(connection, MIGRATIONS[:known])
    migrate(connection)
    assert version(connection) == len(MIGRATIONS)
    assert tables(connection) == fresh_tables()


def test_a_session_that_was_stored_before_plans_has_none(connection: duckdb.DuckDBPyConnection) -> None:
    migrate(connection, MIGRATIONS[:1])
    connection.execute(
        "INSERT INTO sessions VALUES (1, 1, 's', 'a', 'a', 'openai-chat', 'm', false, ?, NULL)",
        [json.dumps(asdict(Settings()))],
    )
    migrate(connection)
    record = read_session(connection, 1, with_runs=False)
    assert record is not None and (record.session_id, record.plan) == ("s", ())


def test_a_turn_that_was_stored_before_its_text_says_nothing_of_it(connection: duckdb.DuckDBPyConnection) -> None:
    migrate(connection, MIGRATIONS[:2])
    connection.execute(
        "INSERT INTO sessions VALUES (1, 1, 's', 'a', 'a', 'openai-chat', 'm', false, ?, NULL, NULL)",
        [json.dumps(asdict(Settings()))],
    )
    connection.execute(
        "INSERT INTO requests (session_key, turn, line, request_id, model, cached_basis, generated_basis, has_account)"
        " VALUES (1, 1, 1, 'r', 'm', 'omitted', 'unknown', false)"
    )
    migrate(connection)
    record = read_session(connection, 1, with_runs=False)
    assert record is not None
    (turn,) = record.turns
    assert (turn.lineage, turn.client, turn.completeness, turn.first_token_at) == (None, None, frozenset(), None)
    assert turn.text is None


def test_migrating_again_changes_nothing(connection: duckdb.DuckDBPyConnection) -> None:
    migrate(connection)
    before = tables(connection), connection.execute("SELECT * FROM schema_version").fetchall()
    migrate(connection)
    assert (tables(connection), connection.execute("SELECT * FROM schema_version").fetchall()) == before


def test_a_later_migration_keeps_what_is_stored() -> None:
    repository = fill(":memory:", "07")
    (before,) = repository.sessions().itertuples(index=False)
    connection = repository.transactions.connection
    migrate(connection, (*MIGRATIONS, add_annotations))
    assert version(connection) == len(MIGRATIONS) + 1
    assert connection.execute("SELECT session_id, starred FROM sessions").fetchall() == [(before.session_id, False)]


def test_a_failing_migration_leaves_the_version_before_it(connection: duckdb.DuckDBPyConnection) -> None:
    migrate(connection)
    with pytest.raises(duckdb.BinderException):
        migrate(connection, (*MIGRATIONS, add_annotations, fail))
    assert version(connection) == len(MIGRATIONS)
    assert tables(connection) == fresh_tables()
    migrate(connection, (*MIGRATIONS, add_annotations))
    assert version(connection) == len(MIGRATIONS) + 1, "the connection is still of use"


def test_a_version_from_the_future_is_refused(connection: duckdb.DuckDBPyConnection) -> None:
    migrate(connection, (*MIGRATIONS, add_annotations))
    newer = tables(connection)
    with pytest.raises(ValueError, match=rf"schema version {len(MIGRATIONS) + 1} is newer .*\({len(MIGRATIONS)}\)"):
        migrate(connection)
    assert tables(connection) == newer


def test_tables_of_something_else_are_left_alone(connection: duckdb.DuckDBPyConnection) -> None:
    connection.execute("CREATE TABLE sessions (mine INTEGER)")
    before = tables(connection)
    with pytest.raises(duckdb.CatalogException):
        migrate(connection)
    assert tables(connection) == before
