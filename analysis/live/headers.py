"""Which headers pass through a recorder, and which of them may be kept: those that tell sessions apart, none that prove
who somebody is.
"""

from collections.abc import Iterable

Headers = list[tuple[bytes, bytes]]

HOP_BY_HOP = frozenset(  # RFC 9110, 7.6.1: they speak of one connection, and there are two
    b"connection keep-alive proxy-authenticate proxy-authorization proxy-connection te trailer transfer-encoding"
    b" upgrade".split()
)
OF_THE_CONNECTION = HOP_BY_HOP | {b"host", b"content-length", b"expect"}  # made anew for the server
CREDENTIALS = frozenset(b"authorization proxy-authorization cookie x-api-key api-key x-goog-api-key".split())
SESSION = (  # the first that is there: vLLM's own, Claude Code's, Codex's
    b"x-session-id",
    b"x-claude-code-session-id",
    b"session_id",
    b"session-id",
    b"conversation_id",
)
REQUEST_ID = (b"x-request-id",)
DP_RANK = (b"x-data-parallel-rank",)
CLIENT = (b"user-agent",)
LONGEST = 500  # characters of a kept value


def to_server(headers: Iterable[tuple[bytes, bytes]], readable: bool) -> Headers:
    """A request's headers as the server gets them; ``readable`` asks for an answer that is not compressed."""
    passed = _through(headers, OF_THE_CONNECTION | ({b"accept-encoding"} if readable else set()))
    return [*passed, (b"accept-encoding", b"identity")] if readable else passed


def to_client(headers: Iterable[tuple[bytes, bytes]], changed: bool) -> Headers:
    """An answer's headers as the client gets them; ``changed`` says that its length is not the server's."""
    return _through(headers, HOP_BY_HOP | ({b"content-length"} if changed else set()))


def named(headers: Iterable[tuple[bytes, bytes]], names: Iterable[bytes]) -> str | None:
    """The value of the first of these names that is there."""
    found = {name.lower(): value for name, value in headers}
    value = next((found[name] for name in names if found.get(name)), None)
    return None if value is None else value.decode("latin-1")[:LONGEST]


def without_credentials(answer: bytes, headers: Iterable[tuple[bytes, bytes]]) -> bytes:
    """An error answer without the keys and cookies of its request: a server that refuses one may quote it."""
    for name, value in headers:
        if name.lower() in CREDENTIALS:
            for secret in (value, value.rpartition(b" ")[2]):
                answer = answer.replace(secret, b"[withheld]") if secret else answer
    return answer


def _through(headers: Iterable[tuple[bytes, bytes]], stopped: frozenset[bytes] | set[bytes]) -> Headers:
    found = [(name.lower(), value) for name, value in headers]
    listed = {item.strip().lower() for name, value in found if name == b"connection" for item in value.split(b",")}
    return [(name, value) for name, value in found if name not in stopped and name not in listed]
