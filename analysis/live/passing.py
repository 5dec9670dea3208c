"""One exchange while it passes: what came so far, and whether an answer that ended early was whole all the same."""

import re
import time
from dataclasses import dataclass, field
from typing import Protocol

from analysis.live.headers import CLIENT, DP_RANK, REQUEST_ID, SESSION, Headers, named, without_credentials
from analysis.model.exchange import Exchange

EVENTS = "text/event-stream"
# A client that has read this leaves, and does not wait for the end of the connection.
_LAST_EVENT = re.compile(rb"data: *\[DONE\]|event: *(message_stop|response\.(completed|incomplete|failed))\b")
_EVENT_END = re.compile(rb"\r\n\r\n|\n\n")


class Asked(Protocol):
    """A request with something added, which is taken out of the answer again."""

    body: bytes

    def passed_on(self, piece: bytes, streamed: bool) -> bytes:
        """What the client gets of this piece."""

    def rest(self) -> bytes:
        """What the client gets at the end."""


@dataclass(slots=True, eq=False)
class Passing:
    """A request that was passed on.  ``recorded`` ones keep their pieces; ``asked`` is what the server was asked."""

    path: str
    headers: Headers
    body: bytes
    recorded: bool
    asked: Asked | None = None
    started_at: float = field(default_factory=time.time)
    first_at: float | None = None
    status: int | None = None
    streamed: bool = False
    length: int | None = None
    pieces: list[bytes] = field(default_factory=list)
    cut: str | None = None

    def begin(self, status: int, content_type: str, length: str | None) -> None:
        """The head of the answer is there."""
        self.status = status
        self.streamed = content_type.partition(";")[0].strip().lower() == EVENTS
        self.length = int(length) if length is not None and length.isdecimal() else None

    def take(self, piece: bytes) -> bytes:
        """Keep a piece of the answer; return what the client gets of it."""
        if self.first_at is None:
            self.first_at = time.time()
        if self.recorded:
            self.pieces.append(piece)
        return piece if self.asked is None else self.asked.passed_on(piece, self.streamed)

    def rest(self) -> bytes:
        """What the client gets at the end of the answer."""
        return b"" if self.asked is None else self.asked.rest()

    def exchange(self, server: str) -> Exchange:
        """What passed, with the place where it was cut short."""
        answer = b"".join(self.pieces)
        cut = None if self.cut is None or self._is_whole(answer) else f"{self.cut} {_reached(self.status, answer)}"
        if self.status is not None and self.status >= 400:
            answer = without_credentials(answer, self.headers)
        return Exchange(
            path=self.path,
            server=server,
            request=self.body,
            answer=answer,
            streamed=self.streamed,
            status=self.status,
            started_at=self.started_at,
            first_at=self.first_at,
            ended_at=time.time(),
            session_id=named(self.headers, SESSION),
            request_id=named(self.headers, REQUEST_ID),
            dp_rank=named(self.headers, DP_RANK),
            client=named(self.headers, CLIENT),
            cut=cut,
        )

    def _is_whole(self, answer: bytes) -> bool:
        if self.status is None:
            return False
        if self.length is not None:
            return len(answer) == self.length
        if not self.streamed:
            return False
        *_, before, rest = [b"", *_EVENT_END.split(answer)]
        return not rest and _LAST_EVENT.match(before) is not None


def _reached(status: int | None, answer: bytes) -> str:
    if status is None:
        return "before the answer began"
    return f"after {len(answer):,} bytes of the answer"
