"""Transactions on an open database: one writer at a time, and readers that see one state of it.

Safe to use from several threads of one process: every transaction has a cursor of its own.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from threading import Lock
from typing import Any

import duckdb
import pandas as pd

from analysis.store.database import StoreError, unreadable


class Transactions:
    """The transactions of one database, of which errors speak by its name."""

    def __init__(self, connection: duckdb.DuckDBPyConnection, name: str, read_only: bool = False) -> None:
        self.connection = connection
        self._name = name
        self._read_only = read_only
        self._lock = Lock()

    @contextmanager
    def writing(self) -> Iterator[duckdb.DuckDBPyConnection]:
        """One writer at a time, all or nothing; raise StoreError for what the database does not take."""
        if self._read_only:
            raise StoreError(f"{self._name}: opened to be read only, so nothing was stored.")
        with self._lock:
            cursor = self.connection.cursor()
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
                raise StoreError(f"{self._name}: nothing was stored ({first}). Is the disk full?") from None

    @contextmanager
    def reading(self) -> Iterator[duckdb.DuckDBPyConnection]:
        """One state of the store for all queries, whatever is imported meanwhile; raise StoreError for damage."""
        cursor = self.connection.cursor()
        try:
            cursor.execute("BEGIN")
            yield cursor
            cursor.execute("ROLLBACK")
        except duckdb.Error as error:
            raise StoreError(unreadable(self._name, str(error))) from None

    def rows(self, query: str, *parameters: Any) -> list[tuple[Any, ...]]:
        """What a query answers, row by row."""
        with self.reading() as cursor:
            return cursor.execute(query, list(parameters)).fetchall()

    def frame(self, query: str, parameters: Mapping[str, Any] | None = None) -> pd.DataFrame:
        """What a query answers, as a table."""
        with self.reading() as cursor:
            frame: pd.DataFrame = cursor.sql(query, params=dict(parameters or {})).df()
        return frame
