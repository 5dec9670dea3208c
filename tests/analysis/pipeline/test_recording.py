"""A recording: lines are added, salts keep their fingerprint, and what cannot be written is counted and said."""

import errno
import io
import stat
from dataclasses import replace
from pathlib import Path

import pytest

from analysis.live.errors import EndpointError
from analysis.model.exchange import Exchange
from analysis.pipeline.recording import Recording, opened, recorder, salt_fingerprints

ONE = Exchange("/v1/chat/completions", "http://up", b'{"messages": []}', b"{}", False, 200, 1.0, 1.5, 2.0)


class Full(io.BytesIO):
    """A disk without room."""

    name = "log.jsonl"

    def flush(self) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")


def test_every_exchange_is_a_line_at_once(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    with opened(path) as file:
        recording = Recording(file, None, print)
        for number in (1, 2):
            recording.keep(ONE)
            assert path.read_bytes().count(b"\n") == number
        recording.keep(replace(ONE, cut="the client left before the answer began"))
    assert recording.summary() == f"{path}: 3 requests recorded, 1 of them cut short."


def test_a_log_is_added_to(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    path.write_bytes(b'{"a": 1}\n{"b": ')
    with opened(path) as file:
        Recording(file, None, print).keep(ONE)
    assert path.read_bytes().startswith(b'{"a": 1}\n{"b": \n{"ts_start"'), "the broken line stays a line of its own"
    before = path.read_bytes()
    opened(path).close()
    assert path.read_bytes() == before


def test_a_new_log_is_its_owners(tmp_path: Path) -> None:
    opened(tmp_path / "log.jsonl").close()
    assert stat.S_IMODE((tmp_path / "log.jsonl").stat().st_mode) == 0o600


def test_what_cannot_be_written_is_counted_and_said_once() -> None:
    said: list[str] = []
    recording = Recording(Full(), None, said.append)
    recording.keep(ONE)
    recording.keep(ONE)
    assert said == ["log.jsonl: No space left on device: exchanges pass and are not recorded until it can be written."]
    assert recording.summary() == "log.jsonl: 0 requests recorded; 2 could not be written."


def test_fingerprints_stay_the_same_from_one_run_to_the_next(tmp_path: Path) -> None:
    key = tmp_path / "data" / "salt.key"
    first, second = salt_fingerprints(key, print), salt_fingerprints(key, print)
    assert first("a") == second("a") != first("b")
    assert stat.S_IMODE(key.stat().st_mode) == 0o600
    assert salt_fingerprints(tmp_path / "other.key", print)("a") != first("a")


def test_a_key_that_cannot_be_kept_is_of_this_run(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    said: list[str] = []
    one = salt_fingerprints(tmp_path / "file" / "salt.key", said.append)
    other = salt_fingerprints(tmp_path / "file" / "salt.key", said.append)
    assert one("a") == one("a") != other("a")
    assert len(said) == 2 and "only this run makes" in said[0]


def test_a_file_that_is_no_key_is_not_taken_for_one(tmp_path: Path) -> None:
    (tmp_path / "salt.key").write_bytes(b"short")
    with pytest.raises(ValueError, match=r"salt\.key: this is no key of Whymiss"):
        salt_fingerprints(tmp_path / "salt.key", print)


def test_an_address_that_is_none() -> None:
    with pytest.raises(EndpointError, match="is more than the address of a server"):
        recorder("http://localhost:8000/else", Recording(io.BytesIO(), None, print))
