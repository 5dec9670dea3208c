"""Annotations in the store: every state stays, races are said, and what was acknowledged survives a kill -9."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from analysis.model.annotation import Anchor, Quote
from analysis.store.database import StoreError
from analysis.store.notes import Outdated
from analysis.store.repository import Repository
from tests.analysis.store.stored import an_import
from tests.builders import ROOT
from tests.sample_store import record_of

QUOTE = Quote("byte", 10, 4, 1, 3, 2**64 - 1, "digest", "before", "after")
SPAN = Anchor("span", "r7", 7, "messages[2].content", 12, 16, QUOTE, QUOTE, 3, 5)
ODD = "NUL \0, \x1b[31m, \u202eright to left, <script>alert(1)</script>, 漢 🎉 ' \" ; DROP TABLE annotations; --"


@pytest.fixture
def store() -> Iterator[Repository]:
    repository = Repository.open(":memory:")
    repository.save(an_import(record_of("03")))
    yield repository
    repository.close()


def texts(store: Repository, session_key: int = 1) -> list[str | None]:
    return [one.last.text for one in store.annotations.of_session(session_key)]


@pytest.mark.parametrize("anchor", [SPAN, Anchor("session"), Anchor("turn", "r1", 1)], ids=lambda it: it.kind)
@pytest.mark.parametrize("text", ["seen", ODD, "x" * 1_000_000], ids=["plain", "odd", "1 MB without a blank"])
def test_an_annotation_is_read_as_it_was_written(store: Repository, anchor: Anchor, text: str) -> None:
    begun = int(time.time())
    key = store.annotations.add(1, anchor, text, text)
    (read,) = store.annotations.of_session(1)
    assert (read.key, read.session_key, read.anchor) == (key, 1, anchor)
    assert (read.author, read.last.text, read.last.number) == (text, text, 1)
    assert begun <= read.made_at <= time.time(), "seconds since the epoch, whatever the zone of this machine"


def test_every_state_stays_with_its_author(store: Repository) -> None:
    key = store.annotations.add(1, SPAN, "ann", "one")
    assert store.annotations.change(key, 1, "bob", "two") == 2
    assert store.annotations.change(key, 2, "cy", None) == 3
    (read,) = store.annotations.of_session(1)
    states = [(one.number, one.author, one.text) for one in read.versions]
    assert states == [(1, "ann", "one"), (2, "bob", "two"), (3, "cy", None)]
    assert store.annotations.counts() == {}
    store.annotations.change(key, 3, "ann", "one")
    assert texts(store) == ["one"] and store.annotations.counts() == {1: 1}


@pytest.mark.parametrize("text", ["mine", None], ids=["an edit", "a deletion"])
def test_who_comes_second_overwrites_nothing(store: Repository, text: str | None) -> None:
    key = store.annotations.add(1, SPAN, "ann", "one")
    store.annotations.change(key, 1, "bob", "two")
    with pytest.raises(Outdated, match="bob has changed this note meanwhile: nothing was overwritten"):
        store.annotations.change(key, 1, "cy", text)
    assert texts(store) == ["two"]


@pytest.mark.parametrize("text", ["again", None])
def test_the_same_change_twice_is_made_once(store: Repository, text: str | None) -> None:
    key = store.annotations.add(1, Anchor("session"), "ann", "first")
    assert [store.annotations.change(key, 1, "ann", text) for _press in range(2)] == [2, 2]
    (read,) = store.annotations.of_session(1)
    assert [one.text for one in read.versions] == ["first", text]
    with pytest.raises(Outdated):
        store.annotations.change(key, 1, "bob", text)


def test_what_is_not_there_cannot_be_written_to(store: Repository) -> None:
    with pytest.raises(Outdated, match="forgotten"):
        store.annotations.add(99, SPAN, "ann", "one")
    with pytest.raises(Outdated, match="forgotten"):
        store.annotations.change(99, 1, "ann", "one")


def test_a_session_that_is_imported_anew_keeps_its_annotations(store: Repository) -> None:
    store.annotations.add(1, SPAN, "ann", "one")
    again = store.save(an_import(record_of("03"), sha256="t"), replacing=[1])
    assert texts(store) == ["one"] and store.annotations.without_session() == ()
    other = store.save(an_import(record_of("07"), sha256="u"), replacing=[again])
    (left,) = store.annotations.without_session()
    assert left.last.text == "one", "its session went, and nobody asked to forget it"
    store.delete(other)
    assert len(store.annotations.without_session()) == 1


def test_forgetting_a_log_forgets_what_was_written_of_it(store: Repository) -> None:
    store.save(an_import(record_of("07"), sha256="t"))
    for session_key in (1, 2):
        store.annotations.add(session_key, SPAN, "ann", f"of {session_key}")
    deleted = store.annotations.add(1, SPAN, "ann", "gone already")
    store.annotations.change(deleted, 1, "ann", None)
    assert [store.annotations.of_imports(keys) for keys in ([1], [2], [3], [1, 2])] == [1, 1, 0, 2]
    store.delete(1)
    assert texts(store) == [] and texts(store, 2) == ["of 2"]
    assert store.transactions.rows("SELECT count(*) FROM note_versions") == [(1,)]


def test_the_key_is_random_and_stays(tmp_path: Path) -> None:
    keys = []
    for name in ("a", "b", "a"):
        repository = Repository.open(tmp_path / name)
        keys.append(repository.annotations.key())
        repository.close()
    assert keys[0] == keys[2] != keys[1] and len(keys[0]) == 32


def test_a_store_that_is_only_looked_into_takes_none(tmp_path: Path) -> None:
    repository = Repository.open(tmp_path / "db")
    repository.save(an_import(record_of("03")))
    repository.annotations.add(1, SPAN, "ann", "one")
    repository.close()
    looking = Repository.open(tmp_path / "db", read_only=True)
    assert texts(looking) == ["one"]
    with pytest.raises(StoreError):
        looking.annotations.add(1, SPAN, "ann", "two")
    looking.close()


def test_ten_people_at_once_lose_nothing(tmp_path: Path) -> None:
    store = Repository.open(tmp_path / "db")
    store.save(an_import(record_of("03")))
    shared = store.annotations.add(1, Anchor("session"), "all", "start")
    won: list[str] = []

    def write(name: str) -> None:
        for number in range(6):
            store.annotations.add(1, SPAN, name, f"{name} {number}")
            (read,) = (one for one in store.annotations.of_session(1) if one.key == shared)
            try:
                store.annotations.change(shared, read.last.number, name, f"{name} {number}")
                won.append(f"{name} {number}")
            except Outdated:
                pass

    people = [threading.Thread(target=write, args=(f"person {number}",)) for number in range(10)]
    for person in people:
        person.start()
    store.save(an_import(record_of("07"), sha256="t"))  # and an import meanwhile
    for person in people:
        person.join()
    read, *others = store.annotations.of_session(1)
    assert {one.text for one in others} == {f"person {i} {n}" for i in range(10) for n in range(6)}
    assert len(others) == 60
    assert [one.text for one in read.versions] == ["start", *won], "every edit that was acknowledged, in its order"
    store.close()


KILLED = """
import os, sys, threading
from analysis.model.annotation import Anchor
from analysis.store.imports import Import
from analysis.store.repository import Repository
from tests.sample_store import record_of

store = Repository.open(sys.argv[1])
record = record_of("03")
store.save(Import("a", "0", 1, "", [record]))

def import_again():
    number = 1
    while True:
        store.save(Import(f"{number}", f"{number}", 1, "", [record]))
        os.write(1, f"import {number}\\n".encode())  # in one piece: two threads say something
        number += 1

threading.Thread(target=import_again, daemon=True).start()
number = 0
while True:
    key = store.annotations.add(1, Anchor("session"), "ann", f"note {number}")
    store.annotations.change(key, 1, "bob", f"changed {number}")
    os.write(1, f"note {number}\\n".encode())
    number += 1
"""


def test_a_kill_loses_nothing_that_was_acknowledged(tmp_path: Path) -> None:
    database = tmp_path / "killed.duckdb"
    command = [sys.executable, "-c", KILLED, str(database)]
    writer = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)
    said: dict[str, int] = {"note": -1, "import": 0}
    assert writer.stdout is not None
    for line in writer.stdout:
        kind, number = line.split()
        said[kind] = int(number)
        if said["note"] >= 15 and said["import"] >= 2:
            break
    os.kill(writer.pid, signal.SIGKILL)
    for line in writer.stdout:  # what it had said by then is acknowledged too
        kind, number = line.split()
        said[kind] = int(number)
    writer.wait()
    writer.stdout.close()
    store = Repository.open(database)
    written = texts(store)
    assert written[: said["note"] + 1] == [f"changed {number}" for number in range(said["note"] + 1)]
    assert len(written) <= said["note"] + 2
    files = set(store.imports().file)
    assert files >= {"a", *(str(number) for number in range(1, said["import"] + 1))}
    store.close()
