"""A copy of the store and back: everything at one moment, and nothing is lost on the way."""

from collections.abc import Callable
from pathlib import Path

import duckdb
import pytest

from analysis.store.backup import restore_store
from analysis.store.database import StoreError
from analysis.store.repository import Repository
from tests.sample_store import fill


def contents(path: Path) -> dict[str, list[object]]:
    """Every row of every table, and where the sequences stand."""
    with duckdb.connect(str(path), read_only=True) as connection:
        tables = [name for (name,) in connection.execute("SELECT table_name FROM duckdb_tables()").fetchall()]
        found: dict[str, list[object]] = {
            name: connection.execute(f"SELECT * FROM {name} ORDER BY ALL").fetchall() for name in sorted(tables)
        }
        found["sequences"] = connection.execute(
            "SELECT sequence_name, last_value FROM duckdb_sequences() ORDER BY ALL"
        ).fetchall()
    return found


@pytest.fixture
def database(tmp_path: Path) -> Path:
    file = tmp_path / "store.duckdb"
    fill(file, "03").close()
    return file


def test_a_copy_is_made_while_the_store_is_open_and_comes_back_whole(database: Path, tmp_path: Path) -> None:
    repository = Repository.open(database)
    repository.copy_to(tmp_path / "it's a copy.duckdb")
    assert len(repository.sessions()) == 1, "the store goes on"
    repository.close()
    restore_store(tmp_path / "it's a copy.duckdb", tmp_path / "new" / "back.duckdb")
    assert contents(tmp_path / "new" / "back.duckdb") == contents(database)
    assert [path.name for path in (tmp_path / "new").iterdir()] == ["back.duckdb"]


def test_what_is_imported_after_a_copy_gets_a_key_of_its_own(database: Path, tmp_path: Path) -> None:
    repository = Repository.open(database)
    repository.copy_to(tmp_path / "copy.duckdb")
    repository.close()
    fill(tmp_path / "copy.duckdb", "07").close()
    keys = [row[0] for row in contents(tmp_path / "copy.duckdb")["imports"]]  # type: ignore[index]
    assert keys == [1, 2]


def test_nothing_is_overwritten_unasked(database: Path, tmp_path: Path) -> None:
    before = contents(database)
    repository = Repository.open(database)
    repository.copy_to(tmp_path / "copy.duckdb")
    with pytest.raises(StoreError, match=r"copy\.duckdb: this file is there already"):
        repository.copy_to(tmp_path / "copy.duckdb")
    repository.close()
    with pytest.raises(StoreError, match=r"store\.duckdb: this database is there already\. --replace"):
        restore_store(tmp_path / "copy.duckdb", database)
    fill(database, "07").close()
    restore_store(tmp_path / "copy.duckdb", database, replace=True)
    assert contents(database) == before


def test_a_copy_that_cannot_be_written_is_one_line_and_no_file(database: Path, tmp_path: Path) -> None:
    repository = Repository.open(database)
    with pytest.raises(StoreError, match=r"the copy could not be written"):
        repository.copy_to(tmp_path / "no folder" / "copy.duckdb")
    repository.close()
    assert not (tmp_path / "no folder").exists()


def truncated(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:50_000])


def other_database(path: Path) -> None:
    path.unlink()
    duckdb.connect(str(path)).execute("CREATE TABLE imports (a INTEGER)").close()


@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        pytest.param(lambda path: path.unlink(), "no such file", id="missing"),
        pytest.param(lambda path: path.write_bytes(b""), "the file is empty", id="empty"),
        pytest.param(lambda path: path.write_text("hello, world"), "a file of another kind", id="text"),
        pytest.param(truncated, "not a database that Whymiss can read", id="cut off"),
        pytest.param(other_database, "not a database that Whymiss can read", id="another database"),
    ],
)
def test_what_is_no_copy_leaves_the_store_as_it_is(
    database: Path, tmp_path: Path, spoil: Callable[[Path], object], words: str
) -> None:
    before = contents(database)
    copy = tmp_path / "copy.duckdb"
    repository = Repository.open(database)
    repository.copy_to(copy)
    repository.close()
    spoil(copy)
    with pytest.raises(StoreError, match=rf"^{copy}: .*{words}"):
        restore_store(copy, database, replace=True)
    assert contents(database) == before
    assert sorted(path.name for path in tmp_path.iterdir() if path != copy) == ["store.duckdb"]


def test_a_link_to_a_database_leads_to_the_restored_one(database: Path, tmp_path: Path) -> None:
    repository = Repository.open(database)
    repository.copy_to(tmp_path / "copy.duckdb")
    repository.close()
    (tmp_path / "link.duckdb").symlink_to(database)
    before = contents(database)
    fill(database, "07").close()
    restore_store(tmp_path / "copy.duckdb", tmp_path / "link.duckdb", replace=True)
    assert (tmp_path / "link.duckdb").is_symlink() and contents(database) == before
