"""A recorded exchange as one line of the canonical log, its bodies byte for byte.

Does not read what the bodies say, but for the cache salt: that is a secret, and a fingerprint takes its place.
"""

import hashlib
import re
from collections.abc import Callable
from typing import TypeAlias

import msgspec

from analysis.formats import jsontext
from analysis.formats.jsontext import Fields
from analysis.model.exchange import Exchange

Salted: TypeAlias = Callable[[str], str]  # what is written in place of a cache salt

SALT = "cache_salt"
_LINE_ENDS = re.compile(rb"[\r\n]")


def fingerprint(key: bytes) -> Salted:
    """A keyed fingerprint in place of every salt: equal salts stay equal for whoever records with the same key."""
    return lambda salt: "fingerprint-" + hashlib.blake2b(salt.encode(), key=key, digest_size=8).hexdigest()


def line(exchange: Exchange, salted: Salted | None) -> bytes:
    """The line with its line end; ``salted`` None keeps salts as they were sent."""
    request, salt, shown, remark = _request(exchange.request, salted)
    answer = exchange.answer
    if salt is not None and shown is not None and exchange.status is not None and exchange.status >= 400:
        answer = _without(answer, salt, shown)  # a server that refuses a request may quote it
    fields: dict[str, object] = {
        "session_id": exchange.session_id,
        "request_id": exchange.request_id,
        "ts_start": exchange.started_at,
        "ts_first_token": exchange.first_at,
        "ts_end": exchange.ended_at,
        "path": exchange.path,
        "status": exchange.status,
        "server": _server(exchange) or None,
        "client": exchange.client,
        "note": "; ".join(words for words in (exchange.cut, remark) if words) or None,
        "complete": False if exchange.cut else None,  # of the answer; "completeness" speaks of the request
        "request": request,
    }
    if answer:
        fields["response_sse" if exchange.streamed else "response"] = (
            answer.decode("utf-8", "replace") if exchange.streamed else _verbatim(answer)
        )
    return msgspec.json.encode({name: value for name, value in fields.items() if value is not None}) + b"\n"


def _server(exchange: Exchange) -> dict[str, object]:
    named = {"base": exchange.server, "dp_rank": exchange.dp_rank}
    return {name: value for name, value in named.items() if value}


def _request(body: bytes, salted: Salted | None) -> tuple[object, str | None, str | None, str | None]:
    """The body to write, its salt, what stands for that, and what is to be said of a body that is not written."""
    try:
        fields = jsontext.fields(body)
        salt = jsontext.decode(fields[SALT]) if SALT in fields else None
    except ValueError:
        if SALT.encode() in body and salted is not None:
            return None, None, None, "the request is no JSON object and was not kept: it speaks of a cache salt"
        return body.decode("utf-8", "replace"), None, None, "the request is no JSON object"
    if salted is None or not isinstance(salt, str) or not salt:
        return _verbatim(body), None, None, None
    shown = salted(salt)
    replaced: Fields = fields | {SALT: msgspec.Raw(msgspec.json.encode(shown))}
    return msgspec.Raw(_on_one_line(msgspec.json.encode(replaced))), salt, shown, None


def _verbatim(body: bytes) -> object:
    """JSON on one line as it is; JSON over several lines, and what is no JSON, as a text that holds every byte."""
    try:
        jsontext.fields(body)
    except ValueError:
        return body.decode("utf-8", "replace")
    return body.decode("utf-8", "replace") if _LINE_ENDS.search(body) else msgspec.Raw(body)


def _on_one_line(body: bytes) -> bytes:
    """JSON without its line ends: inside of strings they are escaped, outside they mean nothing."""
    return _LINE_ENDS.sub(b" ", body)


def _without(answer: bytes, salt: str, shown: str) -> bytes:
    for spelling in {salt.encode(), msgspec.json.encode(salt)[1:-1]}:
        answer = answer.replace(spelling, shown.encode())
    return answer
