"""Request/response pairs of the OpenAI API, one JSON object a request: the canonical log and its synonyms.

Reads chat and completion requests, streamed responses as text or chunks, and token ids where the log has them.
Does not read the Responses API, batch files or several prompts in one request.
"""

import re
import secrets
from dataclasses import replace
from typing import cast

import msgspec

from analysis.formats import jsontext, sse
from analysis.formats.base import FormatError, Problems, Progress
from analysis.formats.bodies import BodyReader, ResponseParts, ids, response
from analysis.formats.grouping import Entry, grouped
from analysis.formats.jsontext import Fields
from analysis.formats.times import seconds
from analysis.model.session import Json, JsonObject, Log, TokenIds, Turn

name = "openai-chat"
title = "OpenAI request/response pairs, chat and completions: JSON lines, a JSON array or one object"
limitations: tuple[str, ...] = (
    "several prompts in one completion request are left out",
    "of n > 1 choices the first is read",
    "images count as whatever the chat template prints for them",
)

REQUEST = ("request", "body", "request_body", "input", "payload")
RESPONSE = ("response", "response_body", "output")
STREAM = ("response_sse", "sse")
STARTED = ("ts_start", "started_at", "start_time", "startTime", "timestamp", "ts", "time", "created_at")
ENDED = ("ts_end", "ended_at", "end_time", "endTime", "completed_at")
REQUEST_ID = ("request_id", "requestId", "custom_id")
SESSION = ("session_id", "sessionId", "conversation_id", "thread_id", "trace_id")
HEADERS = ("request_headers", "headers")
SESSION_HEADER = "x-session-id"
ROLES = frozenset({"system", "developer", "user", "assistant", "tool", "function"})

_SALT_KEY = secrets.token_bytes(32)  # of this process: a salt is the same one in all files of a server
_KEYS = re.compile(rb'"(messages|prompt)\\?"\s*:')


def sniff(head: bytes) -> bool:
    """Yes to JSON text with a request body in its first objects, wrapped or bare."""
    text = head.removeprefix(jsontext.BOM).lstrip()
    return text[:1] in (b"{", b"[") and b"\0" not in head and _KEYS.search(text) is not None


def read(data: bytes, file: str, source: str, progress: Progress | None = None) -> Log:
    """Parse a whole log; raise FormatError where not one record holds a request."""
    problems = Problems(file)
    bodies = BodyReader(_SALT_KEY)
    entries = []
    for line, record in jsontext.records(data, problems, progress):
        try:
            if (entry := _entry(record, line, bodies, problems)) is not None:
                entries.append(entry)
        except ValueError as error:
            problems.add(line, f"left out: {error}.")
    found = problems.listed()
    if not entries:
        first = f" First problem: line {found[0].line}: {found[0].message}" if found else ""
        raise FormatError(f"{file}: no line holds a request that could be read.{first}")
    return Log(grouped(entries, file, source, name), found)


def _entry(record: Fields, line: int, bodies: BodyReader, problems: Problems) -> Entry | None:
    """One record as a turn without a number; None where the call failed and so was no turn."""
    wrapped = _raw(record, REQUEST)
    body = jsontext.fields(_unquoted(wrapped)) if wrapped is not None else record
    request = bodies.request(body)
    parts = _response(record, bare=wrapped is None)
    status = _value(record, ("status",))
    if parts.reply is None and (parts.error is not None or (isinstance(status, int) and status >= 400)):
        reason = parts.error or "no reason in the log"
        problems.count("failed", line, f"the call failed ({status or 'error'}: {reason[:200]}) and counts as no turn.")
        return None
    if not request.model and parts.model:
        request = replace(request, model=parts.model)
    turn = Turn(
        number=0,
        line=line,
        request_id=_text(_value(record, REQUEST_ID)) or parts.request_id or f"line-{line}",
        request=request,
        reply=parts.reply,
        usage=parts.usage,
        prompt_ids=_either(ids(_value(record, ("prompt_token_ids",))), parts.prompt_ids),
        output_ids=_either(ids(_value(record, ("output_token_ids",))), parts.output_ids),
        started_at=seconds(_value(record, STARTED)),
        ended_at=seconds(_value(record, ENDED)),
        note=_text(_value(record, ("note",))),
    )
    _remark(turn, problems)
    return Entry(turn, _session_key(record, body))


def _response(record: Fields, bare: bool) -> ResponseParts:
    """The response of a record: as an object, or folded from its stream where the object lacks usage or ids."""
    value = _value(record, RESPONSE)
    if isinstance(value, str):
        value = sse.fold(value) if value.lstrip().startswith("data:") else _object_in(value)
    elif isinstance(value, list):
        value = sse.fold_chunks([chunk for chunk in value if isinstance(chunk, dict)])
    elif value is None and bare and "choices" in record:
        value = {key: jsontext.decode(raw) for key, raw in record.items()}
    body = cast(JsonObject, value) if isinstance(value, dict) else None
    stream = _value(record, STREAM)
    if stream is not None and (body is None or "usage" not in body or response(body).output_ids is None):
        text = "\n".join(str(piece) for piece in stream) if isinstance(stream, list) else str(stream)
        folded = sse.fold(text) or {}
        # The stream has the ids of the reply where the object has none; what the object says goes first elsewhere.
        choices = {"choices": folded["choices"]} if response(folded).output_ids is not None else {}
        body = {**folded, **(body or {}), **choices} or None
    return response(body)


def _remark(turn: Turn, problems: Problems) -> None:
    """State what is odd but readable, counted per kind."""
    roles = {str(message.get("role")) for message in turn.request.messages} - ROLES
    for role in sorted(roles):
        problems.count(
            f"role:{role}", turn.line, f"unknown role {role[:40]!r}: many chat templates drop such a message silently."
        )
    if turn.request.kind == "chat" and not turn.request.messages:
        problems.count("empty", turn.line, "the request has an empty list of messages.")
    if turn.usage.prompt_tokens is None:
        problems.count(
            "usage",
            turn.line,
            "the response carries no usage, so cached tokens are unknown here; for streams send"
            ' "stream_options": {"include_usage": true}.',
        )


def _session_key(record: Fields, body: Fields) -> str | None:
    """The explicit key of a session: wrapper, body, header, then vLLM's extra arguments and metadata."""
    candidates = [_value(record, SESSION), _value(body, ("session_id",))]
    headers = _value(record, HEADERS)
    if isinstance(headers, dict):
        candidates += [value for key, value in headers.items() if key.lower() == SESSION_HEADER]
    for holder in ("vllm_xargs", "metadata"):
        inner = _value(body, (holder,))
        if isinstance(inner, dict):
            candidates += [inner.get(key) for key in SESSION]
    return next((str(key) for key in candidates if isinstance(key, str | int) and str(key)), None)


def _raw(record: Fields, names: tuple[str, ...]) -> msgspec.Raw | None:
    """The first of these fields that is there and not null."""
    return next((record[key] for key in names if key in record and bytes(record[key]) != b"null"), None)


def _value(record: Fields, names: tuple[str, ...]) -> Json:
    raw = _raw(record, names)
    return None if raw is None else jsontext.decode(raw)


def _unquoted(raw: msgspec.Raw) -> bytes | msgspec.Raw:
    """A body that was logged as a string of JSON, decoded once."""
    value = bytes(raw)
    return str(jsontext.decode(raw)).encode() if value.startswith(b'"') else raw


def _object_in(text: str) -> Json:
    try:
        return jsontext.decode(text.encode())
    except ValueError:
        return None


def _either(first: TokenIds | None, second: TokenIds | None) -> TokenIds | None:
    return first if first is not None else second


def _text(value: Json) -> str | None:
    return str(value) if isinstance(value, str | int) and str(value) else None
