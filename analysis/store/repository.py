"""The repository: analysed sessions in, everything the dashboard shows out, without rendering again.

Safe to use from several threads of one process: every call has a cursor of its own.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import duckdb
import numpy as np
import numpy.typing as npt
import pandas as pd

from analysis.model.record import SessionRecord
from analysis.model.renderer import RendererChoice
from analysis.model.session import MADE_UP_ID, TokenIds
from analysis.store.backup import copy_store
from analysis.store.cases import Cases, forget_in_cases
from analysis.store.database import MEMORY, connect, looked_into
from analysis.store.desk import Desk, drop_lost_marks
from analysis.store.imports import Import, Names, delete_import, insert_import, session_keys
from analysis.store.notes import Annotations, forget_annotations
from analysis.store.queries import CAUSES, MODELS, PROBLEMS, REPEATED, SESSIONS
from analysis.store.reading import StoredTokens, read_full_ids, read_session, read_tokens
from analysis.store.renderer_choices import drop_choice, read_choices, write_choice
from analysis.store.sets import Sets
from analysis.store.transactions import Transactions
from analysis.store.writing import insert_token_text


@dataclass(frozen=True, slots=True, eq=False)
class Runs:
    """The block states of a session as arrays: one entry per run, turns ascending."""

    turns: npt.NDArray[np.int32]
    starts: npt.NDArray[np.int32]
    stops: npt.NDArray[np.int32]
    states: npt.NDArray[np.uint8]


class Repository:
    """One database file."""

    def __init__(self, connection: duckdb.DuckDBPyConnection, name: str, read_only: bool = False) -> None:
        self.name = name
        self.transactions = Transactions(connection, name, read_only)
        self.annotations = Annotations(self.transactions.reading, self.transactions.writing)
        self.cases = Cases(self.transactions.reading, self.transactions.writing)

    @classmethod
    def open(cls, path: Path | str, read_only: bool = False) -> "Repository":
        """Open or create the database, or only look into one that is there; raise StoreError with the remedy."""
        return cls(looked_into(path) if read_only else connect(path), str(path), read_only)

    @property
    def desk(self) -> Desk:
        """What people add to sessions: marks, rates and views."""
        return Desk(self.transactions.reading, self.transactions.writing)

    @property
    def sets(self) -> Sets:
        """What sets of sessions are held against each other by."""
        return Sets(self.transactions.reading)

    def close(self) -> None:
        """Close the file; the repository is of no use afterwards."""
        self.transactions.connection.close()

    def copy_to(self, path: Path) -> None:
        """Write a copy of everything to a new file; raise StoreError where it cannot be."""
        copy_store(self.transactions.connection, path)

    @property
    def unfinished(self) -> Path | None:
        """The folder beside the database for imports that are under way; None in memory."""
        return None if self.name == MEMORY else Path(f"{self.name}.unfinished")

    def version(self) -> tuple[int, int]:
        """Changes whenever what is stored does: the newest import and how many there are."""
        ((newest, number),) = self.transactions.rows("SELECT coalesce(max(import_key), 0), count(*) FROM imports")
        return int(newest), int(number)

    def untouched(self) -> bool:
        """Whether nothing was ever imported; deleting everything does not bring that back."""
        query = "SELECT last_value IS NULL FROM duckdb_sequences() WHERE sequence_name = 'import_keys'"
        return self.transactions.rows(query) == [(True,)]

    def find(self, sha256: str, settings: str) -> int | None:
        """The import that read this very content in this way."""
        found = self.transactions.rows(
            "SELECT import_key FROM imports WHERE sha256 = ? AND settings = ?", sha256, settings
        )
        return int(found[0][0]) if found else None

    def origin(self, session_key: int) -> tuple[str, str, str] | None:
        """The log that a session came from: its name, its sha256 and how it was read; None where there is none."""
        query = "SELECT imports.file, sha256, imports.settings FROM imports JOIN sessions USING (import_key)"
        found = self.transactions.rows(f"{query} WHERE session_key = ?", session_key)
        return found[0] if found else None

    def origins(self, import_keys: Sequence[int]) -> list[tuple[int, str, str, str]]:
        """The logs of these imports: key, name, sha256 and how each was read."""
        query = "SELECT import_key, file, sha256, settings FROM imports WHERE list_contains(?, import_key) ORDER BY 1"
        return self.transactions.rows(query, list(import_keys))

    def sizes(self, file: str) -> list[tuple[int, str, int]]:
        """Earlier imports of a file of this name: key, sha256 and bytes."""
        query = "SELECT import_key, sha256, num_bytes FROM imports WHERE file = ? ORDER BY import_key"
        return self.transactions.rows(query, file)

    def repeated(self, import_key: int) -> tuple[int, tuple[str, ...]]:
        """How many sessions of an import have calls that other imports have too, and the names of their logs.

        Not looked for are calls without a start, and those of which the log names neither session nor request: two that
        look alike may both have been sent.
        """
        with self.transactions.reading() as cursor:
            found = cursor.execute(REPEATED, {"import_key": import_key, "made_up": MADE_UP_ID}).fetchall()
        return len({key for key, _other, _file in found}), tuple(dict.fromkeys(file for _key, _other, file in found))

    def save(self, incoming: Import, replacing: Iterable[int] = ()) -> int:
        """Store one import and drop those it replaces, all or nothing; return its key.

        A session that was in a replaced import keeps its key, so links to it stay good.
        """
        with self.transactions.writing() as cursor:
            known: Names = {}
            for key in replacing:
                known |= session_keys(cursor, key)
                delete_import(cursor, key)
            cursor.execute("DELETE FROM refused WHERE file = ?", [incoming.file])
            import_key = insert_import(cursor, incoming, known)
            drop_lost_marks(cursor)
            return import_key

    def delete(self, import_key: int) -> None:
        """Forget an import and all its sessions, with what was written about them."""
        with self.transactions.writing() as cursor:
            forget_annotations(cursor, import_key)
            forget_in_cases(cursor, import_key)
            delete_import(cursor, import_key)
            drop_lost_marks(cursor)

    def remember_texts(self, model: str, texts: Mapping[int, bytes]) -> None:
        """Add what tokens of a model stand for."""
        with self.transactions.writing() as cursor:
            insert_token_text(cursor, model, dict(texts))

    def renderers(self) -> dict[str, RendererChoice]:
        """The renderers that were chosen, by served model name."""
        with self.transactions.reading() as cursor:
            return read_choices(cursor)

    def choose_renderer(self, choice: RendererChoice) -> None:
        """Keep the renderer of a model; what is stored is as it was until its log is analysed again."""
        with self.transactions.writing() as cursor:
            write_choice(cursor, choice)

    def drop_renderer(self, model: str) -> None:
        """Forget the renderer of a model."""
        with self.transactions.writing() as cursor:
            drop_choice(cursor, model)

    def models(self) -> pd.DataFrame:
        """One row per served model, those with most unknown turns first; ``import_keys`` are the imports with it."""
        return self.transactions.frame(MODELS)

    def imports(self) -> pd.DataFrame:
        """One row per import, the newest first."""
        return self.transactions.frame(
            "SELECT import_key, imports.file, num_bytes, imported_at, count(session_key) AS num_sessions"
            " FROM imports LEFT JOIN sessions USING (import_key) GROUP BY ALL ORDER BY import_key DESC"
        )

    def sessions(self) -> pd.DataFrame:
        """One row per session, those with most wasted tokens first; columns as in SessionFigures."""
        return self.transactions.frame(SESSIONS)

    def causes(self) -> pd.DataFrame:
        """One row per session and cause that is a fault in it: code, tokens and turns; NaN where tokens are unknown."""
        return self.transactions.frame(CAUSES)

    def problems(self) -> pd.DataFrame:
        """Everything that could not be read as it should; files that were refused have no import."""
        return self.transactions.frame(PROBLEMS)

    def refuse(self, file: str, message: str) -> None:
        """Remember that a file is no log, until a file of this name is imported."""
        with self.transactions.writing() as cursor:
            cursor.execute("INSERT OR REPLACE INTO refused (file, message) VALUES (?, ?)", [file, message])

    def forget_refused(self) -> None:
        """Forget all files that were refused."""
        with self.transactions.writing() as cursor:
            cursor.execute("DELETE FROM refused")

    def session(self, session_key: int, with_runs: bool = False) -> SessionRecord | None:
        """One session with all its findings, without tokens; None where there is none."""
        with self.transactions.reading() as cursor:
            return read_session(cursor, session_key, with_runs)

    def between(self, session_key: int, start: float, stop: float) -> pd.DataFrame:
        """Requests of other sessions of the same import that started in ``[start, stop]``, in their order."""
        query = """
            SELECT session_id, turn, started_at, prompt_tokens, cached_tokens
            FROM requests JOIN sessions USING (session_key)
            WHERE import_key = (SELECT import_key FROM sessions WHERE session_key = $key)
                AND session_key <> $key AND started_at BETWEEN $start AND $stop ORDER BY started_at"""
        return self.transactions.frame(query, {"key": session_key, "start": start, "stop": stop})

    def runs(self, session_key: int) -> Runs:
        """The block states of a session."""
        query = "SELECT turn, start, stop, state FROM block_runs WHERE session_key = $key ORDER BY turn, start"
        with self.transactions.reading() as cursor:
            columns = cursor.sql(query, params={"key": session_key}).fetchnumpy()
        return Runs(columns["turn"], columns["start"], columns["stop"], columns["state"])

    def full_ids(self, session_key: int) -> dict[int, TokenIds]:
        """Prompt and reply tokens of every turn that has them, by turn."""
        with self.transactions.reading() as cursor:
            return read_full_ids(cursor, session_key)

    def tokens(self, import_key: int) -> list[StoredTokens]:
        """The tokens of every turn of an import that has them."""
        with self.transactions.reading() as cursor:
            return list(read_tokens(cursor, import_key))

    def token_bytes(self, model: str, token_ids: Iterable[int]) -> dict[int, bytes]:
        """What these tokens stand for, as far as it is known."""
        query = "SELECT id, bytes FROM token_text JOIN (SELECT unnest(?) AS id) USING (id) WHERE model = ?"
        return dict(self.transactions.rows(query, sorted(set(token_ids)), model))
