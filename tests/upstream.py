"""A model's server in a thread of its own: it answers as it is told in the request, streams in pieces, and breaks off.

``say`` in the body is the text that comes back, ``stream`` makes it events.  ``pieces`` cuts the bytes of the answer
into that many writes, ``pause`` is between them; ``broken`` hangs up after that many bytes of the body.
"""

import asyncio
import json
import threading
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Self

NO_ANSWER = -1


@dataclass
class Seen:
    """One request as it came in, and whether its client stayed to the end."""

    method: str
    target: str
    headers: list[tuple[str, str]]
    body: bytes
    finished: bool = False

    def header(self, name: str) -> str | None:
        return next((value for known, value in self.headers if known.lower() == name), None)


def events(text: str, usage: bool, ids: bool) -> bytes:
    """A stream as vLLM 0.32 writes it: ids and usage only where they were asked for."""
    head = {"id": "c1", "object": "chat.completion.chunk", "model": "m"}
    made = []
    for index, word in enumerate(text.split(" ")):
        choice = {
            "index": 0,
            "delta": {"content": word},
            "finish_reason": None,
            "token_ids": [index, 7] if ids else None,
        }
        chunk: dict[str, Any] = {**head, "choices": [choice]}
        if index == 0:
            chunk["prompt_token_ids"] = [1, 2, 3] if ids else None
        made.append(chunk)
    if usage:
        made.append({**head, "choices": [], "usage": {"prompt_tokens": 3, "completion_tokens": len(made)}})
    lines = [json.dumps(chunk, ensure_ascii=False, separators=(",", ":")) for chunk in made]
    return "".join(f"data: {line}\n\n" for line in [*lines, "[DONE]"]).encode()


def whole(text: str, ids: bool) -> bytes:
    """An answer in one piece."""
    choice = {"index": 0, "message": {"role": "assistant", "content": text}, "token_ids": [4, 5] if ids else None}
    usage = {"prompt_tokens": 3, "completion_tokens": 2, "prompt_tokens_details": {"cached_tokens": 0}}
    body = {
        "id": "c1",
        "model": "m",
        "choices": [choice],
        "usage": usage,
        "prompt_token_ids": [1, 2, 3] if ids else None,
    }
    return json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode()


def answer_to(body: bytes) -> bytes:
    """The bytes that this request gets, were it asked directly."""
    asked = json.loads(body)
    text, ids = asked.get("say", "hello"), bool(asked.get("return_token_ids"))
    if asked.get("stream"):
        return events(text, bool((asked.get("stream_options") or {}).get("include_usage")), ids)
    return whole(text, ids)


@dataclass
class Upstream:
    """The server; a context manager.  ``seen`` lists what came in, ``canned`` answers by target before all else."""

    canned: dict[str, bytes] = field(default_factory=dict)
    seen: list[Seen] = field(default_factory=list)
    url: str = ""

    def __enter__(self) -> Self:
        started = threading.Event()
        self._thread = threading.Thread(target=lambda: asyncio.run(self._serve(started)), daemon=True)
        self._thread.start()
        assert started.wait(10)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._loop.call_soon_threadsafe(self._stopped.set)
        self._thread.join(10)

    async def _serve(self, started: threading.Event) -> None:
        self._loop, self._stopped = asyncio.get_running_loop(), asyncio.Event()
        server = await asyncio.start_server(self._connection, "127.0.0.1", 0, backlog=500)
        self.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        started.set()
        await self._stopped.wait()
        server.close()

    async def _connection(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while (request := await _request(reader)) is not None:
                self.seen.append(request)
                if not await self._answer(request, reader, writer):
                    break
                request.finished = True
        except (OSError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass  # the client left, which is what some tests are about; or the test is over
        finally:
            writer.close()

    async def _answer(self, request: Seen, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        if request.target in self.canned:
            writer.write(self.canned[request.target])
            await writer.drain()
            return True
        if not request.body:
            writer.write(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nX-Kept: yes\r\n\r\n")
            return True
        asked = json.loads(request.body)
        body, broken = answer_to(request.body), asked.get("broken")
        if broken == NO_ANSWER:
            return False
        chunked = bool(asked.get("stream"))
        length = "Transfer-Encoding: chunked" if chunked else f"Content-Length: {len(body)}"
        kind = "text/event-stream; charset=utf-8" if chunked else "application/json"
        writer.write(f"HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\n{length}\r\n\r\n".encode())
        for piece in _pieces(body if broken is None else body[:broken], asked.get("pieces", 1)):
            if reader.at_eof():
                return False
            writer.write(b"%x\r\n%b\r\n" % (len(piece), piece) if chunked else piece)
            await writer.drain()
            await asyncio.sleep(asked.get("pause", 0))
        if broken is not None:
            return False
        writer.write(b"0\r\n\r\n" if chunked else b"")
        await writer.drain()
        return True


async def _request(reader: asyncio.StreamReader) -> Seen | None:
    head = await reader.readuntil(b"\r\n\r\n") if not reader.at_eof() else b""
    if not head:
        return None
    first, *rest = head.decode("latin-1").split("\r\n")[:-2]
    headers = [(name, value.strip()) for name, _, value in (line.partition(":") for line in rest)]
    method, target, _version = first.split(" ")
    seen = Seen(method, target, headers, b"")
    seen.body = await reader.readexactly(int(seen.header("content-length") or 0))
    return seen


def _pieces(body: bytes, number: int) -> list[bytes]:
    size = max(1, -(-len(body) // number))
    return [body[start : start + size] for start in range(0, len(body), size)]
