"""Cassettes: recorded by VCR.py and nock, and made after their documentation (vcrpy.readthedocs.io, nock's README)."""

import json
import random
from typing import Any

import pytest

from analysis.formats import cassette
from analysis.formats.base import FormatError
from tests.builders import read_log
from tests.format_samples import counts, log_of_sample, mutated, sample, turns

BODY = {"model": "m", "messages": [{"role": "user", "content": "a"}]}
ANSWER = {"id": "c1", "choices": [{"message": {"role": "assistant", "content": "b"}}], "usage": {"prompt_tokens": 3}}
URI = "http://h/v1/chat/completions"
OK = {"code": 200, "message": "OK"}


@pytest.mark.parametrize(
    ("name", "expected", "model"),
    [
        ("prompt_caching.yaml", [(1171, 0), (1171, 1167)], "claude-3-5-sonnet-20240620"),
        ("nock_chat.json", [(17, 0)], "deepseek/deepseek-v4-pro"),
        ("nock_responses.json", [(23, 0)], "gpt-5.4"),
        ("gzip.json", [(58, 32)], "m"),
        ("parsed_body.yaml", [(40, 32)], "m"),
    ],
)
def test_counts_of_the_samples(name: str, expected: list[tuple[int, int]], model: str) -> None:
    log = log_of_sample(f"cassette/{name}")
    assert counts(log) == expected
    assert {turn.request.model for turn in turns(log)} == {model}
    assert {session.log_format for session in log.sessions} == {"cassette"}


def test_what_two_halves_say() -> None:
    log = log_of_sample("cassette/parsed_body.yaml")
    (turn,) = turns(log)
    assert (log.sessions[0].session_id, turn.replica, turn.started_at) == ("run-7", "http://localhost:8000", None)
    assert turn.reply == {"content": "4", "role": "assistant"}, "a quoted number stays a text"
    assert [one.message for one in log_of_sample("cassette/gzip.json").problems] == [
        "1 of 2 requests are no calls to a model and were passed over."
    ]


def parse(*interactions: object) -> Any:
    return cassette.read(json.dumps({"interactions": interactions}).encode(), "f", "s")


REQUEST = {"method": "POST", "uri": URI, "body": json.dumps(BODY)}
SHAPES: dict[str, Any] = {
    "VCR.py": {"request": REQUEST, "response": {"status": OK, "body": {"string": json.dumps(ANSWER)}}},
    "VCR.py of httpx": {"request": REQUEST, "response": {"status_code": 200, "content": json.dumps(ANSWER)}},
    "VCR of Ruby": {
        "request": {**REQUEST, "body": {"encoding": "UTF-8", "string": json.dumps(BODY)}, "method": "post"},
        "response": {"status": OK, "body": {"encoding": "UTF-8", "string": json.dumps(ANSWER)}},
    },
    "nock": {"scope": "http://h", "path": URI[8:], "method": "POST", "body": BODY, "status": 200, "response": ANSWER},
    "nock with hexadecimal pieces": {
        **{"scope": "http://h", "path": URI[8:], "method": "POST", "requestBody": json.dumps(BODY), "status": 200},
        "response": [json.dumps(ANSWER).encode().hex()[:8], json.dumps(ANSWER).encode().hex()[8:]],
    },
}


@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
def test_shapes_of_an_interaction(shape: object) -> None:
    (turn,) = turns(parse(shape))
    assert (turn.request_id, turn.request.messages[0]["content"], turn.usage.prompt_tokens) == ("c1", "a", 3)


@pytest.mark.parametrize(
    ("broken", "message"),
    [
        ({"request": REQUEST}, "left out: no status of a response. Was the recording cut off?"),
        (7, "left out: an interaction that is no mapping."),
    ],
)
def test_what_is_no_interaction_is_a_problem(broken: object, message: str) -> None:
    log = parse(SHAPES["VCR.py"], broken)
    assert [(one.line, one.message) for one in log.problems] == [(2, message)] and len(list(turns(log))) == 1


def test_a_yaml_that_breaks_off_gives_what_is_whole() -> None:
    whole = sample("cassette/prompt_caching.yaml").read_bytes()
    log = read_log(whole[: len(whole) * 3 // 4], "f.yaml", "s")
    assert counts(log) == [(1171, 0)]
    assert log.problems[0].message.startswith("the file breaks off or is damaged, line ")


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b'{"interactions": [', "no JSON that is whole"),
        (b"interactions:\n" + b"- " * 100 + b"request: a", "YAML that is not read: nested more than 64 deep"),
        (b"interactions: []\n", "no call to a model in it: of 0 requests"),
        (b"a: 1\n", "no call to a model in it: of 0 requests"),
    ],
)
def test_what_is_refused(data: bytes, message: str) -> None:
    with pytest.raises(FormatError, match=f"^f: {message}"):
        cassette.read(data, "f", "s")


@pytest.mark.parametrize(
    ("head", "is_ours"),
    [
        (b"---\nhttp_interactions:\n- request:\n    method: post", True),
        (b'{"version": 1, "interactions": [{"request": {}}]}', True),
        (b"  interactions:\n  - request:", False),
        (b'{"interactions": [{"user": 1}]}', False),
        (b'[{"scope": "http://h", "method": "POST", "path": "/"}]', False),
    ],
)
def test_sniff(head: bytes, is_ours: bool) -> None:
    assert cassette.sniff(head) is is_ours


@pytest.mark.parametrize("seed", range(60))
def test_whatever_stands_in_the_fields(seed: int) -> None:
    broken = mutated({"interactions": list(SHAPES.values()) * 3}, random.Random(seed))
    try:
        cassette.read(json.dumps(broken).encode(), "f", "s")
    except FormatError:
        return
