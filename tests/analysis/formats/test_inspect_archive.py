"""The samples of a log, whichever way they are held."""

import json
from typing import Any

import pytest

from analysis.formats.base import Problems
from analysis.formats.inspect_archive import is_archive, is_sample, samples
from analysis.model.session import Problem
from tests.format_samples import packed, sample

ONE: dict[str, Any] = {"id": 1, "epoch": 1, "input": "", "target": "", "events": [], "attachments": {}}


def read(data: bytes) -> tuple[list[Any], tuple[Problem, ...]]:
    problems = Problems("f")
    return list(samples(data, "f", problems)), problems.listed()


def test_members_and_objects_are_the_same_samples() -> None:
    held = json.dumps(ONE).encode()
    archive = packed({"_journal/start.json": b"{}", "samples/1_epoch_1.json": held, "header.json": b"{}"})
    for data in (archive, held, b'{"eval": {}, "samples": [' + held + b", 3]}"):
        assert read(data) == ([ONE], ())


def test_a_sample_in_chunks_is_put_together() -> None:
    """After the chunked layout of inspect_ai/log/_recorders/chunked/format.py."""
    pieces = {
        "sample": {"id": 1, "epoch": 1, "uuid": "u", "input": "", "target": ""},
        "events/2": [{"event": "c"}],
        "events/10": [{"event": "d"}],
        "events/0": [{"event": "a"}, {"event": "b"}],
        "events/stats": {"a": 1},
        "messages/0": ["m0"],
        "calls/0": ["c0"],
        "attachments/0": ["t0", "t1"],
        "skeleton": {},
    }
    members = {f"samples/x/1_epoch_1/{place}.json": json.dumps(value).encode() for place, value in pieces.items()}
    ((found,), problems) = read(packed({"header.json": b"{}", **members, "samples/x/1_epoch_1/calls/1.json": b"["}))
    assert not problems and found["uuid"] == "u"
    assert [event["event"] for event in found["events"]] == ["a", "b", "c", "d"]
    assert found["events_data"] == {"messages": ["m0"], "calls": ["c0"]}
    assert found["attachments"] == {"0": "t0", "1": "t1"}


def test_what_is_no_sample_is_a_problem() -> None:
    found, problems = read(packed({"samples/1_epoch_1.json": b"[]", "samples/2_epoch_1/events/0.json": b"[]"}))
    assert not found and problems[0].message.startswith("samples/1_epoch_1.json is no sample that can be read")
    assert "and 1 more" in problems[0].message


def test_a_log_that_is_cut_off_has_the_samples_that_are_whole() -> None:
    whole = sample("inspect/popularity.eval").read_bytes()
    found, problems = read(whole[: len(whole) // 2])
    assert [one["id"] for one in found] == [one["id"] for one in read(whole)[0]][: len(found)]
    assert 3 <= len(found) < 10 and "the archive is cut off" in problems[0].message


@pytest.mark.parametrize(
    ("name", "ours"),
    [
        ("_journal/start.json", True),
        ("header.json", True),
        ("samples/a b_epoch_12.json", True),
        ("samples/1_epoch_1/sample.json", True),
        ("samples/kick.wav", False),
        ("word/document.xml", False),
    ],
)
def test_an_archive_is_told_by_its_first_member(name: str, ours: bool) -> None:
    assert is_archive(packed({name: b"{}"})) is ours


def test_a_sample_is_told_by_its_fields() -> None:
    assert is_sample(ONE) and not is_sample({"events": [], "input": ""})
