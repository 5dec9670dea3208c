"""The recorder in front of a real server on a real socket: what clients see, what the server gets, what is kept."""

import json
import socket
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.recorded_traffic import Running, recording
from tests.upstream import NO_ANSWER, Upstream, answer_to

CHAT = "/v1/chat/completions"
MESSAGES = [{"role": "user", "content": "hi"}]


@pytest.fixture
def upstream() -> Iterator[Upstream]:
    with Upstream() as running:
        yield running


@pytest.fixture
def running(upstream: Upstream, tmp_path: Path) -> Iterator[Running]:
    with recording(upstream.url, tmp_path / "log.jsonl") as found:
        yield found


def body(**fields: Any) -> bytes:
    return json.dumps({"model": "m", "messages": MESSAGES, "say": "one two three", **fields}).encode()


def until(true: Callable[[], object]) -> None:
    """Wait for what another thread does."""
    for _ in range(1000):
        if true():
            return
        time.sleep(0.01)
    raise AssertionError("it never came")


def lines(running: Running, number: int = 1) -> list[dict[str, Any]]:
    until(lambda: len(running.lines()) >= number)
    return running.lines()


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "streamed"])
@pytest.mark.parametrize("path", [CHAT, "/v1/completions", "/v1/responses", "/v1/messages"])
def test_an_exchange_passes_and_is_kept_byte_for_byte(
    upstream: Upstream, running: Running, path: str, stream: bool
) -> None:
    sent = body(stream=stream, pieces=5)
    answer = httpx.post(running.url + path, content=sent)
    direct = httpx.post(upstream.url + path, content=sent)
    assert answer.content == direct.content == answer_to(sent)
    assert (answer.status_code, answer.headers) == (direct.status_code, direct.headers)
    assert upstream.seen[0].body == sent and upstream.seen[0].target == path
    (line,) = lines(running)
    assert line["request"] == json.loads(sent) and line["path"] == path and line["status"] == 200
    kept = line["response_sse"].encode() if stream else json.dumps(line["response"], separators=(",", ":")).encode()
    assert kept == answer_to(sent)
    assert line["ts_start"] <= line["ts_first_token"] <= line["ts_end"]


def test_a_stream_passes_as_it_comes(running: Running) -> None:
    sent = body(stream=True, pieces=4, pause=0.05)
    with httpx.stream("POST", running.url + CHAT, content=sent) as answer:
        pieces = list(answer.iter_raw())
    assert b"".join(pieces) == answer_to(sent) and len(pieces) >= 3, "not all of it at the end"


@pytest.mark.parametrize(
    ("method", "target"),
    [("GET", "/v1/models"), ("GET", "/metrics?x=1&y=%2F"), ("POST", "/tokenize"), ("GET", CHAT), ("DELETE", "/a%20b")],
)
def test_everything_else_passes_untouched_and_unrecorded(
    upstream: Upstream, running: Running, method: str, target: str
) -> None:
    answer = httpx.request(method, running.url + target, headers={"X-Any": "1", "Accept-Encoding": "gzip"})
    assert (answer.status_code, answer.headers["x-kept"], answer.content) == (404, "yes", b"")
    (seen,) = upstream.seen
    assert (seen.method, seen.target, seen.header("x-any"), seen.header("accept-encoding")) == (
        method,
        target,
        "1",
        "gzip",
    )
    running.stop()
    assert running.lines() == []


def test_credentials_pass_and_are_never_written(upstream: Upstream, running: Running) -> None:
    secrets = {"Authorization": "Bearer sk-1", "Cookie": "id=sk-2", "X-Api-Key": "sk-3", "Api-Key": "sk-4"}
    kept = {"X-Session-ID": "s1", "X-Request-Id": "r1", "X-data-parallel-rank": "3", "User-Agent": "agent/1"}
    httpx.post(running.url + CHAT + "?key=sk-5", content=body(cache_salt="sk-6"), headers=secrets | kept)
    (line,) = lines(running)
    assert "sk-" not in running.file.read_text()
    assert (line["session_id"], line["request_id"], line["client"]) == ("s1", "r1", "agent/1")
    assert line["server"] == {"base": upstream.url, "dp_rank": "3"}
    (seen,) = upstream.seen
    assert [seen.header(name.lower()) for name in secrets] == list(secrets.values())
    assert json.loads(seen.body)["cache_salt"] == "sk-6", "the server gets the salt itself"


def test_a_server_that_is_down_is_a_502_that_says_so(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        nobody = f"http://127.0.0.1:{taken.getsockname()[1]}"
        with recording(nobody, tmp_path / "log.jsonl") as running:
            answer = httpx.post(running.url + CHAT, content=body())
            assert answer.status_code == 502
            error = answer.json()["error"]
            assert error["message"].startswith(f"{nobody} refused the connection") and error["code"] == 502
            (line,) = lines(running)
    assert line["status"] == 502 and line["response"] == answer.json() and "complete" not in line


def test_a_server_that_hangs_up_before_it_answers_is_a_502(running: Running) -> None:
    answer = httpx.post(running.url + CHAT, content=body(broken=NO_ANSWER))
    assert answer.status_code == 502
    assert lines(running)[0]["status"] == 502


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "streamed"])
def test_a_server_that_breaks_off_breaks_off_for_the_client_too(running: Running, stream: bool) -> None:
    sent = body(stream=stream, broken=40, pieces=2)
    with (
        pytest.raises(httpx.RemoteProtocolError),
        httpx.stream("POST", running.url + CHAT, content=sent) as answer,
    ):
        came = b""
        for piece in answer.iter_raw():
            came += piece
    assert came == answer_to(sent)[:40]
    (line,) = lines(running)
    assert line["complete"] is False
    assert line["note"] == "the server broke off after 40 bytes of the answer"
    assert (line.get("response_sse") or line["response"]).encode() == answer_to(sent)[:40]


def test_a_client_that_leaves_ends_the_request(upstream: Upstream, running: Running) -> None:
    sent = body(stream=True, pieces=100, pause=0.02, say="word " * 100)
    with httpx.stream("POST", running.url + CHAT, content=sent) as answer:
        first = next(answer.iter_raw())
    (line,) = lines(running)
    assert line["complete"] is False and line["note"].startswith("the client left after ")
    kept = line["response_sse"].encode()
    assert kept.startswith(first) and answer_to(sent).startswith(kept) and len(kept) < len(answer_to(sent)) / 2
    assert not upstream.seen[0].finished, "the server is told, and computes no more"


def test_a_client_that_leaves_before_the_answer(upstream: Upstream, running: Running) -> None:
    upstream.canned[CHAT] = b""
    with pytest.raises(httpx.ReadTimeout):
        httpx.post(running.url + CHAT, content=body(), timeout=0.2)
    (line,) = lines(running)
    assert line["note"] == "the client left before the answer began" and "status" not in line


def test_a_client_that_has_read_the_last_event_may_leave(upstream: Upstream, running: Running) -> None:
    """SDKs hang up at [DONE]; the end of the connection may come later."""
    event = b"data: [DONE]\n\n"
    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
    upstream.canned[CHAT] = head + b"%x\r\n%b\r\n" % (len(event), event)
    with httpx.stream("POST", running.url + CHAT, content=body(stream=True)) as answer:
        assert next(answer.iter_raw()) == event
    (line,) = lines(running)
    assert "complete" not in line and line["response_sse"] == "data: [DONE]\n\n"


def test_additions_are_in_the_log_and_not_at_the_client(upstream: Upstream, tmp_path: Path) -> None:
    sent = body(stream=True, pieces=9)
    with recording(upstream.url, tmp_path / "log.jsonl", add_ids=True, add_usage=True) as running:
        whole = httpx.post(running.url + CHAT, content=body())
        streamed = httpx.post(running.url + CHAT, content=sent)
        one, other = lines(running, 2)
    assert (whole.content, streamed.content) == (answer_to(body()), answer_to(sent))
    assert one["response"]["prompt_token_ids"] == [1, 2, 3] and one["request"] == json.loads(body())
    assert '"prompt_token_ids":[1,2,3]' in other["response_sse"] and '"usage":{' in other["response_sse"]
    assert json.loads(upstream.seen[1].body)["stream_options"] == {"include_usage": True}
