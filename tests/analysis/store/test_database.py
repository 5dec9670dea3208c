"""Opening a database file: what opens, and what a person reads when it does not."""

import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import duckdb
import pytest

from analysis.store import database
from analysis.store.database import StoreError, connect, looked_into
from analysis.store.schema import MIGRATIONS, migrate

HOLD = "import duckdb, sys; held = duckdb.connect(sys.argv[1]); print('held', flush=True); sys.stdin.read()"


@contextmanager
def held_by_another_process(database: Path) -> Iterator[int]:
    """The process that has the file open, by its number."""
    command = [sys.executable, "-c", HOLD, str(database)]
    holder = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert holder.stdout is not None and holder.stdin is not None
    try:
        assert holder.stdout.readline() == "held\n"
        yield holder.pid
    finally:
        holder.communicate(timeout=10)


def refusal(database: Path) -> str:
    with pytest.raises(StoreError) as caught:
        connect(database)
    message = str(caught.value)
    assert message.isprintable(), "one line"
    return message


def test_a_new_file_gets_its_folders_and_the_newest_schema(tmp_path: Path) -> None:
    database = tmp_path / "new" / "folder" / "whymiss.duckdb"
    with connect(database) as connection:
        assert connection.execute("SELECT max(version) FROM schema_version").fetchone() == (len(MIGRATIONS),)
    assert database.is_file()


def test_an_older_file_is_brought_up_to_date(tmp_path: Path) -> None:
    database = tmp_path / "old.duckdb"
    with duckdb.connect(str(database)) as connection:
        migrate(connection, MIGRATIONS[:0])
    with connect(database) as connection:
        assert connection.execute("SELECT count(*) FROM sessions").fetchone() == (0,)


def test_a_held_file_names_the_process_and_the_way_out(tmp_path: Path) -> None:
    database = tmp_path / "held.duckdb"
    connect(database).close()
    with held_by_another_process(database) as pid:
        message = refusal(database)
    assert f"process {pid} has this database open" in message
    assert str(database) in message and "--db" in message
    connect(database).close()


def sqlite_file() -> bytes:
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.execute("CREATE TABLE sessions (mine INTEGER)")
        return connection.serialize()


FOREIGN = {
    "text": b"hello, world\n",
    "one byte": b"x",
    "as long as a mark": b"x" * 12,
    "a log": b'{"request": {"messages": []}}\n' * 500,
    "a table": b"a,b\n1,2\n" * 500,
    "another database": sqlite_file(),
    "zeros": bytes(64 * 1024),
    "the mark in another place": b"DUCK" * 2 + b"duck" * 1000,
}


@pytest.mark.parametrize("ending", ["duckdb", "jsonl", "csv", "sqlite"])
@pytest.mark.parametrize("content", FOREIGN.values(), ids=FOREIGN)
def test_a_file_of_another_kind_is_not_even_opened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: bytes, ending: str
) -> None:
    """DuckDB itself opens some of these as data, and then keeps nothing."""
    database = tmp_path / f"other.{ending}"
    database.write_bytes(content)
    opened: list[str] = []
    monkeypatch.setattr(duckdb, "connect", lambda file, **_options: opened.append(file))
    assert refusal(database) == f"{database}: a file of another kind, not a database. Use --db with a new file."
    assert opened == []
    assert database.read_bytes() == content
    assert list(tmp_path.iterdir()) == [database]


@pytest.mark.parametrize(
    "content",
    [pytest.param(b"", id="empty"), pytest.param(b"x" * 8 + b"DUCK" + bytes(8192), id="the mark and nothing else")],
)
def test_what_is_no_database_is_left_as_it_is(tmp_path: Path, content: bytes) -> None:
    database = tmp_path / "other.duckdb"
    database.write_bytes(content)
    message = refusal(database)
    assert "not a database that Whymiss can read" in message and "left as it is" in message and "--db" in message
    assert "download" not in message.lower(), "a wrong file is no reason to ask the network"
    assert database.read_bytes() == content
    assert list(tmp_path.iterdir()) == [database]


def test_a_database_cut_short_is_left_as_it_is(tmp_path: Path) -> None:
    database = tmp_path / "cut.duckdb"
    connect(database).close()
    cut = database.read_bytes()[:5000]
    database.write_bytes(cut)
    assert "damaged" in refusal(database)
    assert database.read_bytes() == cut


def test_a_damaged_block_is_no_lock(tmp_path: Path) -> None:
    database = tmp_path / "clock.duckdb"
    connect(database).close()
    damaged = bytearray(database.read_bytes())
    damaged[12288 + 64 : 12288 + 128] = bytes(64)  # in the first block behind the three headers
    database.write_bytes(damaged)
    message = refusal(database)
    assert "damaged" in message and "process" not in message
    assert database.read_bytes() == damaged


def test_a_newer_schema_is_refused_with_the_remedy(tmp_path: Path) -> None:
    database = tmp_path / "newer.duckdb"
    with connect(database) as connection:
        connection.execute("INSERT INTO schema_version VALUES (?)", [len(MIGRATIONS) + 1])
    before = database.read_bytes()
    message = refusal(database)
    assert f"schema version {len(MIGRATIONS) + 1} is newer" in message
    assert "Update Whymiss" in message and "--db" in message
    assert database.read_bytes() == before


def test_a_database_of_something_else_gets_no_tables(tmp_path: Path) -> None:
    database = tmp_path / "theirs.duckdb"
    with duckdb.connect(str(database)) as connection:
        connection.execute("CREATE TABLE sessions (mine INTEGER)")
    before = database.read_bytes()
    assert "left as it is" in refusal(database)
    assert database.read_bytes() == before


def test_a_folder_is_named_as_one(tmp_path: Path) -> None:
    assert f"{tmp_path}: a folder, not a database file" in refusal(tmp_path)


def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    message = refusal(tmp_path / "file" / "whymiss.duckdb")
    assert f"{tmp_path / 'file'}: the folder for the database cannot be made" in message and "--db" in message


def test_a_database_that_is_only_looked_into_is_not_written_and_has_many_readers(tmp_path: Path) -> None:
    connect(tmp_path / "a.duckdb").close()
    one, other = looked_into(tmp_path / "a.duckdb"), looked_into(tmp_path / "a.duckdb")
    assert one.execute("SELECT count(*) FROM imports").fetchall() == [(0,)]
    with pytest.raises(duckdb.InvalidInputException, match="read-only"):
        other.execute("DELETE FROM imports")


def test_what_cannot_be_looked_into_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "text").write_text("hello, world")
    duckdb.connect(str(tmp_path / "old.duckdb")).close()
    (tmp_path / "cut.duckdb").write_bytes((tmp_path / "old.duckdb").read_bytes()[:9000])
    for name, words in (
        ("none.duckdb", "no such database to read. Start once without --read-only, which makes it."),
        ("text", "a file of another kind"),
        ("old.duckdb", "made by another version of Whymiss. Open it once without --read-only."),
        ("cut.duckdb", "not a database that Whymiss can read"),
    ):
        with pytest.raises(StoreError, match=f"{name}: {words}"):
            looked_into(tmp_path / name)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["cut.duckdb", "old.duckdb", "text"]


def test_a_database_that_cannot_be_made_leaves_nothing_that_bars_the_next_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(connection: duckdb.DuckDBPyConnection) -> None:
        raise duckdb.IOException("Could not write file: No space left on device")

    with monkeypatch.context() as disk:
        disk.setattr(database, "migrate", full)
        assert "cannot be made (Could not write file: No space left on device). Is the disk full" in refusal(
            tmp_path / "a.duckdb"
        )
    assert list(tmp_path.iterdir()) == []
    connect(tmp_path / "a.duckdb").close()
