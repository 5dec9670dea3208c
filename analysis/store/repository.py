"""The repository: analysed sessions in, everything the dashboard shows out, without rendering again.

Safe to use from several threads of one process: every call has a cursor of its own.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import Any

import duckdb
import numpy as np
import numpy.typing as npt
import pandas as pd

from analysis.model.record import SessionRecord
from analysis.model.session import Problem, TokenIds
from analysis.store.backup import copy_store
from analysis.store.database import StoreError, connect, looked_into, unreadable
from analysis.store.reading import read_full_ids, read_session
from analysis.store.writing import insert_problems, insert_sessions, insert_token_text

SESSIONS = """
    WITH meant AS (SELECT DISTINCT session_key, turn, true AS is_meant FROM findings WHERE deliberate),
    marked AS (SELECT requests.*, coalesce(is_meant, false) AS is_meant
        FROM requests LEFT JOIN meant USING (session_key, turn)),
    costliest AS (
        SELECT session_key, arg_max(turn, lost) FILTER (NOT is_meant) AS turn, count(*) AS num_divergences
        FROM divergences JOIN marked USING (session_key, turn) GROUP BY session_key),
    by_code AS (
        SELECT session_key, deliberate, code, sum(tokens) AS tokens FROM findings
        WHERE kind = 'cause' AND (position = 0 OR tokens > 0) GROUP BY session_key, deliberate, code),
    named AS (
        SELECT session_key, list(code ORDER BY deliberate, tokens DESC, code) AS codes FROM by_code
        GROUP BY session_key)
    SELECT sessions.session_key, session_id, source, file, sessions.model, inferred,
        count(*) AS num_turns, coalesce(any_value(num_divergences), 0) AS num_divergences,
        min(started_at) AS started_at, coalesce(sum(prompt_tokens), 0) AS prompt_tokens,
        count(cached_tokens) AS known_turns,
        coalesce(sum(prompt_tokens) FILTER (cached_tokens IS NOT NULL), 0) AS known_prompt_tokens,
        coalesce(sum(cached_tokens), 0) AS cached_tokens, coalesce(sum(reusable_tokens), 0) AS reusable_tokens,
        coalesce(sum(missed) FILTER (NOT is_meant), 0) AS missed_tokens,
        coalesce(sum(lost) FILTER (NOT is_meant), 0) AS lost_tokens,
        count(*) FILTER (fidelity IS NULL) AS unknown_turns,
        count(*) FILTER (fidelity = 'mismatch') AS mismatched_turns,
        any_value(costliest.turn) AS costliest_turn, any_value(path) AS costliest_path,
        any_value(divergences.char) AS costliest_char, any_value(role) AS costliest_role,
        coalesce(any_value(codes), []) AS causes,
        list(cached_tokens / prompt_tokens ORDER BY marked.turn)
            FILTER (cached_tokens IS NOT NULL AND prompt_tokens > 0) AS hit_rates
    FROM sessions JOIN marked USING (session_key)
        LEFT JOIN costliest USING (session_key)
        LEFT JOIN named USING (session_key)
        LEFT JOIN divergences
            ON divergences.session_key = sessions.session_key AND divergences.turn = costliest.turn
    GROUP BY ALL
    ORDER BY missed_tokens + lost_tokens DESC, sessions.session_key
"""

CAUSES = """
    SELECT code, sum(tokens) AS tokens, count(DISTINCT (session_key, turn)) AS turns,
        count(DISTINCT session_key) AS sessions, list(DISTINCT session_key ORDER BY session_key) AS session_keys
    FROM findings WHERE kind = 'cause' AND NOT deliberate
    GROUP BY code ORDER BY tokens DESC, code
"""


@dataclass(frozen=True, slots=True, eq=False)
class Import:
    """What one import brings: the file's fingerprint and size, how it was read, and what came of it.

    ``texts`` holds per model what its tokens stand for.
    """

    file: str
    sha256: str
    num_bytes: int
    settings: str
    records: Sequence[SessionRecord]
    problems: Sequence[Problem] = ()
    texts: Mapping[str, Mapping[int, bytes]] | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Runs:
    """The block states of a session as arrays: one entry per run, turns ascending."""

    turns: npt.NDArray[np.int32]
    starts: npt.NDArray[np.int32]
    stops: npt.NDArray[np.int32]
    states: npt.NDArray[np.uint8]


class Repository:
    """One database file."""

    def __init__(self, connection: duckdb.DuckDBPyConnection, name: str) -> None:
        self.name = name
        self._connection = connection
        self._writing = Lock()

    @classmethod
    def open(cls, path: Path | str, read_only: bool = False) -> "Repository":
        """Open or create the database, or only look into one that is there; raise StoreError with the remedy."""
        return cls(looked_into(path) if read_only else connect(path), str(path))

    def close(self) -> None:
        """Close the file; the repository is of no use afterwards."""
        self._connection.close()

    def copy_to(self, path: Path) -> None:
        """Write a copy of everything to a new file; raise StoreError where it cannot be."""
        copy_store(self._connection, path)

    def version(self) -> tuple[int, int]:
        """Changes whenever what is stored does: the newest import and how many there are."""
        ((newest, number),) = self._rows("SELECT coalesce(max(import_key), 0), count(*) FROM imports")
        return int(newest), int(number)

    def untouched(self) -> bool:
        """Whether nothing was ever imported; deleting everything does not bring that back."""
        query = "SELECT last_value IS NULL FROM duckdb_sequences() WHERE sequence_name = 'import_keys'"
        return self._rows(query) == [(True,)]

    def find(self, sha256: str, settings: str) -> int | None:
        """The import that read this very content in this way."""
        found = self._rows("SELECT import_key FROM imports WHERE sha256 = ? AND settings = ?", sha256, settings)
        return int(found[0][0]) if found else None

    def origin(self, session_key: int) -> tuple[str, str, str] | None:
        """The log that a session came from: its name, its sha256 and how it was read; None where there is none."""
        query = "SELECT imports.file, sha256, imports.settings FROM imports JOIN sessions USING (import_key)"
        found = self._rows(f"{query} WHERE session_key = ?", session_key)
        return found[0] if found else None

    def sizes(self, file: str) -> list[tuple[int, str, int]]:
        """Earlier imports of a file of this name: key, sha256 and bytes."""
        query = "SELECT import_key, sha256, num_bytes FROM imports WHERE file = ? ORDER BY import_key"
        return self._rows(query, file)

    def save(self, incoming: Import, replacing: Iterable[int] = ()) -> int:
        """Store one import and drop those it replaces, all or nothing; return its key.

        A session that was in a replaced import keeps its key, so links to it stay good.
        """
        with self._transaction() as cursor:
            known: dict[tuple[str, str], int] = {}
            for key in replacing:
                known |= _session_keys(cursor, key)
                _delete(cursor, key)
            return self._insert(cursor, incoming, known)

    def delete(self, import_key: int) -> None:
        """Forget an import and all its sessions."""
        with self._transaction() as cursor:
            _delete(cursor, import_key)

    def remember_texts(self, model: str, texts: Mapping[int, bytes]) -> None:
        """Add what tokens of a model stand for."""
        with self._transaction() as cursor:
            insert_token_text(cursor, model, dict(texts))

    def imports(self) -> pd.DataFrame:
        """One row per import, the newest first."""
        return self._frame(
            "SELECT import_key, imports.file, num_bytes, imported_at, count(session_key) AS num_sessions"
            " FROM imports LEFT JOIN sessions USING (import_key) GROUP BY ALL ORDER BY import_key DESC"
        )

    def sessions(self) -> pd.DataFrame:
        """One row per session, those with most wasted tokens first; columns as in SessionFigures."""
        return self._frame(SESSIONS)

    def causes(self) -> pd.DataFrame:
        """One row per cause that is a fault, those that cost most tokens first: code, tokens, turns and sessions.

        ``session_keys`` lists the sessions that it stands in.
        """
        return self._frame(CAUSES)

    def problems(self) -> pd.DataFrame:
        """Everything that could not be read as it should."""
        return self._frame("SELECT import_key, file, line, message FROM problems ORDER BY import_key DESC, line")

    def session(self, session_key: int, with_runs: bool = False) -> SessionRecord | None:
        """One session with all its findings, without tokens; None where there is none."""
        with self._reading() as cursor:
            return read_session(cursor, session_key, with_runs)

    def between(self, session_key: int, start: float, stop: float) -> pd.DataFrame:
        """Requests of other sessions of the same import that started in ``[start, stop]``, in their order."""
        query = """
            SELECT session_id, turn, started_at, prompt_tokens, cached_tokens
            FROM requests JOIN sessions USING (session_key)
            WHERE import_key = (SELECT import_key FROM sessions WHERE session_key = $key)
                AND session_key <> $key AND started_at BETWEEN $start AND $stop ORDER BY started_at"""
        return self._frame(query, {"key": session_key, "start": start, "stop": stop})

    def runs(self, session_key: int) -> Runs:
        """The block states of a session."""
        query = "SELECT turn, start, stop, state FROM block_runs WHERE session_key = $key ORDER BY turn, start"
        with self._reading() as cursor:
            columns = cursor.sql(query, params={"key": session_key}).fetchnumpy()
        return Runs(columns["turn"], columns["start"], columns["stop"], columns["state"])

    def full_ids(self, session_key: int) -> dict[int, TokenIds]:
        """Prompt and reply tokens of every turn that has them, by turn."""
        with self._reading() as cursor:
            return read_full_ids(cursor, session_key)

    def token_bytes(self, model: str, token_ids: Iterable[int]) -> dict[int, bytes]:
        """What these tokens stand for, as far as it is known."""
        query = "SELECT id, bytes FROM token_text JOIN (SELECT unnest(?) AS id) USING (id) WHERE model = ?"
        return dict(self._rows(query, sorted(set(token_ids)), model))

    def _insert(self, cursor: duckdb.DuckDBPyConnection, incoming: Import, known: dict[tuple[str, str], int]) -> int:
        row = cursor.execute("SELECT nextval('import_keys')").fetchone()
        assert row is not None
        import_key = int(row[0])
        cursor.execute(
            "INSERT INTO imports (import_key, file, sha256, num_bytes, settings) VALUES (?, ?, ?, ?, ?)",
            [import_key, incoming.file, incoming.sha256, incoming.num_bytes, incoming.settings],
        )
        insert_problems(cursor, [(import_key, None, problem) for problem in incoming.problems])
        fresh = cursor.execute("SELECT nextval('session_keys') FROM range(?)", [len(incoming.records)]).fetchall()
        names = [(it.file if it.inferred else it.source, it.session_id) for it in incoming.records]
        keys = [known.pop(name, int(key)) for name, (key,) in zip(names, fresh, strict=True)]
        insert_sessions(cursor, import_key, keys, incoming.records)
        for model, texts in (incoming.texts or {}).items():
            insert_token_text(cursor, model, dict(texts))
        return import_key

    @contextmanager
    def _transaction(self) -> Iterator[duckdb.DuckDBPyConnection]:
        """One writer at a time, all or nothing; raise StoreError for what the database does not take."""
        with self._writing:
            cursor = self._cursor()
            cursor.execute("BEGIN")
            try:
                yield cursor
                cursor.execute("COMMIT")
            except BaseException as error:
                with suppress(duckdb.TransactionException):  # a commit that fails has rolled back already
                    cursor.execute("ROLLBACK")
                if not isinstance(error, duckdb.Error):
                    raise
                first = str(error).partition("\n")[0][:200]
                raise StoreError(f"{self.name}: nothing was stored ({first}). Is the disk full?") from None

    @contextmanager
    def _reading(self) -> Iterator[duckdb.DuckDBPyConnection]:
        """One state of the store for all queries, whatever is imported meanwhile; raise StoreError for damage."""
        cursor = self._cursor()
        try:
            cursor.execute("BEGIN")
            yield cursor
            cursor.execute("ROLLBACK")
        except duckdb.Error as error:
            raise StoreError(unreadable(self.name, str(error))) from None

    def _cursor(self) -> duckdb.DuckDBPyConnection:
        return self._connection.cursor()

    def _rows(self, query: str, *parameters: Any) -> list[tuple[Any, ...]]:
        with self._reading() as cursor:
            return cursor.execute(query, list(parameters)).fetchall()

    def _frame(self, query: str, parameters: Mapping[str, Any] | None = None) -> pd.DataFrame:
        with self._reading() as cursor:
            frame: pd.DataFrame = cursor.sql(query, params=dict(parameters or {})).df()
        return frame


def _session_keys(cursor: duckdb.DuckDBPyConnection, import_key: int) -> dict[tuple[str, str], int]:
    """The keys of an import's sessions by their id and where it is theirs: in the source, or if inferred, in a file."""
    query = "SELECT if(inferred, file, source), session_id, session_key FROM sessions WHERE import_key = ?"
    return {(place, session_id): int(key) for place, session_id, key in cursor.execute(query, [import_key]).fetchall()}


def _delete(cursor: duckdb.DuckDBPyConnection, import_key: int) -> None:
    owned = "session_key IN (SELECT session_key FROM sessions WHERE import_key = ?)"
    for table in ("requests", "divergences", "findings", "request_tokens", "block_runs"):
        cursor.execute(f"DELETE FROM {table} WHERE {owned}", [import_key])
    for table in ("sessions", "problems", "imports"):
        cursor.execute(f"DELETE FROM {table} WHERE import_key = ?", [import_key])
