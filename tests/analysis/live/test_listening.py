"""Listening and stopping: what runs is waited for, then marked, and nothing is lost."""

import json
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from analysis.live.listening import listen
from tests.recorded_traffic import Running, recording
from tests.upstream import Upstream, answer_to

pytestmark = pytest.mark.slow  # processes start, and stop when they have waited

CHAT = "/v1/chat/completions"


def slow(pause: float) -> bytes:
    return json.dumps(
        {"model": "m", "messages": [], "say": "a b", "stream": True, "pieces": 4, "pause": pause}
    ).encode()


def test_any_free_port() -> None:
    with listen("127.0.0.1", 0) as one, listen("127.0.0.1", 0) as other:
        assert one.getsockname()[1] != other.getsockname()[1]
        assert one.proto == socket.IPPROTO_TCP, "asyncio sends small pieces at once only where it knows the protocol"


def test_a_taken_port_says_what_to_do() -> None:
    with listen("127.0.0.1", 0) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(OSError, match="choose another with --port or --host") as error:
            listen("127.0.0.1", port)
    assert error.value.filename == f"127.0.0.1:{port}"


def test_a_host_that_is_none() -> None:
    with pytest.raises(OSError):
        listen("no.such.host.invalid", 0)


def asking(running: Running, sent: bytes, got: list[Any]) -> threading.Thread:
    """A client in a thread that has the beginning of its answer."""
    begun = threading.Event()

    def ask() -> None:
        try:
            with httpx.stream("POST", running.url + CHAT, content=sent, timeout=60) as answer:
                pieces = answer.iter_raw()
                came = next(pieces)
                begun.set()
                got.append(came + b"".join(pieces))
        except httpx.HTTPError as error:
            got.append(error)

    thread = threading.Thread(target=ask)
    thread.start()
    assert begun.wait(30)
    return thread


@pytest.fixture
def got() -> list[Any]:
    return []


def test_what_runs_is_waited_for(tmp_path: Path, got: list[Any]) -> None:
    with Upstream() as upstream, recording(upstream.url, tmp_path / "log.jsonl") as running:
        client = asking(running, slow(0.1), got)
        running.stop()
        client.join()
    assert got == [answer_to(slow(0.1))]
    (line,) = running.lines()
    assert "complete" not in line
    assert running.said == ["waiting up to 10 s for 1 running exchange; Ctrl-C again marks them as cut and stops."]


@pytest.mark.parametrize(
    ("wait_seconds", "at_once"), [(1, False), (60, True)], ids=["it took too long", "Ctrl-C again"]
)
def test_what_does_not_end_is_marked(tmp_path: Path, got: list[Any], wait_seconds: int, at_once: bool) -> None:
    file = tmp_path / "log.jsonl"
    with Upstream() as upstream, recording(upstream.url, file, wait_seconds=wait_seconds) as running:
        client = asking(running, slow(5), got)
        running.stop(at_once)
        client.join()
    assert isinstance(got[0], httpx.HTTPError), "the client sees that it is not all"
    (line,) = running.lines()
    assert line["complete"] is False and line["note"].startswith("the recorder was stopped after ")
    assert answer_to(slow(5)).startswith(line["response_sse"].encode())


SERVE = (
    "import sys; from pathlib import Path; from analysis.live.listening import listen, serve;"
    "from analysis.pipeline.recording import Recording, opened, recorder;"
    "file = opened(Path(sys.argv[2])); socket = listen('127.0.0.1', 0);"
    "print(socket.getsockname()[1], flush=True);"
    "serve(recorder(sys.argv[1], Recording(file, None, print)), socket, lambda line: print(line, flush=True))"
)


@contextmanager
def process(upstream: Upstream, file: Path) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """A recorder in a process of its own, with its address."""
    command = [sys.executable, "-c", SERVE, upstream.url, str(file)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as running:
        assert running.stdout is not None
        yield f"http://127.0.0.1:{running.stdout.readline().strip()}", running
        running.wait(30)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_waits_for_what_runs(tmp_path: Path, number: signal.Signals) -> None:
    file, sent = tmp_path / "log.jsonl", slow(0.2)
    with (
        Upstream() as upstream,
        process(upstream, file) as (url, running),
        httpx.stream("POST", url + CHAT, content=sent, timeout=60) as answer,
    ):
        pieces = answer.iter_raw()
        came = next(pieces)
        running.send_signal(number)
        came += b"".join(pieces)
    (line,) = [json.loads(text) for text in file.read_bytes().splitlines()]
    assert came == answer_to(sent) == line["response_sse"].encode() and "note" not in line


def test_ctrl_c_twice_marks_what_runs(tmp_path: Path) -> None:
    file, sent = tmp_path / "log.jsonl", slow(30)
    with (
        Upstream() as upstream,
        process(upstream, file) as (url, running),
        httpx.stream("POST", url + CHAT, content=sent, timeout=60) as answer,
    ):
        pieces = answer.iter_raw()  # named: a client whose iterator is gone hangs up
        next(pieces)
        running.send_signal(signal.SIGINT)
        assert running.stdout is not None
        assert running.stdout.readline().startswith("waiting up to 10 s for 1 running exchange;")
        running.send_signal(signal.SIGINT)
        assert running.wait(30) == 0
    (line,) = [json.loads(text) for text in file.read_bytes().splitlines()]
    assert line["note"].startswith("the recorder was stopped after ")
    assert answer_to(sent).startswith(line["response_sse"].encode())
