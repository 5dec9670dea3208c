"""HAR 1.2 (made after the specification at w3c.github.io/web-performance): several APIs in one file."""

import json
import random
from typing import Any

import pytest

from analysis.formats import har
from analysis.formats.base import FormatError
from tests.format_samples import counts, log_of_sample, mutated, sample, turns

SAMPLE = "har/several_apis.har"


def test_every_call_is_read_by_its_api() -> None:
    log = log_of_sample(SAMPLE)
    assert [(session.session_id, session.log_format, session.inferred) for session in log.sessions] == [
        ("tab-1", "har", False),
        ("inferred-0001", "har", True),
        ("resp_1", "har", False),
    ]
    assert [turn.request_id for turn in turns(log)] == ["chatcmpl-1", "chatcmpl-2", "msg_1", "resp_1", "resp_2"]
    assert counts(log) == [(40, 0), (58, 32), (24, 16), (20, 16), (30, 16)]
    assert [(one.line, one.message) for one in log.problems] == [
        (9, "the call failed (status 429) and counts as no turn."),
        (None, "3 of 9 requests are no calls to a model and were passed over."),
    ]


def test_times_are_those_of_the_entry() -> None:
    first = next(turns(log_of_sample(SAMPLE)))
    assert (first.started_at, first.first_token_at, first.ended_at) == (1796032801.5, 1796032801.6, 1796032802.7005)
    assert (first.line, first.replica) == (2, "http://localhost:8000")


def parse(entry: object) -> Any:
    return har.read(json.dumps({"log": {"entries": [entry]}}).encode(), "f", "s")


ENTRY: dict[str, Any] = {
    "startedDateTime": "2026-11-30T10:00:00Z",
    "time": -1,
    "request": {
        "method": "POST",
        "url": "http://h/v1/chat/completions",
        "postData": {"text": '{"model": "m", "messages": [{"role": "user", "content": "a"}]}'},
    },
    "response": {"status": 200, "content": {}},
}


@pytest.mark.parametrize(
    ("response", "note"),
    [
        pytest.param({"status": 200, "content": {}}, "the capture holds no body of the answer", id="no text"),
        pytest.param({"status": 0}, "the capture holds no body of the answer", id="broken off"),
        pytest.param({"status": 200, "content": {"text": "!", "encoding": "base64"}}, None, id="no base64"),
    ],
)
def test_a_call_without_a_body_of_its_answer_is_a_turn(response: object, note: str | None) -> None:
    (turn,) = turns(parse({**ENTRY, "response": response}))
    assert (turn.ended_at, turn.first_token_at, turn.reply) == (None, None, None)
    assert note is None or turn.note == note


@pytest.mark.parametrize("data", [b'{"log": {"entries": [', b'{"log": {}}', b"[]"])
def test_a_broken_file_is_refused(data: bytes) -> None:
    with pytest.raises(FormatError, match=r"^f: no HAR file that is whole\."):
        har.read(data, "f", "s")


def test_a_file_without_calls_is_refused() -> None:
    with pytest.raises(FormatError, match=r"^f: no call to a model in it: of 0 requests"):
        parse(7)


def test_sniff() -> None:
    assert har.sniff(sample(SAMPLE).read_bytes()[:700]), "the head of a long file"
    assert not har.sniff(b'{"log": {"events": []}}') and not har.sniff(b'{"a": {"log": {"entries": []}}}')


@pytest.mark.parametrize("seed", range(60))
def test_whatever_stands_in_the_fields(seed: int) -> None:
    broken = mutated(json.loads(sample(SAMPLE).read_text("utf-8")), random.Random(seed))
    try:
        har.read(json.dumps(broken).encode(), "f", "s")
    except FormatError:
        return
