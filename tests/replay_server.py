"""A server on a real socket that answers as a vLLM server was recorded to answer.

A request is known by method, path with query, and JSON-equal body; what only steers sampling may differ, since it does
not reach the prompt.  Everything else gets vLLM's own 404 and 405.  Not a model of vLLM: it knows what was recorded,
what the test hands it, and a few ways to misbehave.
"""

import json
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import TracebackType
from typing import Any, Literal, Self

from analysis.model.session import Request

RECORDED = Path(__file__).parent / "data" / "http"
SAMPLING_ONLY = ("max_tokens", "temperature", "return_prompt_text")

Garbage = Literal["html", "truncated", "wrong-shape", "500", "empty", "not-http"]
Detokenize = Callable[[list[int]], str]
Tokenize = Callable[[str], tuple[list[int], list[str]]]


@dataclass(frozen=True)
class Reply:
    """One answer, byte for byte."""

    status: int
    body: bytes
    content_type: str = "application/json"
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Exchange:
    """One recorded request with its answer; ``sent`` is the parsed body, or the raw bytes where it is no JSON."""

    name: str
    method: str
    path: str
    sent: Any
    reply: Reply


@dataclass(frozen=True)
class Seen:
    """One request as it came in."""

    method: str
    path: str
    body: Any
    headers: Mapping[str, str]


NOT_FOUND = Reply(404, b'{"detail":"Not Found"}')
WRONG_METHOD = Reply(405, b'{"detail":"Method Not Allowed"}')
GARBAGE: dict[Garbage, Reply] = {
    "html": Reply(200, b"<html><head><title>Welcome to nginx!</title></head></html>\n", "text/html"),
    "truncated": Reply(200, b'{"object":"list","data":[{"id":"qwen'),
    "wrong-shape": Reply(
        200, b'{"data":{"id":7},"token_ids":["a"],"tokens":[1.5],"count":1,"prompt":9,"success":"yes"}'
    ),
    "500": Reply(500, b"Traceback (most recent call last):\n  File \x1b[31mx\x1b[0m\nKeyError\n", "text/plain"),
    "empty": Reply(200, b""),
}


def exchanges(server: str) -> list[Exchange]:
    """Return everything that was recorded from one server, by name."""
    folder = RECORDED / server
    return [_exchange(folder, meta) for meta in sorted(folder.glob("*.meta.json"))]


def exchange(server: str, name: str) -> Exchange:
    """Return one recorded exchange."""
    return _exchange(RECORDED / server, RECORDED / server / f"{name}.meta.json")


def request_of(body: dict[str, Any]) -> Request:
    """Return the request that a log reader makes of a recorded body."""
    return Request(
        kind="chat" if "messages" in body else "completion",
        model=body.get("model", ""),
        messages=tuple(body.get("messages", ())),
        tools=tuple(body.get("tools", ())),
        prompt=body.get("prompt"),
        template_kwargs=body.get("chat_template_kwargs", {}),
        add_generation_prompt=body.get("add_generation_prompt", True),
        continue_final_message=body.get("continue_final_message", False),
        salt="5a17" if "cache_salt" in body else None,
    )


class ReplayServer:
    """Replays one recorded server, or none; a context manager.

    ``detokenize`` and ``tokenize`` answer what was not recorded of these routes.  ``canned`` answers by path before
    anything else.  ``delay`` is in seconds per answer.  ``seen`` lists the requests that came in.
    """

    def __init__(
        self,
        server: str | None = None,
        *,
        detokenize: Detokenize | None = None,
        tokenize: Tokenize | None = None,
        canned: Mapping[str, Reply] | None = None,
        delay: float = 0.0,
        garbage: Garbage | None = None,
    ) -> None:
        """Bind an ephemeral port of this machine; answers begin with the ``with`` block."""
        self.recorded = exchanges(server) if server else []
        self.detokenize = detokenize
        self.tokenize = tokenize
        self.canned = dict(canned or {})
        self.delay = delay
        self.garbage = garbage
        self.seen: list[Seen] = []
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._server.daemon_threads = True
        self._server.block_on_close = False
        self.url = f"http://127.0.0.1:{self._server.server_port}"

    def __enter__(self) -> Self:
        """Start to answer."""
        threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.005}, daemon=True).start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        """Stop answering and free the port."""
        self._server.shutdown()
        self._server.server_close()

    def paths(self) -> list[str]:
        """Return the paths that were asked for, in order."""
        return [request.path for request in self.seen]

    def answer(self, method: str, path: str, raw: bytes) -> Reply:
        """Return what the recorded server answered to this request."""
        if self.garbage is not None:
            return GARBAGE[self.garbage]
        if path in self.canned:
            return self.canned[path]
        body = _parsed(raw)
        for match in (_same, _same_prompt):
            for known in self.recorded:
                if (known.method, known.path) == (method, path) and match(known.sent, body):
                    return known.reply
        made = self._made(path, body) if isinstance(body, dict) else None
        if made is not None:
            return Reply(200, json.dumps(made).encode())
        other_method = any(known.path == path and known.method != method for known in self.recorded)
        known_method = any((known.path, known.method) == (path, method) for known in self.recorded)
        return WRONG_METHOD if other_method and not known_method else NOT_FOUND

    def _made(self, path: str, body: dict[str, Any]) -> dict[str, Any] | None:
        if path == "/detokenize" and self.detokenize is not None:
            return {"prompt": self.detokenize(body["tokens"])}
        if path == "/tokenize" and self.tokenize is not None and "prompt" in body:
            ids, strings = self.tokenize(body["prompt"])
            shown = strings if body.get("return_token_strs") else None
            return {"count": len(ids), "max_model_len": 16384, "tokens": ids, "token_strs": shown}
        return None


def _handler(server: ReplayServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        wbufsize = -1  # headers and body in one packet: two of them wait 40 ms for an acknowledgement

        def respond(self) -> None:
            raw = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            server.seen.append(Seen(self.command, self.path, _parsed(raw), dict(self.headers)))
            if server.delay:
                time.sleep(server.delay)
            if server.garbage == "not-http":
                self.wfile.write(b"SSH-2.0-OpenSSH_9.2\r\n")
                self.close_connection = True
                return
            reply = server.answer(self.command, self.path, raw)
            self.send_response(reply.status)
            self.send_header("Content-Type", reply.content_type)
            self.send_header("Content-Length", str(len(reply.body)))
            for name, value in reply.headers.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(reply.body)

        do_GET = do_POST = respond

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name is the base class's
            """Keep the test output clean."""

    return Handler


def _exchange(folder: Path, meta_file: Path) -> Exchange:
    meta = json.loads(meta_file.read_text())
    name = meta_file.name.removesuffix(".meta.json")
    request = folder / f"{name}.request.json"
    response = next(folder.glob(f"{name}.response.*"))
    content_type = meta["resp_headers"].get("content-type", "application/json")
    sent = _parsed(request.read_bytes()) if request.exists() else None
    return Exchange(
        name, meta["method"], meta["path"], sent, Reply(meta["status"], response.read_bytes(), content_type)
    )


def _parsed(raw: bytes) -> Any:
    try:
        return json.loads(raw) if raw else None
    except ValueError:
        return raw


def _same(recorded: Any, body: Any) -> bool:
    return bool(recorded == body)


def _same_prompt(recorded: Any, body: Any) -> bool:
    if not isinstance(recorded, dict) or not isinstance(body, dict):
        return False
    return _prompt_fields(recorded) == _prompt_fields(body)


def _prompt_fields(body: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in body.items() if name not in SAMPLING_ONLY}
