"""A server that passes everything on to another one, and keeps the requests to a model with their answers.

Every method and path passes, bodies and answers byte for byte, streams piece by piece as they come.  Does not retry,
follow redirects, or speak WebSocket.  Holds a request's body in memory, and the answer of one that is kept.
"""

import asyncio
import json
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any, TypeAlias

import httpx

from analysis.live.address import base_url, is_loopback
from analysis.live.connection import CONNECT_SECONDS
from analysis.live.errors import failure
from analysis.live.headers import to_client, to_server
from analysis.live.passing import Asked, Passing
from analysis.model.exchange import Exchange

Message: TypeAlias = MutableMapping[str, Any]  # of ASGI, the interface of Python's web servers
Receive: TypeAlias = Callable[[], Awaitable[Message]]
Send: TypeAlias = Callable[[Message], Awaitable[None]]
Keep: TypeAlias = Callable[[Exchange], None]
Ask: TypeAlias = Callable[[str, bytes], Asked | None]  # path and body of a request to a model

RECORDED = ("/chat/completions", "/completions", "/responses", "/messages")
CLIENT_LEFT = "the client left"
SERVER_BROKE_OFF = "the server broke off"
STOPPED = "the recorder was stopped"
# An answer may take as long as it takes.  Connections are given up before a server does that after 5 s, as vLLM's: a
# request that meets a closing connection would be lost.
_TIMEOUT = httpx.Timeout(None, connect=CONNECT_SECONDS)
_LIMITS = httpx.Limits(max_connections=None, max_keepalive_connections=100, keepalive_expiry=2.0)


class Recorder:
    """The proxy as an ASGI application; ``keep`` gets every finished exchange with a model, whole or cut."""

    def __init__(self, address: str, keep: Keep, ask: Ask | None = None) -> None:
        """Take the address of the server; ``ask`` says what is asked of it on top."""
        self.url = base_url(address)
        self._keep = keep
        self._ask = ask
        self._running: set[Passing] = set()
        self._client = httpx.AsyncClient(timeout=_TIMEOUT, limits=_LIMITS, trust_env=not is_loopback(self.url))

    @property
    def num_running(self) -> int:
        """Exchanges that have begun and not ended."""
        return len(self._running)

    async def close(self) -> None:
        """Mark what still runs as cut, and close the connections to the server."""
        self.stop()
        await self._client.aclose()

    def stop(self) -> None:
        """Mark what still runs as cut and keep it so: nothing that began is lost."""
        for passing in list(self._running):
            passing.cut = STOPPED
            self._end(passing)

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """Pass one request on, until the answer has ended or the client has left."""
        body = await _body(receive)
        if body is None:
            return
        passing = self._begin(scope, body)
        request = asyncio.create_task(self._pass(scope, passing, send))
        leaving = asyncio.create_task(_left(receive))
        try:
            await asyncio.wait((request, leaving), return_when=asyncio.FIRST_COMPLETED)
        finally:
            if not request.done():
                passing.cut = CLIENT_LEFT if leaving.done() else STOPPED
            self._end(passing)
            request.cancel()
            leaving.cancel()
            await asyncio.wait((request, leaving))
        if not request.cancelled():
            request.result()  # what went wrong unforeseen is the web server's to tell

    def _begin(self, scope: Message, body: bytes) -> Passing:
        path = str(scope["path"])
        recorded = scope["method"] == "POST" and path.endswith(RECORDED)
        asked = self._ask(path, body) if recorded and self._ask is not None else None
        passing = Passing(path, list(scope["headers"]), body, recorded, asked)
        self._running.add(passing)
        return passing

    def _end(self, passing: Passing) -> None:
        """Keep what passed, once."""
        if passing in self._running:
            self._running.discard(passing)
            if passing.recorded:
                self._keep(passing.exchange(self.url))

    async def _pass(self, scope: Message, passing: Passing, send: Send) -> None:
        try:
            response = await self._client.send(self._request(scope, passing), stream=True)
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            await _refuse(passing, failure(self.url, error, CONNECT_SECONDS), send)
            return
        try:
            await _answer(response, passing, send)
        except httpx.HTTPError:
            passing.cut = SERVER_BROKE_OFF  # and the client sees an answer without its end, as it would have
        finally:
            await response.aclose()

    def _request(self, scope: Message, passing: Passing) -> httpx.Request:
        target = bytes(scope.get("raw_path") or str(scope["path"]).encode())
        query = bytes(scope["query_string"])
        body = passing.body if passing.asked is None else passing.asked.body
        return httpx.Request(
            str(scope["method"]),
            httpx.URL(self.url).copy_with(raw_path=target + (b"?" + query if query else b"")),
            headers=to_server(passing.headers, readable=passing.recorded),
            content=body or None,
            extensions={"timeout": _TIMEOUT.as_dict()},
        )


async def _answer(response: httpx.Response, passing: Passing, send: Send) -> None:
    """Pass an answer on piece by piece, as it comes."""
    headers = response.headers
    passing.begin(response.status_code, headers.get("content-type", ""), headers.get("content-length"))
    passed = to_client(headers.raw, changed=passing.asked is not None)
    await send({"type": "http.response.start", "status": response.status_code, "headers": passed})
    async for piece in response.aiter_raw():
        if shown := passing.take(piece):
            await send({"type": "http.response.body", "body": shown, "more_body": True})
    await send({"type": "http.response.body", "body": passing.rest()})


async def _refuse(passing: Passing, reason: str, send: Send) -> None:
    """Answer in place of a server that does not: 502, and why."""
    body = json.dumps({"error": {"message": reason, "type": "bad_gateway", "param": None, "code": 502}}).encode()
    passing.asked = None
    passing.begin(502, "application/json", str(len(body)))
    passing.take(body)
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": 502, "headers": headers})
    await send({"type": "http.response.body", "body": body})


async def _body(receive: Receive) -> bytes | None:
    """The whole body of a request; None where the client left before its end."""
    body = bytearray()
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            return None
        body += message.get("body", b"")
        if not message.get("more_body", False):
            return bytes(body)


async def _left(receive: Receive) -> None:
    """Return when the client has left."""
    while (await receive())["type"] != "http.disconnect":
        pass
