"""One request and its answer as they passed through a recorder: bytes, before anybody has read them.

Does not hold a header that proves who somebody is: of a request's headers only what tells sessions apart is kept.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Exchange:
    """What was sent to a path of a server, and what came back.

    ``request`` is the body as the client sent it; ``answer`` is what the server sent, as far as it came, and
    ``streamed`` says that it is a stream of events.  Times are seconds since the epoch: when the request was passed
    on, when the first byte of the answer came, and when it ended.  ``status`` is None where no answer began; ``cut``
    says what ended it before its end, None where it is whole.  ``server`` is the address that was asked.  A capture of
    another tool may lack times and the server.
    """

    path: str
    server: str | None
    request: bytes
    answer: bytes
    streamed: bool
    status: int | None
    started_at: float | None
    first_at: float | None
    ended_at: float | None
    session_id: str | None = None
    request_id: str | None = None
    dp_rank: str | None = None
    client: str | None = None
    cut: str | None = None
