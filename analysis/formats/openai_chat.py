"""Request/response pairs of the OpenAI API, one JSON object a request: the canonical log and its synonyms.

Reads chat and completion requests, streamed responses as text or chunks, and token ids where the log has them.
Does not read the Responses API, batch files or several prompts in one request.
"""

from dataclasses import replace
from typing import cast, get_args

import msgspec

from analysis.core.media import of_features
from analysis.formats import jsontext, shape, sse
from analysis.formats.base import FormatError, Problems, Progress
from analysis.formats.bodies import BodyReader, ResponseParts, ids, response
from analysis.formats.calls import SALT_KEY, marks
from analysis.formats.grouping import Entry, grouped
from analysis.formats.jsontext import Fields
from analysis.formats.times import seconds
from analysis.model.session import CachedBasis, Json, JsonObject, Log, TokenIds, Turn, Usage

name = "openai-chat"
title = "OpenAI request/response pairs, chat and completions: JSON lines, a JSON array or one object"
looks_for = "a JSON object with messages or prompt and a model or response, and no field of another tool"
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
RANK_HEADER = "x-data-parallel-rank"
PROMPTS = ("messages", "prompt", "prompt_embeds")
SENT = ("model", "choices", "prompt_token_ids", *RESPONSE, *STREAM)  # beside bare messages: they went to a server
ROLES = frozenset({"system", "developer", "user", "assistant", "tool", "function"})


def sniff(head: bytes) -> bool:
    """Yes to a request body in the first objects of the file, wrapped or bare, if no other tool's field is there."""
    records = shape.opening(head)
    foreign = any(shape.OTHERS & record.keys() for record in records)
    return not foreign and any(_is_request(record) for record in records)


def read(data: bytes, file: str, source: str, progress: Progress | None = None) -> Log:
    """Parse a whole log; raise FormatError where not one record holds a request that was sent to a server."""
    log = read_bodies(data, file, source, progress)
    turns = [turn for session in log.sessions for turn in session.turns]
    if not any(turn.request.model or turn.reply or turn.prompt_ids is not None for turn in turns):
        raise FormatError(
            f"{file}: it holds messages, but no request to a model: no line names a model or has a response. Another"
            f" tool's own format? Whymiss reads {title}."
        )
    return log


def read_bodies(data: bytes, file: str, source: str, progress: Progress | None = None) -> Log:
    """Parse request bodies, with or without a response; raise FormatError where not one record is a request."""
    problems = Problems(file)
    bodies = BodyReader(SALT_KEY)
    entries = []
    for line, record in jsontext.records(data, problems, progress):
        try:
            if (entry := _entry(record, line, bodies, problems)) is not None:
                entries.append(entry)
        except ValueError as error:
            problems.count(f"left out:{error}", line, f"left out: {error}.")
    found = problems.listed()
    if not entries:
        first = f" First problem: line {found[0].line}: {found[0].message}" if found else ""
        raise FormatError(f"{file}: no request in it that could be read. Whymiss reads {title}.{first}")
    return Log(grouped(entries, file, source, name), found)


def _is_request(record: Fields) -> bool:
    """A wrapped request, or a bare one that names a model or comes with its answer or its ids."""
    wrapped = next((name for name in REQUEST if any(key in (shape.inner(record, name)) for key in PROMPTS)), None)
    bare = any(key in record for key in PROMPTS) and any(key in record for key in SENT)
    return (wrapped is not None or bare) and not _is_anthropic(record, wrapped)


def _is_anthropic(record: Fields, wrapped: str | None) -> bool:
    """A request to /v1/messages, or an answer of it."""
    answers = [shape.inner(record, name) for name in RESPONSE]
    asked = shape.inner(record, wrapped) if wrapped else record
    return any(answer.get("type") == "message" for answer in answers) or ("system" in asked and "messages" in asked)


def _entry(record: Fields, line: int, bodies: BodyReader, problems: Problems) -> Entry | None:
    """One record as a turn without a number; None where the call failed and so was no turn."""
    wrapped = _raw(record, REQUEST)
    body = jsontext.fields(_unquoted(wrapped)) if wrapped is not None else record
    request = bodies.request(body)
    parts = _response(record, bare=wrapped is None)
    status = _value(record, ("status",))
    if parts.reply is None and (parts.error is not None or (isinstance(status, int) and status >= 400)):
        # Not the server's words: they may echo the request, and with it a salt or a key.
        said = status if isinstance(status, int) else "not logged"
        problems.count("failed", line, f"the call failed (status {said}) and counts as no turn.")
        return None
    if not request.model and parts.model:
        request = replace(request, model=parts.model)
    turn = Turn(
        number=0,
        line=line,
        request_id=_text(_value(record, REQUEST_ID)) or parts.request_id or f"line-{line}",
        request=request,
        reply=parts.reply,
        usage=_with_basis(parts.usage, record),
        prompt_ids=_either(ids(_value(record, ("prompt_token_ids",))), parts.prompt_ids),
        output_ids=_either(ids(_value(record, ("output_token_ids",))), parts.output_ids),
        started_at=seconds(_value(record, STARTED)),
        ended_at=seconds(_value(record, ENDED)),
        note=_text(_value(record, ("note",))),
        replica=_replica(record),
        server_version=parts.server_version,
        completeness=marks(_value(record, ("completeness",))),
        lineage=_text(_value(record, ("lineage",))),
        client=_text(_value(record, ("client",))),
        first_token_at=seconds(_value(record, ("ts_first_token",))),
    )
    turn = _with_media(turn, record, problems)
    _remark(turn, parts.has_usage, problems)
    for key, found in (("prompt_token_ids", turn.prompt_ids), ("output_token_ids", turn.output_ids)):
        if _raw(record, (key,)) is not None and found is None:
            problems.count(key, line, f"{key} is no list of token ids and was left out.")
    return Entry(turn, _session_key(record, body), _value(record, ("session_inferred",)) is True)


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
    if stream is not None and (body is None or body.get("usage") is None or response(body).output_ids is None):
        text = "\n".join(str(piece) for piece in stream) if isinstance(stream, list) else str(stream)
        folded = sse.fold(text) or {}
        # The stream has the ids of the reply where the object has none; what the object says goes first elsewhere.
        choices = {"choices": folded["choices"]} if response(folded).output_ids is not None else {}
        said = {key: item for key, item in (body or {}).items() if item is not None}
        body = {**folded, **said, **choices} or None
    return response(body)


def _with_basis(usage: Usage, record: Fields) -> Usage:
    """The usage, and why cached tokens are unknown as an earlier reader found: that may have seen more than a null."""
    basis = _value(record, ("cached_basis",))
    if usage.cached_tokens is None and basis in get_args(CachedBasis) and basis != "reported":
        return replace(usage, cached_basis=cast(CachedBasis, basis))
    return usage


def _with_media(turn: Turn, record: Fields, problems: Problems) -> Turn:
    """The turn with the images that the ``features`` of a render place in its ids."""
    features = _value(record, ("features",))
    if features is None or turn.prompt_ids is None:
        return turn
    try:
        return replace(turn, media=of_features(features, len(turn.prompt_ids)))
    except ValueError as error:
        problems.count("features", turn.line, f"left out: {error}.")
        return turn


def _remark(turn: Turn, has_usage: bool, problems: Problems) -> None:
    """State what is odd but readable, counted per kind."""
    roles = {str(message.get("role")) for message in turn.request.messages} - ROLES
    for role in sorted(roles):
        problems.count(
            f"role:{role}", turn.line, f"unknown role {role[:40]!r}: many chat templates drop such a message silently."
        )
    if turn.request.kind == "chat" and not turn.request.messages:
        problems.count("empty", turn.line, "the request has an empty list of messages.")
    if has_usage and turn.usage.prompt_tokens is None:
        problems.count("counts", turn.line, "the usage has no count of prompt tokens that can be read.")
    elif turn.usage.prompt_tokens is None:
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


def _replica(record: Fields) -> str | None:
    """Who served the request: the wrapper's server, a pinned data-parallel rank, or a gateway's provider."""
    server, headers, answer = (_value(record, names) for names in (("server",), HEADERS, RESPONSE))
    names = [server.get(key) for key in ("replica", "dp_rank", "base")] if isinstance(server, dict) else []
    if isinstance(headers, dict):
        names += [value for key, value in headers.items() if key.lower() == RANK_HEADER]
    if isinstance(answer, dict):
        names.append(answer.get("provider"))
    found = next((name for name in names if isinstance(name, str | int) and str(name)), None)
    return None if found is None else str(found)


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
