"""Opening the database file, and what to tell a person when it cannot be opened.

One process holds the file; threads of it get cursors.  Nothing here changes a file that cannot be read.
"""

import re
from contextlib import suppress
from pathlib import Path

import duckdb

from analysis.store.schema import MIGRATIONS, migrate, version_of

MEMORY = ":memory:"

# A file of another database makes DuckDB fetch an extension for it from the network.
_NO_DOWNLOADS: dict[str, str | bool | int | float | list[str]] = {
    "autoinstall_known_extensions": False,
    "autoload_known_extensions": False,
}
_LOCKED = re.compile(r"(set|conflicting) lock|used by another process", re.IGNORECASE)  # POSIX, Windows
_HOLDER = re.compile(r"PID (\d+)")


class StoreError(OSError):
    """The database cannot be opened or written; the message names the file and the remedy."""


class StoreInUse(StoreError):
    """Another process has the database open; ``holder`` names it."""

    def __init__(self, file: str, holder: str) -> None:
        super().__init__(f"{file}: {holder} has this database open. Close it there, or use another file with --db.")
        self.holder = holder


def connect(path: Path | str) -> duckdb.DuckDBPyConnection:
    """Open or create a database at its newest version; raise StoreError with the remedy."""
    file = str(path)
    if file != MEMORY:
        folder = Path(file).parent
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise StoreError(
                f"{folder}: the folder for the database cannot be made ({error}). Use --db FILE."
            ) from None
        if _is_foreign(Path(file)):
            raise StoreError(f"{file}: a file of another kind, not a database. Use --db with a new file.")
    was_there = file == MEMORY or Path(file).exists()
    try:
        connection = duckdb.connect(file, config=_NO_DOWNLOADS)
    except duckdb.Error as error:
        raise _cannot_open(file, str(error)) if was_there else _not_made(file, str(error)) from None
    try:
        migrate(connection)
    except ValueError as error:
        connection.close()
        raise StoreError(f"{file}: {error}. Update Whymiss, or use another file with --db.") from None
    except duckdb.Error as error:
        with suppress(duckdb.Error):
            connection.close()
        raise _cannot_open(file, str(error)) if was_there else _not_made(file, str(error)) from None
    return connection


def looked_into(path: Path | str) -> duckdb.DuckDBPyConnection:
    """Open a database to read it alone: several processes may, as long as none writes.  Raise StoreError."""
    file = Path(path)
    if not file.is_file():
        raise StoreError(f"{file}: no such database to read. Start once without --read-only, which makes it.")
    if _is_foreign(file):
        raise StoreError(f"{file}: a file of another kind, not a database. Name another one with --db.")
    try:
        connection = duckdb.connect(str(file), read_only=True, config=_NO_DOWNLOADS)
        version = version_of(connection)
    except duckdb.Error as error:
        raise _cannot_open(str(file), str(error)) from None
    if version != len(MIGRATIONS):
        connection.close()
        raise StoreError(f"{file}: made by another version of Whymiss. Open it once without --read-only.")
    return connection


def _not_made(file: str, reason: str) -> StoreError:
    """What to tell where a new database cannot be written; what was begun of it is removed."""
    for begun in (Path(file), Path(f"{file}.wal")):
        begun.unlink(missing_ok=True)
    first = reason.strip().partition("\n")[0][:200]
    return StoreError(f"{file}: the database cannot be made ({first}). Is the disk full, or the folder not yours?")


def _is_foreign(file: Path) -> bool:
    """Whether there is a file that DuckDB did not make: it would open some of those as data, and keep nothing."""
    try:
        with file.open("rb") as opened:
            head = opened.read(12)
    except OSError:
        return False
    return bool(head) and head[8:12] != b"DUCK"


def _cannot_open(file: str, reason: str) -> StoreError:
    if _LOCKED.search(reason):
        holder = _HOLDER.search(reason)
        return StoreInUse(file, f"process {holder[1]}" if holder else "another process")
    if Path(file).is_dir():
        return StoreError(f"{file}: a folder, not a database file. Use --db FILE.")
    if "permission" in reason.lower():
        return StoreError(f"{file}: no permission to open the database. Use another file with --db.")
    return StoreError(unreadable(file, reason))


def unreadable(file: str, reason: str) -> str:
    """What to tell a person whose database is none, or a damaged one."""
    first = reason.strip().partition("\n")[0][:200]
    return (
        f"{file}: not a database that Whymiss can read, or a damaged one; it was left as it is ({first})."
        " Restore a copy, or use another file with --db and import the logs again."
    )
