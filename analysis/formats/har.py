"""HAR files, as browsers and intercepting proxies export them: every call to a model in ``log.entries``.

Each call is read by the API it speaks.  Other traffic is passed over and counted.  Does not read web sockets.
"""

import re

from analysis.formats import jsontext, traffic
from analysis.formats.base import FormatError, Problems, Progress
from analysis.formats.calls import dig, mapping
from analysis.formats.pairs import Pairs
from analysis.formats.times import seconds
from analysis.formats.traffic import Seen, Traffic
from analysis.model.session import Json, Log

name = "har"
title = "HAR files with calls to /chat/completions, /completions, /messages, /responses or /inference/v1/generate"
looks_for = "an object log with entries"
limitations: tuple[str, ...] = (
    "browsers often keep no body of a streamed answer: its usage is unknown then",
    "entries are named by their position, counted from 1",
)

BEFORE_ANSWER = ("blocked", "dns", "connect", "send", "wait")  # timings up to the first byte; ssl is part of connect
_OPENS = re.compile(rb'\A[\s\0]*\{\s*"log"\s*:\s*\{')


def sniff(head: bytes) -> bool:
    """Yes to an object ``log`` at the very front that has entries."""
    return _OPENS.match(head) is not None and b'"entries"' in head


def read(data: bytes, file: str, source: str, progress: Progress | None = None) -> Log:
    """Parse a whole file; raise FormatError where it is broken or no entry is a call to a model."""
    try:
        entries = jsontext.items(jsontext.fields(jsontext.fields(data)["log"])["entries"])
    except (ValueError, KeyError):
        raise FormatError(f"{file}: no HAR file that is whole. Export it again, with content.") from None
    problems = Problems(file)
    found = Traffic(problems, Pairs(problems))
    for number, raw in enumerate(entries, 1):
        entry = mapping(jsontext.decode(raw))
        if not entry:
            problems.count("entry", number, "left out: an entry that is no object.")
            continue
        found.take(number, _seen(entry))
    if progress is not None:
        progress(len(data), len(data))
    return found.log(file, source, name, title)


def _seen(entry: dict[str, Json]) -> Seen:
    request, response = mapping(entry.get("request")), mapping(entry.get("response"))
    started = seconds(entry.get("startedDateTime"))
    status = response.get("status")
    posted = request.get("postData")
    return Seen(
        method=str(request.get("method")),
        url=str(request.get("url")),
        request=_body(posted) or b"",
        answer=_body(response.get("content")),
        status=status if isinstance(status, int) and status > 0 else None,
        headers=traffic.named(request.get("headers")),
        started_at=started,
        first_at=_later(started, *(dig(entry.get("timings"), part) for part in BEFORE_ANSWER)),
        ended_at=_later(started, entry.get("time")),
    )


def _body(content: Json) -> bytes | None:
    return traffic.body(dig(content, "text"), is_base64=dig(content, "encoding") == "base64")


def _later(started: float | None, *waits: Json) -> float | None:
    """The time after these milliseconds; those that did not apply are -1 in the file."""
    known = [wait for wait in waits if isinstance(wait, int | float) and wait >= 0]
    return started + sum(known) / 1000 if started is not None and known else None
