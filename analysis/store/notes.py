"""Annotations in the store: every state of each is kept, nothing is ever overwritten.

A change names the state that it changes; where another one came in between it is refused.  Each call is one
transaction: what it returns is on the disk.  Does not know where an annotation stands: that follows from its anchor.
"""

import json
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import asdict
from typing import Any

import duckdb

from analysis.model.annotation import Anchor, Annotation, Quote, Version

Cursor = duckdb.DuckDBPyConnection
Transaction = Callable[[], AbstractContextManager[Cursor]]

VERSIONS = """
    SELECT note_key, session_key, anchor, version, author, epoch(written_at), words
    FROM notes JOIN note_versions USING (note_key)
    {} ORDER BY note_key, version
"""

LAST = """
    SELECT note_key, any_value(session_key) AS session_key FROM notes JOIN note_versions USING (note_key)
    GROUP BY note_key HAVING arg_max(words IS NOT NULL, version)
"""


class Outdated(ValueError):
    """What should be changed has been changed meanwhile; nothing was overwritten."""


class Annotations:
    """The annotations of a store.  ``reading`` and ``writing`` each give a cursor within a transaction."""

    def __init__(self, reading: Transaction, writing: Transaction) -> None:
        self._reading = reading
        self._writing = writing

    def key(self) -> bytes:
        """The key of the digests in anchors: random, and the same for as long as the store lives."""
        with self._reading() as cursor:
            ((key,),) = cursor.execute("SELECT bytes FROM digest_key").fetchall()
        return bytes(key)

    def of_session(self, session_key: int) -> tuple[Annotation, ...]:
        """All annotations of a session, those that were deleted too, in the order they were made."""
        with self._reading() as cursor:
            return _annotations(cursor.execute(VERSIONS.format("WHERE session_key = ?"), [session_key]).fetchall())

    def without_session(self) -> tuple[Annotation, ...]:
        """Annotations whose session is not in its log any more since that was imported again, deleted ones left out."""
        query = VERSIONS.format("WHERE session_key NOT IN (SELECT session_key FROM sessions)")
        with self._reading() as cursor:
            found = _annotations(cursor.execute(query).fetchall())
        return tuple(one for one in found if not one.is_deleted)

    def counts(self) -> dict[int, int]:
        """How many annotations each session has that has some."""
        query = f"SELECT session_key, count(*) FROM ({LAST}) GROUP BY session_key"
        with self._reading() as cursor:
            return {int(key): int(number) for key, number in cursor.execute(query).fetchall()}

    def of_imports(self, import_keys: Sequence[int]) -> int:
        """How many annotations are forgotten with these imports."""
        query = f"SELECT count(*) FROM ({LAST}) JOIN sessions USING (session_key) WHERE list_contains(?, import_key)"
        with self._reading() as cursor:
            ((number,),) = cursor.execute(query, [list(import_keys)]).fetchall()
        return int(number)

    def add(self, session_key: int, anchor: Anchor, author: str, text: str) -> int:
        """Write a new annotation; return its key.  Raise Outdated where the session is gone."""
        with self._writing() as cursor:
            if not cursor.execute("SELECT 1 FROM sessions WHERE session_key = ?", [session_key]).fetchall():
                raise Outdated("This session has been forgotten meanwhile: the note was not kept.")
            ((key,),) = cursor.execute("SELECT nextval('note_keys')").fetchall()
            cursor.execute("INSERT INTO notes VALUES (?, ?, ?)", [key, session_key, json.dumps(asdict(anchor))])
            _write(cursor, int(key), 1, author, text)
        return int(key)

    def change(self, key: int, version: int, author: str, text: str | None) -> int:
        """Write the state after ``version``; return its number.  No text deletes, a text after that brings it back.

        Raise Outdated where that is not the present state.  The same change by the same person, as a double click asks
        for it, is made once.
        """
        with self._writing() as cursor:
            query = "SELECT version, author, words FROM note_versions WHERE note_key = ? ORDER BY version DESC"
            found = cursor.execute(query, [key]).fetchone()
            if found is None:
                raise Outdated("This note was forgotten meanwhile, with its log.")
            if found == (version + 1, author, text):
                return version + 1
            if found[0] != version:
                raise Outdated(f"{found[1]} has changed this note meanwhile: nothing was overwritten.")
            _write(cursor, key, version + 1, author, text)
        return version + 1


def forget_annotations(cursor: Cursor, import_key: int) -> None:
    """Forget the annotations of an import's sessions with all their states: who forgets a log means all of it."""
    mine = """(SELECT note_key FROM notes JOIN sessions USING (session_key) WHERE import_key = ?)"""
    for table in ("note_versions", "notes"):
        cursor.execute(f"DELETE FROM {table} WHERE note_key IN {mine}", [import_key])


def _write(cursor: Cursor, key: int, version: int, author: str, text: str | None) -> None:
    columns = "note_key, version, author, words"
    cursor.execute(f"INSERT INTO note_versions ({columns}) VALUES (?, ?, ?, ?)", [key, version, author, text])


def _annotations(rows: list[tuple[Any, ...]]) -> tuple[Annotation, ...]:
    states: dict[int, list[Version]] = {}
    heads: dict[int, tuple[int, Anchor]] = {}
    for key, session_key, anchor, number, author, at, text in rows:
        heads.setdefault(int(key), (int(session_key), _anchor(json.loads(anchor))))
        states.setdefault(int(key), []).append(Version(int(number), author, at, text))
    return tuple(Annotation(key, *head, tuple(states[key])) for key, head in heads.items())


def _anchor(row: dict[str, Any]) -> Anchor:
    quotes = {name: Quote(**row[name]) if row[name] else None for name in ("quote", "core")}
    return Anchor(**{**row, **quotes})
