"""Records into rows: how they lie in the tables."""

from collections.abc import Iterator
from dataclasses import replace

import duckdb
import numpy as np
import pytest

from analysis.model.evidence import Reconciliation
from analysis.model.finding import Cause, Note
from analysis.model.session import Problem
from analysis.model.settings import Settings
from analysis.store.schema import migrate
from analysis.store.writing import insert_problems, insert_sessions, insert_token_text
from tests.sample_store import record_of


@pytest.fixture
def connection() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect(":memory:") as connection:
        migrate(connection)
        yield connection


def rows(connection: duckdb.DuckDBPyConnection, query: str) -> list[tuple[object, ...]]:
    return connection.execute(query).fetchall()


def test_a_growing_session_stores_its_tokens_once(connection: duckdb.DuckDBPyConnection) -> None:
    record = record_of("11")
    insert_sessions(connection, 1, [1], [record])
    kept = rows(connection, "SELECT prefix_tokens, len(suffix_ids) FROM request_tokens ORDER BY turn")
    in_full = sum(len(ids) for ids in record.full_ids if ids is not None)
    assert len(kept) == len(record.turns) and kept[0][0] == 0
    assert sum(int(str(suffix)) for _prefix, suffix in kept) < in_full / 10


def test_unknown_tokens_have_no_row_and_the_next_turn_builds_on_the_last_known(
    connection: duckdb.DuckDBPyConnection,
) -> None:
    record = record_of("03")
    ids = (np.array([1, 2, 3], np.int32), None, np.array([1, 2, 9], np.int32))
    insert_sessions(connection, 1, [1], [replace(record, turns=record.turns[:3], full_ids=ids)])
    kept = rows(connection, "SELECT turn, prefix_tokens, suffix_ids FROM request_tokens ORDER BY turn")
    assert kept == [(1, 0, [1, 2, 3]), (3, 2, [9])]


def test_settings_and_what_the_server_said_lie_as_json(connection: duckdb.DuckDBPyConnection) -> None:
    record = replace(record_of("03"), settings=Settings(32, "server", num_blocks=7), full_ids=(), turns=())
    silent = replace(record, reconciliation=None)
    insert_sessions(connection, 1, [1, 2], [replace(record, reconciliation=Reconciliation(hits_counted=5)), silent])
    kept = rows(
        connection,
        "SELECT settings->>'block_size', settings->>'block_size_basis', settings->>'num_blocks', settings->>'window',"
        " reconciliation->>'hits_counted', reconciliation->>'blocks_needed' FROM sessions ORDER BY session_key",
    )
    assert kept == [("32", "server", "7", None, "5", None), ("32", "server", "7", None, None, None)]
    assert rows(connection, "SELECT session_key FROM sessions WHERE reconciliation IS NULL") == [(2,)]


def test_findings_keep_their_order(connection: duckdb.DuckDBPyConnection) -> None:
    causes = tuple(Cause(code, "certain", None, 1, None, "seen", "undo") for code in ("z/first", "a/second"))
    notes = (Note("n/third", "why"),)
    record = record_of("03")
    turn = replace(record.turns[0], causes=causes, notes=notes)
    insert_sessions(connection, 1, [1], [replace(record, turns=(turn,), full_ids=(None,))])
    kept = rows(connection, "SELECT kind, code FROM findings ORDER BY position")
    assert kept == [("cause", "z/first"), ("cause", "a/second"), ("note", "n/third")]


def test_only_turns_that_diverge_have_a_divergence(connection: duckdb.DuckDBPyConnection) -> None:
    record = record_of("02")
    insert_sessions(connection, 1, [1], [record])
    diverged = [(turn.turn, turn.divergence.token) for turn in record.turns if turn.divergence]
    assert diverged and rows(connection, "SELECT turn, token FROM divergences ORDER BY turn") == diverged


def test_problems_of_a_file_have_no_session(connection: duckdb.DuckDBPyConnection) -> None:
    insert_problems(connection, [(1, None, Problem("a.jsonl", None, "odd")), (1, 5, Problem("a.jsonl", 3, "odder"))])
    kept = rows(connection, "SELECT * FROM problems ORDER BY session_key NULLS FIRST")
    assert kept == [(1, None, "a.jsonl", None, "odd"), (1, 5, "a.jsonl", 3, "odder")]


def test_texts_that_are_known_stay(connection: duckdb.DuckDBPyConnection) -> None:
    insert_token_text(connection, "m", {1: b"one", 2: b"\xf0\x9f"})
    insert_token_text(connection, "m", {2: b"other", 3: b""})
    insert_token_text(connection, "n", {1: b"uno"})
    insert_token_text(connection, "n", {})
    kept = rows(connection, "SELECT model, id, bytes FROM token_text ORDER BY model, id")
    assert kept == [("m", 1, b"one"), ("m", 2, b"\xf0\x9f"), ("m", 3, b""), ("n", 1, b"uno")]


def test_nothing_to_write_is_no_error(connection: duckdb.DuckDBPyConnection) -> None:
    insert_sessions(connection, 1, [], [])
    insert_problems(connection, [])
    assert rows(connection, "SELECT count(*) FROM sessions") == [(0,)]
