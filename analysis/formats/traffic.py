"""HTTP traffic as tools capture it: which of it are calls to a model, and each of those as a pair of a log.

Of headers a session key and a data-parallel rank are taken, of an address its host and path: nothing that proves who
somebody is goes further.  Does not read bodies.
"""

import base64
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit

from analysis.formats import exchanges, jsontext
from analysis.formats.base import Problems
from analysis.formats.credentials import server_of
from analysis.formats.jsontext import Fields
from analysis.formats.pairs import Pairs
from analysis.formats.wrapper import RANK_HEADER, SESSION_HEADER
from analysis.model.exchange import Exchange
from analysis.model.session import Json, Log

CALLS = ("/chat/completions", "/completions", "/messages", "/responses", "/inference/v1/generate")
STREAMS = ("data:", "event:", ":")  # a line of a stream of events; one that begins with a colon is a comment
GZIP = b"\x1f\x8b"
MOST_BYTES = 1 << 26  # of one body, unpacked


@dataclass(frozen=True, slots=True)
class Seen:
    """One request and its answer as a tool captured them; times are seconds since the epoch."""

    method: str
    url: str
    request: bytes
    answer: bytes | None
    status: int | None
    headers: Mapping[str, str]
    started_at: float | None = None
    first_at: float | None = None
    ended_at: float | None = None
    request_id: str | None = None


@dataclass(slots=True)
class Traffic:
    """The calls in one capture; what else it holds is counted and passed over."""

    problems: Problems
    pairs: Pairs
    num_seen: int = 0
    num_calls: int = 0

    def take(self, line: int, seen: Seen) -> None:
        """Read one exchange if it is a call to a model."""
        self.num_seen += 1
        if seen.method.upper() == "POST" and _path(seen.url).endswith(CALLS) and seen.request.strip():
            self.num_calls += self.pairs.take(line, record(seen))

    def log(self, file: str, source: str, log_format: str, title: str) -> Log:
        """All calls as a log; raise FormatError where there is none."""
        sessions = self.pairs.sessions(file, source, log_format)
        if not sessions:
            raise self.problems.refusal(
                f"no call to a model in it: of {self.num_seen:,} requests none is a POST of JSON to a path that ends"
                f" with {', '.join(CALLS)}",
                title,
            )
        if passed := self.num_seen - self.num_calls:
            message = f"{passed:,} of {self.num_seen:,} requests are no calls to a model and were passed over."
            self.problems.add(None, message)
        return Log(sessions, self.problems.listed())


def record(seen: Seen) -> Fields:
    """The pair as a line of the canonical log, undecoded."""
    answer = seen.answer or b""
    headers = {name.lower(): value for name, value in seen.headers.items()}
    exchange = Exchange(
        path=_path(seen.url),
        server=server_of(seen.url),
        request=seen.request,
        answer=answer,
        streamed=answer.lstrip().startswith(tuple(mark.encode() for mark in STREAMS)),
        status=seen.status,
        started_at=seen.started_at,
        first_at=seen.first_at,
        ended_at=seen.ended_at,
        session_id=headers.get(SESSION_HEADER),
        request_id=seen.request_id,
        dp_rank=headers.get(RANK_HEADER),
        cut=None if seen.answer is not None else "the capture holds no body of the answer",
    )
    return jsontext.fields(exchanges.line(exchange, None))


def body(text: Json, is_base64: bool) -> bytes | None:
    """A body that was written as text, without its compression; None where there is none or it is damaged."""
    if not isinstance(text, str) or not text:
        return None
    if not is_base64:
        return text.encode("utf-8", "replace")
    try:
        return inflated(base64.b64decode(text))
    except ValueError:
        return None


def inflated(packed: bytes) -> bytes:
    """A body without its gzip compression; as it is where it has none, or one that cannot be undone."""
    if not packed.startswith(GZIP):
        return packed
    try:
        return zlib.decompressobj(wbits=31).decompress(packed, MOST_BYTES)
    except zlib.error:
        return packed


def named(headers: Json) -> dict[str, str]:
    """Headers by name: from an object of texts or lists, or from a list of objects with name and value."""
    if isinstance(headers, list):
        pairs = [(one.get("name"), one.get("value")) for one in headers if isinstance(one, dict)]
    else:
        pairs = list(headers.items()) if isinstance(headers, dict) else []
    values = ((name, value[0] if isinstance(value, list) and value else value) for name, value in pairs)
    return {name: value for name, value in values if isinstance(name, str) and isinstance(value, str)}


def _path(url: str) -> str:
    """The path of an address, without who asked and what for."""
    try:
        path = urlsplit(url).path
    except ValueError:
        path = url.partition("?")[0]
    return path.rstrip("/")
