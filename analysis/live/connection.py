"""HTTP to one server: time-outs, the API key, size limits, and answers that are JSON or an error in one line.

Does not know vLLM's routes, does not retry, and follows no redirect: the key must not travel to another host.
"""

import json
import os
import ssl
import time
from dataclasses import dataclass
from functools import cache
from typing import NoReturn

import httpx

from analysis.live.address import base_url, is_loopback
from analysis.live.errors import IS_IT_VLLM, EndpointError, failure, one_line, refusal
from analysis.model.session import Json, JsonObject

CONNECT_SECONDS = 5.0
ANSWER_SECONDS = 60.0  # a render of a million tokens takes a busy server tens of seconds
MAX_ANSWER_BYTES = 128 << 20  # ids and offsets of a million tokens are about 30 MB


@dataclass(frozen=True, slots=True)
class Answer:
    """What a server answered; ``url`` is where, without anything secret in it."""

    url: str
    status: int
    location: str
    body: bytes

    @property
    def ok(self) -> bool:
        """Say whether the server did what it was asked."""
        return 200 <= self.status < 300


class Connection:
    """Asks one server.  Every failure is an EndpointError; the API key is in none of them."""

    def __init__(
        self,
        address: str,
        api_key: str | None = None,
        seconds: float = ANSWER_SECONDS,
        transport: httpx.BaseTransport | None = None,
    ) -> None:
        """Take an address as a person gives it; ``seconds`` is the longest wait for one answer."""
        self.url = base_url(address)
        self._api_key = _header_value(api_key)
        self._seconds = seconds
        self._transport = transport
        self._client: httpx.Client | None = None

    def __repr__(self) -> str:
        """Name the server, not the key."""
        return f"Connection({self.url!r})"

    def __getstate__(self) -> dict[str, object]:
        """Leave the open sockets behind, so that a worker process connects for itself."""
        return {**self.__dict__, "_client": None}

    def close(self) -> None:
        """Close the sockets; a later request opens new ones."""
        if self._client is not None:
            self._client.close()
        self._client = None

    def get(self, path: str) -> Answer:
        """Ask with GET; an answer of any status comes back."""
        return self._send("GET", path, None)

    def post(self, path: str, body: JsonObject | None = None) -> Answer:
        """Ask with POST; an answer of any status comes back."""
        # default=dict: a message may be any Mapping; ASCII escapes carry lone surrogates, which UTF-8 cannot
        content = None if body is None else json.dumps(body, default=dict, allow_nan=False).encode()
        return self._send("POST", path, content)

    def json(self, answer: Answer) -> Json:
        """Return the JSON of a good answer; raise EndpointError for every other."""
        if not answer.ok:
            self.refuse(answer)
        try:
            value: Json = json.loads(answer.body)
        except (ValueError, RecursionError):
            start = answer.body[:500].lstrip()
            found = "a web page" if start.startswith(b"<") else "something that is not JSON" if start else "nothing"
            self.fail(f"{answer.url} answered with {found}: {IS_IT_VLLM}")
        return value

    def refuse(self, answer: Answer) -> NoReturn:
        """Raise what an answer outside 2xx means."""
        if 300 <= answer.status < 400:
            target = one_line(answer.location, 80) or "nowhere"
            self.fail(f"{answer.url} redirects to {target}: give the address that it really has")
        self.fail(refusal(answer.url, answer.status, answer.body))

    def fail(self, message: str) -> NoReturn:
        """Raise an EndpointError; a server that echoes the key must not bring it into the message."""
        raise EndpointError(self._without_key(message))

    def _without_key(self, text: str) -> str:
        return text.replace(self._api_key, "[API key]") if self._api_key else text

    def _send(self, method: str, path: str, content: bytes | None) -> Answer:
        url = self.url + path
        headers = {} if content is None else {"Content-Type": "application/json"}
        try:
            return self._read(method, url, content, headers)
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            message = failure(url, error, self._seconds)
        # raised outside the handler: httpx's own error holds the request, and that holds the key
        self.fail(message)

    def _read(self, method: str, url: str, content: bytes | None, headers: dict[str, str]) -> Answer:
        deadline = time.monotonic() + self._seconds
        with self._opened().stream(method, url, content=content, headers=headers) as response:
            body = bytearray()
            for piece in response.iter_bytes():
                body += piece
                if len(body) > MAX_ANSWER_BYTES:
                    self.fail(f"{url} answered with more than {MAX_ANSWER_BYTES >> 20} MB: {IS_IT_VLLM}")
                if time.monotonic() > deadline:  # a server that drips never runs into the time-out per read
                    raise httpx.ReadTimeout("the answer does not end")
            # the key may come back in anything that a server says, and be cut in two by shortening it later
            location = self._without_key(response.headers.get("location", ""))
            return Answer(url, response.status_code, location, self._cleaned(response.status_code, bytes(body)))

    def _cleaned(self, status: int, body: bytes) -> bytes:
        if 200 <= status < 300 or not self._api_key:
            return body
        return body.replace(self._api_key.encode(), b"[API key]")

    def _opened(self) -> httpx.Client:
        if self._client is None:
            try:
                self._client = self._new_client()
            except (OSError, ValueError, ImportError) as error:  # what the environment says of certificates and proxies
                reason = one_line(str(error), 80)
                raise EndpointError(
                    f"HTTP cannot be set up here ({reason}): check SSL_CERT_FILE and the proxy variables"
                ) from None
        return self._client

    def _new_client(self) -> httpx.Client:
        return httpx.Client(
            verify=_trusted(os.environ.get("SSL_CERT_FILE"), os.environ.get("SSL_CERT_DIR")),
            headers={"Authorization": f"Bearer {self._api_key}"} if self._api_key else {},
            timeout=httpx.Timeout(self._seconds, connect=min(CONNECT_SECONDS, self._seconds)),
            follow_redirects=False,
            transport=self._transport,
            trust_env=not is_loopback(self.url),  # no proxy knows the way to this machine itself
        )


def _header_value(api_key: str | None) -> str | None:
    """Return the key without the newline that a file or a paste leaves; None where there is none."""
    key = (api_key or "").strip()
    if not (key.isascii() and key.isprintable()):
        raise EndpointError("the API key holds characters that no HTTP header can carry: check WHYMISS_API_KEY")
    return key or None


@cache
def _trusted(file: str | None, folder: str | None) -> ssl.SSLContext:
    """The certificates to trust as the environment names them; reading them takes longer than many a request."""
    return httpx.create_ssl_context()
