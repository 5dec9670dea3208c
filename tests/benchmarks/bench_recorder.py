"""What the recorder adds to a request, in milliseconds: the server, the recorder and the client each in a process.

Printed, not asserted: it is the machine's speed as much as the recorder's.
"""

import asyncio
import json
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

SERVER = (
    "import sys, time; from tests.upstream import Upstream;"
    "upstream = Upstream(); upstream.__enter__(); print(upstream.url, flush=True); sys.stdin.read()"
)
RECORDER = (
    "import sys; from pathlib import Path; from analysis.live.listening import listen, serve;"
    "from analysis.pipeline.recording import Recording, opened, recorder;"
    "file = opened(Path(sys.argv[2])); socket = listen('127.0.0.1', 0);"
    "print(f'http://127.0.0.1:{socket.getsockname()[1]}', flush=True);"
    "serve(recorder(sys.argv[1], Recording(file, None, print)), socket, print)"
)
CHAT = "/v1/chat/completions"


@contextmanager
def process(code: str, *arguments: str) -> Iterator[str]:
    """A process that says its address first."""
    command = [sys.executable, "-c", code, *arguments]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as running:
        assert running.stdout is not None
        yield running.stdout.readline().strip()
        running.terminate()


def body(stream: bool, pieces: int) -> bytes:
    messages = [{"role": "user", "content": "word " * 4000}]
    fields = {"model": "m", "messages": messages, "say": "word " * 100, "stream": stream, "pieces": pieces}
    return json.dumps(fields).encode()


def one_by_one(url: str, sent: bytes, number: int) -> tuple[float, float]:
    """Median milliseconds to the first byte of an answer, and to its end."""
    first, whole = [], []
    with httpx.Client(timeout=60) as client:
        for _ in range(number):
            start = time.perf_counter()
            with client.stream("POST", url + CHAT, content=sent) as answer:
                pieces = answer.iter_raw()
                next(pieces)
                first.append(1000 * (time.perf_counter() - start))
                for _piece in pieces:
                    pass
            whole.append(1000 * (time.perf_counter() - start))
    return statistics.median(first), statistics.median(whole)


async def at_once(url: str, sent: bytes, number: int, width: int) -> float:
    """Milliseconds per request, that many at once."""
    gate = asyncio.Semaphore(width)
    async with httpx.AsyncClient(timeout=60, limits=httpx.Limits(max_connections=width)) as client:

        async def ask() -> None:
            async with gate:
                await client.post(url + CHAT, content=sent)

        start = time.perf_counter()
        await asyncio.gather(*(ask() for _ in range(number)))
    return 1000 * (time.perf_counter() - start) / number


@pytest.mark.benchmark
def test_added_milliseconds(tmp_path: Path) -> None:
    with process(SERVER) as server, process(RECORDER, server, str(tmp_path / "log.jsonl")) as recorder:
        for kind, sent in (("whole", body(False, 1)), ("a stream of 20 pieces", body(True, 20))):
            one_by_one(recorder, sent, 20)
            rounds = [(one_by_one(server, sent, 100), one_by_one(recorder, sent, 100)) for _ in range(3)]
            direct, through = min(rounds, key=lambda pair: pair[1])
            for what, before, after in zip(("first byte", "end"), direct, through, strict=True):
                print(f"\n{kind}, {what}: {before:.1f} ms directly, {after:.1f} recorded, {after - before:.1f} added")
        for name, url in (("directly", server), ("recorded", recorder)):
            spent = asyncio.run(at_once(url, body(True, 20), 500, 50))
            print(f"50 streams at once, {name}: {spent:.1f} ms per request")
    assert (tmp_path / "log.jsonl").stat().st_size > 0
