"""What stands around a request in the log of a proxy: body, answer, times, session key, who served it; by any name.

Tells which API a pair speaks.  Reads no message.  Of headers only a session key and a rank are looked at.
"""

from typing import Any, Literal

import msgspec

from analysis.formats import jsontext
from analysis.formats.calls import first_text, mapping, marks, objects
from analysis.formats.credentials import as_replica
from analysis.formats.jsontext import Fields
from analysis.formats.times import seconds
from analysis.model.session import Json

Api = Literal["chat", "messages", "responses", "tokens", "render"]

REQUEST = ("request", "body", "request_body", "input", "payload")
RESPONSE = ("response", "response_body", "output")
STREAM = ("response_sse", "sse")
STARTED = ("ts_start", "started_at", "start_time", "startTime", "timestamp", "ts", "time", "created_at")
ENDED = ("ts_end", "ended_at", "end_time", "endTime", "completed_at")
REQUEST_ID = ("request_id", "requestId", "custom_id")
SESSION = ("session_id", "sessionId", "conversation_id", "thread_id")
TRACE = ("trace_id",)
HEADERS = ("request_headers", "headers")
SESSION_HEADER = "x-session-id"
RANK_HEADER = "x-data-parallel-rank"
PATH = ("path", "url", "endpoint")
PROMPTS = ("messages", "prompt", "prompt_embeds")
SENT = ("model", "prompt_token_ids")  # beside bare messages: they went to a server
ANSWERED = ("choices", *RESPONSE, *STREAM)
ROLLOUT = ("session_meta", "turn_context", "response_item", "event_msg", "compacted")  # the lines of Codex
BODIES = (*PROMPTS, "input", "model", "token_ids")
RENDERED = ("token_ids", "sampling_params")
NULL = memoryview(b"null")
SEEN_OF_STREAM = 2000  # bytes: a stream says in its first event what it is


def api(record: Fields) -> Api | None:
    """The API that a logged pair, or a bare request that names its model, speaks; None where it is neither.

    ``messages`` is Anthropic's /v1/messages, ``chat`` stands for completions as well, ``tokens`` is vLLM's
    /inference/v1/generate, and ``render`` what vLLM makes of a request without running it.  Decodes no message.
    """
    if is_batch(record) or is_rollout(record):
        return None
    body = split(raw(record, REQUEST))
    is_wrapped = any(name in body for name in BODIES)
    if not is_wrapped and _is_told(record):
        return None
    path = str(value(record, PATH) or "").partition("?")[0]
    answer = raw(record, RESPONSE)
    answered = split(answer)
    if path.endswith("/render") or any(map(_is_rendered, (record, answered or _first_of(answer)))):
        return "render"
    return _answered_by(record, answered, path) or _asked_by(body if is_wrapped else record, is_wrapped)


def _is_rendered(fields: Fields) -> bool:
    """Whether this is a request as vLLM renders it (its ``GenerateRequest``)."""
    return all(name in fields for name in RENDERED)


def _first_of(answer: msgspec.Raw | None) -> Fields:
    """The fields of the first of several answers."""
    if answer is None or not bytes(answer).startswith(b"["):
        return {}
    return split(next(iter(jsontext.items(answer)), None))


def _answered_by(record: Fields, answer: Fields, path: str) -> Api | None:
    """The API that the path or the answer names."""
    stream = bytes(memoryview(raw(record, (*STREAM, *RESPONSE)) or b"")[:SEEN_OF_STREAM])
    if value(answer, ("type",)) == "message" or _names(stream, b"message_start") or path.endswith("/messages"):
        return "messages"
    if value(answer, ("object",)) == "response" or _names(stream, b"response.created") or path.endswith("/responses"):
        return "responses"
    return None


def _asked_by(body: Fields, is_wrapped: bool) -> Api | None:
    """The API that the fields of the request are of."""
    if is_wrapped and "token_ids" in body:
        return "tokens"
    if "messages" in body and ("system" in body or _has_anthropic_tools(body)):
        return "messages"
    if "input" in body and ("instructions" in body or "previous_response_id" in body):
        return "responses"
    sent = is_wrapped or any(name in body for name in (*SENT, *ANSWERED))
    return "chat" if sent and any(name in body for name in PROMPTS) else None


def _has_anthropic_tools(body: Fields) -> bool:
    tools = raw(body, ("tools",))
    if tools is None or b'"input_schema"' not in bytes(tools):
        return False
    return any("input_schema" in tool for tool in objects(jsontext.decode(tools)))


def _names(stream: bytes, event: bytes) -> bool:
    return b'"' + event in stream or b"event: " + event in stream


def _is_told(record: Fields) -> bool:
    """Whether a bare object is no request: its last message is a reply, and no other answer is beside it."""
    messages = objects(value(record, ("messages",)))
    answered = any(name in record for name in ANSWERED)
    return bool(messages) and messages[-1].get("role") == "assistant" and not answered


def is_batch(record: Fields) -> bool:
    """A line of a batch file: a request in ``body`` that has no answer, or a response with a ``body`` of its own."""
    if "custom_id" not in record or "request" in record:
        return False
    answer = mapping(value(record, RESPONSE))
    return "body" in answer or ("body" in record and raw(record, (*RESPONSE, *STREAM)) is None)


def is_rollout(record: Fields) -> bool:
    """A line of a Codex rollout, whose payload may look like a request: a review has a ``prompt``, a call an input."""
    return "payload" in record and value(record, ("type",)) in ROLLOUT


def body_of(record: Fields) -> dict[str, Json] | None:
    """The wrapped body, decoded; None where the record is no wrapper."""
    found = raw(record, REQUEST)
    body = mapping(jsontext.decode(found)) if found is not None else {}
    return body if any(name in body for name in BODIES) else None


def said(record: Fields) -> dict[str, Any]:
    """The fields of a Turn that a wrapper says."""
    return {
        "started_at": seconds(value(record, STARTED)),
        "ended_at": seconds(value(record, ENDED)),
        "first_token_at": seconds(value(record, ("ts_first_token",))),
        "note": first_text(value(record, ("note",))),
        "replica": replica(record),
        "lineage": first_text(value(record, ("lineage",))),
        "client": first_text(value(record, ("client",))),
        "lacks": marks(value(record, ("completeness",))),
    }


def failed(record: Fields) -> bool:
    """Whether the wrapper says that the call failed."""
    status = value(record, ("status",))
    said = (isinstance(status, int) and status >= 400) or status in ("failure", "failed", "error")
    return said or bool(value(record, ("error",)))


def session_key(record: Fields, body: Fields) -> str | None:
    """The explicit key of a session: wrapper, body, header, then vLLM's extra arguments and metadata."""
    candidates = [value(record, SESSION), value(body, ("session_id",))]
    headers = value(record, HEADERS)
    if isinstance(headers, dict):
        candidates += [held for key, held in headers.items() if key.lower() == SESSION_HEADER]
    candidates += _beside(body, SESSION)
    return next((str(key) for key in candidates if isinstance(key, str | int) and str(key)), None)


def trace(record: Fields, body: Fields) -> str | None:
    """The trace that a call is part of: it may hold a session, or no more than the one call."""
    candidates = [value(record, TRACE), *_beside(body, TRACE)]
    return next((str(key) for key in candidates if isinstance(key, str | int) and str(key)), None)


def _beside(body: Fields, names: tuple[str, ...]) -> list[Json]:
    """What vLLM's extra arguments and the metadata of a request say by these names."""
    held = [value(body, (holder,)) for holder in ("vllm_xargs", "metadata")]
    return [inner.get(key) for inner in held if isinstance(inner, dict) for key in names]


def replica(record: Fields) -> str | None:
    """Who served the request: the wrapper's server, a pinned data-parallel rank, or a gateway's provider."""
    server, headers = value(record, ("server",)), value(record, HEADERS)
    names = [server.get(key) for key in ("replica", "dp_rank", "base")] if isinstance(server, dict) else []
    if isinstance(headers, dict):
        names += [held for key, held in headers.items() if key.lower() == RANK_HEADER]
    named = (str(name) for name in names if isinstance(name, str | int) and str(name))
    return as_replica(next(named, None) or _provider(raw(record, RESPONSE)))


def _provider(answer: msgspec.Raw | None) -> str | None:
    """The provider that an answer names; one that holds no such word is not split."""
    if answer is None or b'"provider"' not in bytes(answer):
        return None
    name = value(split(answer), ("provider",))
    return str(name) if isinstance(name, str | int) and str(name) else None


def raw(record: Fields, names: tuple[str, ...]) -> msgspec.Raw | None:
    """The first of these fields that is there and not null."""
    return next((record[key] for key in names if key in record and memoryview(record[key]) != NULL), None)


def value(record: Fields, names: tuple[str, ...]) -> Json:
    """The first of these fields that is there and not null, decoded."""
    found = raw(record, names)
    return None if found is None else jsontext.decode(found)


def unquoted(body: msgspec.Raw) -> bytes | msgspec.Raw:
    """A body that was logged as a string of JSON, decoded once."""
    return str(jsontext.decode(body)).encode() if bytes(body).startswith(b'"') else body


def split(body: msgspec.Raw | None) -> Fields:
    """The fields of an object, or of the JSON text of one, undecoded; none where it is neither."""
    if body is None or bytes(body)[:1] not in (b"{", b'"'):
        return {}
    try:
        return jsontext.fields(unquoted(body))
    except ValueError:
        return {}
