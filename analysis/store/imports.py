"""Imports as rows: what one brings, how it is written, and all that goes when it is forgotten."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import duckdb

from analysis.model.record import SessionRecord
from analysis.model.session import Problem
from analysis.store.writing import insert_problems, insert_sessions, insert_token_text

Names = dict[tuple[str, str], int]  # the keys of sessions by where their id is theirs, and the id


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


def insert_import(cursor: duckdb.DuckDBPyConnection, incoming: Import, known: Names) -> int:
    """Insert an import with its sessions; return its key.  A session whose name is ``known`` gets the key it had."""
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


def session_keys(cursor: duckdb.DuckDBPyConnection, import_key: int) -> Names:
    """The keys of an import's sessions by their id and where it is theirs: in the source, or if inferred, in a file."""
    query = "SELECT if(inferred, file, source), session_id, session_key FROM sessions WHERE import_key = ?"
    return {(place, session_id): int(key) for place, session_id, key in cursor.execute(query, [import_key]).fetchall()}


def delete_import(cursor: duckdb.DuckDBPyConnection, import_key: int) -> None:
    """Delete an import with its sessions; what people wrote about them is not touched."""
    owned = "session_key IN (SELECT session_key FROM sessions WHERE import_key = ?)"
    for table in ("requests", "divergences", "findings", "text_comparisons", "request_tokens", "block_runs"):
        cursor.execute(f"DELETE FROM {table} WHERE {owned}", [import_key])
    for table in ("sessions", "problems", "imports"):
        cursor.execute(f"DELETE FROM {table} WHERE import_key = ?", [import_key])
