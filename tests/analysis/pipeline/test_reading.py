"""Several files at once give what they give one after the other."""

import json
from pathlib import Path
from typing import Any

import pytest

from analysis.formats.canonical import lines
from analysis.formats.stored import Stored
from analysis.model.session import Log
from analysis.pipeline import reading
from analysis.pipeline.reading import File, Found, read_files
from tests.builders import RECORDED
from tests.format_samples import sample

BATCH = ("openai-batch/input.jsonl", "openai-batch/output.jsonl")


def line(salt: str) -> bytes:
    body = {"model": "m", "cache_salt": salt, "messages": [{"role": "user", "content": "hi"}]}
    return json.dumps({"session_id": salt, "request": body}).encode() + b"\n"


def files() -> list[File]:
    """Logs in memory and on the disk, two halves of a batch, equal salts in two files, and one that is no log."""
    logs: list[File] = [(path.name, Stored(path, path.stat().st_size)) for path in RECORDED[:2]]
    halves: list[File] = [(name, sample(name).read_bytes()) for name in BATCH]
    salted: list[File] = [("a", line("one") + line("two")), ("b", line("two") + line("three"))]
    return [halves[0], logs[0], ("broken", b"\0"), salted[0], halves[1], logs[1], salted[1]]


def shown(found: list[tuple[str, Found]]) -> list[tuple[str, Any]]:
    return [(name, (list(lines([log])), log.problems) if isinstance(log, Log) else str(log)) for name, log in found]


@pytest.fixture
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "PAYS", 0)
    monkeypatch.setattr(reading.os, "cpu_count", lambda: 2)


@pytest.mark.usefixtures("at_once")
def test_the_same_logs_in_the_same_order(monkeypatch: pytest.MonkeyPatch) -> None:
    found = shown(list(read_files(files(), "s")))
    monkeypatch.setattr(reading, "PAYS", 1 << 40)
    assert found == shown(list(read_files(files(), "s")))
    assert [name for name, _log in found][-1] == BATCH[0]


@pytest.mark.usefixtures("at_once")
def test_a_file_is_read_here_where_no_process_starts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading.sys, "executable", "/nonexistent/python")
    (one, other) = read_files([("a", line("one")), ("b", line("two"))], "s")
    assert [log.sessions[0].session_id for _name, log in (one, other) if isinstance(log, Log)] == ["one", "two"]


@pytest.mark.usefixtures("at_once")
def test_a_broken_process_is_no_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "CHILD", "raise SystemExit(3)")
    assert (
        len([log for _name, log in read_files([("a", line("x")), ("b", line("y"))], "s") if isinstance(log, Log)]) == 2
    )


@pytest.mark.parametrize("pays", [0, 1 << 40], ids=["at once", "in turn"])
def test_progress_counts_bytes_over_all_files(monkeypatch: pytest.MonkeyPatch, pays: int) -> None:
    monkeypatch.setattr(reading, "PAYS", pays)
    monkeypatch.setattr(reading, "CHILD", "raise SystemExit(3)")
    said: list[tuple[str, int, int]] = []
    one, other = line("one"), line("another")
    list(read_files([("a", one), ("b", other)], "s", progress=lambda *step: said.append(step)))
    total = len(one) + len(other)
    assert said == [("bytes read, file 1 of 2", len(one), total), ("bytes read, file 2 of 2", total, total)]


@pytest.mark.parametrize("pays", [0, 1 << 40], ids=["at once", "in turn"])
def test_files_that_are_read_together_come_last_and_are_counted_one_by_one(
    monkeypatch: pytest.MonkeyPatch, pays: int
) -> None:
    monkeypatch.setattr(reading, "PAYS", pays)
    monkeypatch.setattr(reading, "CHILD", "raise SystemExit(3)")
    said: list[tuple[str, int, int]] = []
    half, other = (sample(name).read_bytes() for name in BATCH)
    mixed: list[File] = [("in", half), ("a", line("a")), ("out", other), ("b", line("b"))]
    list(read_files(mixed, "s", progress=lambda *step: said.append(step)))
    sizes = [len(data) for data in (line("a"), line("b"), half, other)]
    total = sum(sizes)
    ends = {f"bytes read, file {number} of 4": (sum(sizes[:number]), total) for number in range(1, 5)}
    assert {words: (done, of) for words, done, of in said} == ends
    assert [done for _words, done, _of in said] == sorted(done for _words, done, _of in said)


class Sized(bytes):
    """A file that counts how often its size is asked for."""

    asked = 0

    def __len__(self) -> int:
        Sized.asked += 1
        return super().__len__()


def test_a_size_is_asked_for_as_often_with_many_files_as_with_few() -> None:
    def asked(number: int) -> float:
        Sized.asked = 0
        files = [(f"{index}", Sized(line("a"))) for index in range(number)]
        list(read_files(files, "s", progress=lambda *step: None))
        return Sized.asked / number

    assert asked(40) == asked(4)


def test_one_file_is_not_counted(tmp_path: Path) -> None:
    said: list[tuple[str, int, int]] = []
    list(read_files([("a", line("one"))], "s", progress=lambda *step: said.append(step)))
    assert said == [("bytes read", len(line("one")), len(line("one")))]
