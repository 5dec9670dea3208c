"""A copy of the whole store in one file, and back: everything in it, at one moment, while others read and write.

A copy is a database like any other: ``--db`` opens it.  Does not copy logs, which are not in the store.
"""

import shutil
from pathlib import Path

import duckdb

from analysis.store.database import StoreError, connect, unreadable


def copy_store(connection: duckdb.DuckDBPyConnection, path: Path) -> None:
    """Write a copy to a file that is not there yet; raise StoreError where it cannot be written."""
    if path.exists():
        raise StoreError(f"{path}: this file is there already. Name a new one for the copy.")
    cursor = connection.cursor()
    (name,) = cursor.execute("SELECT current_database()").fetchone() or ("",)
    try:
        cursor.execute(f"ATTACH {_text(str(path))} AS copy_of_store")
        try:
            cursor.execute(f"COPY FROM DATABASE {_identifier(name)} TO copy_of_store")
        finally:
            cursor.execute("DETACH copy_of_store")
    except duckdb.Error as error:
        path.unlink(missing_ok=True)
        first = str(error).partition("\n")[0][:200]
        raise StoreError(f"{path}: the copy could not be written ({first}).") from None


def restore_store(copy: Path, path: Path, replace: bool = False) -> None:
    """Make the database at ``path`` what the copy is; raise StoreError where the copy is none, or it would be lost.

    The copy is opened first, and brought to the newest version on the way; what was there is replaced at the very end.
    """
    if not copy.is_file():
        said = "a folder, no file" if copy.is_dir() else "no such file"
        raise StoreError(f"{copy}: {said}. Name the file that `whymiss export` wrote.")
    if path.exists():
        if not replace:
            raise StoreError(f"{path}: this database is there already. --replace puts the copy in its place.")
        connect(path).close()  # whoever has it open would go on writing to what is no longer there
    path = path.resolve()  # the database that a link leads to, not the link
    path.parent.mkdir(parents=True, exist_ok=True)
    fresh = path.with_name(f"{path.name}.restoring")
    try:
        shutil.copyfile(copy, fresh)
        _opened_and_closed(fresh, copy)
        fresh.replace(path)
    except OSError as error:
        fresh.unlink(missing_ok=True)
        raise error if isinstance(error, StoreError) else StoreError(f"{path}: {error.strerror}.") from None
    finally:
        fresh.with_name(f"{fresh.name}.wal").unlink(missing_ok=True)


def _opened_and_closed(fresh: Path, copy: Path) -> None:
    """Whether it is a store: its tables are there and its file is whole."""
    if fresh.stat().st_size == 0:
        raise StoreError(f"{copy}: the file is empty, and no copy of a store.")
    try:
        connection = connect(fresh)
    except StoreError as error:
        raise StoreError(str(error).replace(str(fresh), str(copy))) from None
    try:
        connection.execute("SELECT count(*) FROM imports").fetchone()
        connection.execute("CHECKPOINT")
    except duckdb.Error as error:
        raise StoreError(unreadable(str(copy), str(error))) from None
    finally:
        connection.close()


def _text(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"


def _identifier(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
