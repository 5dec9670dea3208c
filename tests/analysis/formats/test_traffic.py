"""Captured traffic: what of it is a call, and what of a call is kept."""

import gzip
from typing import Any

import pytest

from analysis.formats import traffic, wrapper
from analysis.formats.base import FormatError, Problems
from analysis.formats.pairs import Pairs
from analysis.formats.traffic import Seen, Traffic

BODY = b'{"model": "m", "messages": [{"role": "user", "content": "a"}]}'
ANSWER = b'{"id": "c1", "choices": [{"message": {"role": "assistant", "content": "b"}}]}'
URL = "https://user:secret@host:8000/v1/chat/completions?key=secret"
HEADERS = {"Authorization": "Bearer secret", "X-Session-Id": "s", "X-Data-Parallel-Rank": "1", "Cookie": "secret"}


def seen(url: str = URL, method: str = "POST", request: bytes = BODY, answer: bytes | None = ANSWER) -> Seen:
    return Seen(method, url, request, answer, 200, HEADERS, 1.0, 1.5, 2.0)


def test_of_a_call_its_body_answer_times_and_session_are_kept() -> None:
    found = traffic.record(seen())
    assert {name: wrapper.value(found, (name,)) for name in found if name not in ("request", "response")} == {
        "session_id": "s",
        "ts_start": 1.0,
        "ts_first_token": 1.5,
        "ts_end": 2.0,
        "path": "/v1/chat/completions",
        "status": 200,
        "server": {"base": "https://host:8000", "dp_rank": "1"},
    }
    assert (bytes(found["request"]), bytes(found["response"])) == (BODY, ANSWER)
    assert b"secret" not in b"".join(bytes(raw) for raw in found.values())


@pytest.mark.parametrize(
    ("answer", "name"),
    [
        (b"data: {}\n\n", "response_sse"),
        (b": waiting\n\ndata: {}\n\n", "response_sse"),
        (b"event: message_start\ndata: {}\n\n", "response_sse"),
        (b"{}", "response"),
    ],
)
def test_a_stream_is_told_by_how_it_begins(answer: bytes, name: str) -> None:
    assert name in traffic.record(seen(answer=answer))


def test_an_answer_that_was_not_captured_is_said() -> None:
    found = traffic.record(seen(answer=None))
    assert wrapper.value(found, ("note",)) == "the capture holds no body of the answer" and "response" not in found


@pytest.mark.parametrize(
    ("one", "is_call"),
    [
        pytest.param(seen(), True, id="a chat"),
        pytest.param(seen("/v1/messages/"), True, id="a path alone"),
        pytest.param(seen("http://[bad/v1/responses", request=b'{"model": "m", "input": "a"}'), True, id="a bad host"),
        pytest.param(seen("http://h/tokenize"), False, id="tokenize"),
        pytest.param(seen("http://h/v1/messages/count_tokens"), False, id="a count of tokens"),
        pytest.param(seen(method="GET"), False, id="a GET"),
        pytest.param(seen(request=b" "), False, id="no body"),
        pytest.param(seen(request=b"{"), False, id="a broken body"),
    ],
)
def test_what_is_a_call(one: Seen, is_call: bool) -> None:
    problems = Problems("f")
    found = Traffic(problems, Pairs(problems))
    found.take(1, one)
    assert (found.num_seen, found.num_calls) == (1, is_call)


def test_other_traffic_is_counted_and_a_capture_without_calls_refused() -> None:
    problems = Problems("f")
    found = Traffic(problems, Pairs(problems))
    found.take(1, seen("http://h/"))
    with pytest.raises(FormatError, match=r"^f: no call to a model in it: of 1 requests none .* Whymiss reads X\.$"):
        found.log("f", "s", "har", "X")
    found.take(2, seen())
    log = found.log("f", "s", "har", "X")
    assert [(turn.line, turn.request_id) for turn in log.sessions[0].turns] == [(2, "c1")]
    assert (log.sessions[0].log_format, log.problems[-1].message) == (
        "har",
        "1 of 2 requests are no calls to a model and were passed over.",
    )


@pytest.mark.parametrize(
    ("body", "plain"),
    [
        pytest.param(gzip.compress(b"a"), b"a", id="compressed"),
        pytest.param(b"a", b"a", id="plain"),
        pytest.param(b"\x1f\x8bno", b"\x1f\x8bno", id="damaged"),
    ],
)
def test_compressed_bodies(body: bytes, plain: bytes) -> None:
    assert traffic.inflated(body) == plain


@pytest.mark.parametrize(
    ("text", "is_base64", "body"),
    [("a€", False, b"a\xe2\x82\xac"), ("aGk=", True, b"hi"), ("a", True, None), ("", False, None), (7, False, None)],
)
def test_bodies_that_were_written_as_text(text: Any, is_base64: bool, body: bytes | None) -> None:
    assert traffic.body(text, is_base64) == body


@pytest.mark.parametrize(
    "headers", [{"A": "b", "c": 1}, {"A": ["b", "z"], "c": []}, [{"name": "A", "value": "b"}, {"name": "c"}, 7]]
)
def test_headers_by_name(headers: object) -> None:
    assert traffic.named(headers) == {"A": "b"}  # type: ignore[arg-type]
