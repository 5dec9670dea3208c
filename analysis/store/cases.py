"""Cases in the store: every state of what was written is kept; sessions, and findings in their order.

A change of the text names the state that it changes.  Each call is one transaction: what it returns is on the disk.
"""

import json
from dataclasses import asdict
from typing import Any

from analysis.model.annotation import Case, CaseSession, CaseText, CaseVersion, Finding, PinnedFinding, Side
from analysis.store.notes import Cursor, Outdated, Transaction


class Cases:
    """The cases of a store.  ``reading`` and ``writing`` each give a cursor within a transaction."""

    def __init__(self, reading: Transaction, writing: Transaction) -> None:
        self._reading = reading
        self._writing = writing

    def all(self) -> tuple[Case, ...]:
        """Every case, deleted ones too, the one that was changed last first."""
        with self._reading() as cursor:
            return tuple(sorted(_cases(cursor), key=lambda case: (-case.last.at, -case.key)))

    def one(self, key: int) -> Case | None:
        """A case with all its states, a deleted one too; None where there is none."""
        with self._reading() as cursor:
            return next(iter(_cases(cursor, key)), None)

    def create(self, author: str, text: CaseText) -> int:
        """Write a new case; return its key."""
        with self._writing() as cursor:
            ((key,),) = cursor.execute("SELECT nextval('case_keys')").fetchall()
            _write(cursor, int(key), 1, author, text)
        return int(key)

    def change(self, key: int, version: int, author: str, text: CaseText | None) -> int:
        """Write the state after ``version``; return its number.  No text deletes the case.

        Raise Outdated where that is not the present state.  The same change by the same person, as a double click asks
        for it, is made once.
        """
        with self._writing() as cursor:
            query = "SELECT version, author, words FROM case_versions WHERE case_key = ? ORDER BY version DESC"
            found = cursor.execute(query, [key]).fetchone()
            if found is not None and found == (version + 1, author, _words(text)):
                return version + 1
            if found is None or found[0] != version:
                who = "Somebody" if found is None else found[1]
                raise Outdated(f"{who} has changed this case meanwhile: nothing was overwritten.")
            _write(cursor, key, version + 1, author, text)
        return version + 1

    def take(self, key: int, session_key: int, side: Side | None = None) -> None:
        """Make a session part of a case, or put one that is into another set; raise Outdated where either is gone."""
        with self._writing() as cursor:
            _demand(cursor, key, session_key)
            _drop(cursor, key, session_key)
            cursor.execute("INSERT INTO case_sessions VALUES (?, ?, ?)", [key, session_key, side])

    def drop(self, key: int, session_key: int) -> None:
        """Take a session out of a case; findings of it that are pinned stay."""
        with self._writing() as cursor:
            _drop(cursor, key, session_key)

    def pin(self, key: int, finding: Finding, author: str) -> int:
        """Put a finding at the end of those of a case; return the key of the pin, that of before where it is there.

        Raise Outdated where the case or the session is gone: what a log said is not kept after it was forgotten.
        """
        with self._writing() as cursor:
            _demand(cursor, key, finding.session_key)
            for pinned in _pinned(cursor, key).get(key, ()):
                if _same(pinned.finding, finding):
                    return pinned.key
            ((pin,),) = cursor.execute("SELECT nextval('pin_keys')").fetchall()
            cursor.execute(
                "INSERT INTO pinned_findings (pin_key, case_key, position, finding, author) VALUES (?, ?, ?, ?, ?)",
                [pin, key, pin, json.dumps(asdict(finding)), author],
            )
        return int(pin)

    def move(self, pin: int, by: int) -> None:
        """Move a pinned finding up (``by`` -1) or down (1) among those of its case; at the end it stays."""
        with self._writing() as cursor:
            found = cursor.execute("SELECT case_key FROM pinned_findings WHERE pin_key = ?", [pin]).fetchone()
            if found is None:
                return
            keys = [one.key for one in _pinned(cursor, found[0])[found[0]]]
            at = keys.index(pin)
            keys.insert(max(0, at + by), keys.pop(at))
            for position, key in enumerate(keys):
                cursor.execute("UPDATE pinned_findings SET position = ? WHERE pin_key = ?", [position, key])

    def unpin(self, pin: int) -> None:
        """Take a pinned finding out of its case."""
        with self._writing() as cursor:
            cursor.execute("DELETE FROM pinned_findings WHERE pin_key = ?", [pin])


def forget_in_cases(cursor: Cursor, import_key: int) -> None:
    """Take an import's sessions out of all cases, with what is pinned of them."""
    mine = "(SELECT session_key FROM sessions WHERE import_key = ?)"
    cursor.execute(f"DELETE FROM case_sessions WHERE session_key IN {mine}", [import_key])
    pinned = "CAST(finding->>'session_key' AS BIGINT)"
    cursor.execute(f"DELETE FROM pinned_findings WHERE {pinned} IN {mine}", [import_key])


def _demand(cursor: Cursor, key: int, session_key: int) -> None:
    """Raise Outdated where the case was deleted or the session forgotten."""
    query = "SELECT arg_max(words IS NOT NULL, version) FROM case_versions WHERE case_key = ?"
    if cursor.execute(query, [key]).fetchone() != (True,):
        raise Outdated("This case was deleted meanwhile: nothing was put into it.")
    if not cursor.execute("SELECT 1 FROM sessions WHERE session_key = ?", [session_key]).fetchall():
        raise Outdated("This session has been forgotten meanwhile: nothing was put into the case.")


def _write(cursor: Cursor, key: int, version: int, author: str, text: CaseText | None) -> None:
    columns = "case_key, version, author, words"
    cursor.execute(f"INSERT INTO case_versions ({columns}) VALUES (?, ?, ?, ?)", [key, version, author, _words(text)])


def _words(text: CaseText | None) -> str | None:
    return None if text is None else json.dumps(asdict(text))


def _drop(cursor: Cursor, key: int, session_key: int) -> None:
    cursor.execute("DELETE FROM case_sessions WHERE case_key = ? AND session_key = ?", [key, session_key])


def _cases(cursor: Cursor, key: int | None = None) -> list[Case]:
    """One case, or with no key all of them: of many, each table is read once."""
    columns = "case_key, version, author, epoch(written_at), words"
    states: dict[int, list[CaseVersion]] = {}
    for case, *state in _rows_of(cursor, f"SELECT {columns} FROM case_versions", key, "case_key, version"):
        states.setdefault(case, []).append(_version(*state))
    sessions, pinned = _sessions(cursor, key), _pinned(cursor, key)
    return [
        Case(case, tuple(versions), tuple(sessions.get(case, ())), tuple(pinned.get(case, ())))
        for case, versions in states.items()
    ]


def _rows_of(cursor: Cursor, query: str, key: int | None, order: str) -> list[tuple[Any, ...]]:
    """The rows of one case, or of all."""
    found = cursor.execute(f"{query} WHERE case_key = coalesce(?, case_key) ORDER BY {order}", [key])
    return found.fetchall()


def _version(number: int, author: str, at: float, words: str | None) -> CaseVersion:
    return CaseVersion(int(number), author, at, None if words is None else CaseText(**json.loads(words)))


def _sessions(cursor: Cursor, key: int | None) -> dict[int, list[CaseSession]]:
    query = """
        SELECT case_key, session_key, session_id, source, side FROM case_sessions JOIN sessions USING (session_key)"""
    found: dict[int, list[CaseSession]] = {}
    for case, *session in _rows_of(cursor, query, key, "session_id, session_key"):
        found.setdefault(case, []).append(CaseSession(*session))
    return found


def _pinned(cursor: Cursor, key: int | None) -> dict[int, list[PinnedFinding]]:
    query = "SELECT case_key, pin_key, finding, author, epoch(written_at) FROM pinned_findings"
    found: dict[int, list[PinnedFinding]] = {}
    for case, pin, finding, author, at in _rows_of(cursor, query, key, "position"):
        found.setdefault(case, []).append(PinnedFinding(int(pin), Finding(**json.loads(finding)), author, at))
    return found


def _same(one: Finding, other: Finding) -> bool:
    return (one.session_key, one.request_id, one.turn, one.code) == (
        other.session_key, other.request_id, other.turn, other.code,
    )  # fmt: skip
