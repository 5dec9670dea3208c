"""A log on the disk reads as its bytes do."""

import hashlib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.formats.base import FormatError, Problems
from analysis.formats.canonical import lines
from analysis.formats.jsontext import records
from analysis.formats.stored import Stored, head_of, whole
from tests.builders import RECORDED, log_of, read_log

ROW = b'{"a": 1}'


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("stored") / "log.jsonl"


def stored(file: Path, data: bytes) -> Stored:
    file.write_bytes(data)
    return Stored(file, len(data))


def read(data: bytes | Stored) -> tuple[list[tuple[int, list[str]]], object]:
    problems = Problems("f")
    return [(line, sorted(fields)) for line, fields in records(data, problems)], problems.listed()


PARTS = [ROW, b"\n", b"\r\n", b"", b" ", b"\0", b"\xef\xbb\xbf", b"[", b"]", b",", b'{"b":\n2}', b'{"c"', b"\x0b", b"x"]


@given(st.lists(st.sampled_from(PARTS), max_size=8).map(b"".join))
def test_any_bytes_give_the_same_records_and_problems(file: Path, data: bytes) -> None:
    assert read(stored(file, data)) == read(data)


@pytest.mark.parametrize("path", RECORDED, ids=lambda path: path.stem)
def test_a_log_gives_the_same_turns(path: Path) -> None:
    there = read_log(Stored(path, path.stat().st_size), path.name, path.name)
    assert list(lines([there])) == list(lines([log_of(path)]))


def test_what_is_written_later_is_not_seen(file: Path) -> None:
    found = stored(file, ROW + b"\n" + ROW + b"\n")
    with file.open("ab") as opened:
        opened.write(ROW + b"\n")
    cut = Stored(file, len(ROW) + 5)
    assert list(found.lines()) == [ROW + b"\n"] * 2 and whole(found) == (ROW + b"\n") * 2
    assert list(cut.lines()) == [ROW + b"\n", ROW[:4]]


def test_head_and_fingerprint(file: Path) -> None:
    found = stored(file, b"0123456789")
    assert (head_of(found, 4), head_of(b"0123", 2), found.head(99), len(found)) == (b"0123", b"01", b"0123456789", 10)
    assert found.sha256() == found.sha256(10) == hashlib.sha256(b"0123456789").hexdigest()
    assert found.sha256(3) == hashlib.sha256(b"012").hexdigest()


@pytest.mark.parametrize(
    ("data", "said"),
    [(b"\n \n", "the file is empty"), (b"\x00\xff", "binary data"), (b'{"a": 1}', "text, and no log")],
)
def test_what_is_no_log_is_refused(file: Path, data: bytes, said: str) -> None:
    with pytest.raises(FormatError, match=said):
        read_log(stored(file, data), "f", "f")


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_other_encodings_are_read_as_they_would_be_from_memory(file: Path, encoding: str) -> None:
    text = RECORDED[0].read_text("utf-8")
    (session,) = read_log(stored(file, text.encode(encoding)), "f", "f").sessions
    assert len(session.turns) == len(log_of(RECORDED[0]).sessions[0].turns)
