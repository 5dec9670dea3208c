"""Spans of OpenTelemetry as JSON: exports of a collector (OTLP), of Phoenix, and bare spans, in two dialects.

Calls are spans of OpenTelemetry's conventions for generative AI or of OpenInference; both may stand in one file.  Does
not read protobuf, spans of other kinds, or messages that went out as log records.
"""

from collections.abc import Iterator
from dataclasses import replace

from analysis.formats import genai_spans, jsontext, openinference, shape
from analysis.formats.attributes import Tree, by_key, tree
from analysis.formats.base import Problems, Progress
from analysis.formats.calls import count, dig, first_text, mapping, objects
from analysis.formats.grouping import grouped
from analysis.formats.times import seconds
from analysis.formats.traced_call import Call, Span, entries
from analysis.model.session import Json, JsonObject, Log

name = "otlp"
title = "OpenTelemetry spans as JSON (OTLP, Phoenix): GenAI conventions and OpenInference"
looks_for = "objects with resourceSpans, or spans with trace and span ids beside attributes"
limitations: tuple[str, ...] = (
    "calls are spans of the operations chat and text_completion, or of OpenInference's kind LLM",
    "messages must be captured (OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT), and not as log records",
    "attributes that the SDK dropped or cut are marked; chat_template_kwargs are known from OpenInference only",
)

NO_PROMPT = (
    "capture message content (OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT=span_only, or true for older"
    " instrumentations) and lift OTEL_SPAN_ATTRIBUTE_VALUE_LENGTH_LIMIT."
)
ENVELOPES = (("resourceSpans", "scopeSpans"), ("resource_spans", "scope_spans"))
LISTS = ("data", "spans")
SPAN_ID = ("spanId", "span_id")
TRACE_ID = ("traceId", "trace_id")
IDS = (*SPAN_ID, *TRACE_ID, "context", "context.span_id", "context.trace_id")
PARENT_ID = ("parentSpanId", "parent_span_id", "parent_id")
STARTED = ("startTimeUnixNano", "start_time_unix_nano", "start_time", "startTime")
ENDED = ("endTimeUnixNano", "end_time_unix_nano", "end_time", "endTime")
DROPPED = ("droppedAttributesCount", "dropped_attributes_count")
ERRORS = (2, "2", "STATUS_CODE_ERROR", "ERROR", "StatusCode.ERROR")
SESSIONS = (
    ("session", "id"),
    ("gen_ai", "conversation", "id"),
    ("langfuse", "session", "id"),
    ("traceloop", "association", "properties", "session_id"),
)


def sniff(head: bytes) -> bool:
    """Yes to an envelope of spans, and to spans."""
    return any(_is_ours(record) for record in shape.opening(head))


def _is_ours(record: jsontext.Fields) -> bool:
    if any(outer in record for outer, _inner in ENVELOPES):
        return True
    first = {key: shape.value(record, key) if key in IDS else [] for key in record}
    listed = (one for key in LISTS if key in record for one in objects(shape.value(record, key))[:1])
    return _is_span(first) or any(map(_is_span, listed))


def read(data: bytes, file: str, source: str, progress: Progress | None = None) -> Log:
    """Parse a whole file; raise FormatError where no span is a call with its prompt."""
    problems = Problems(file)
    spans: list[Span] = []
    for line, record in jsontext.records(data, problems, progress):
        said = {key: jsontext.decode(raw) for key, raw in record.items()}
        spans += [_span(found, line) for found in _spans(said)]
    found = [*entries(_with_keys(spans), problems, NO_PROMPT)]
    if not found:
        raise problems.refusal("no call of a model with its prompt in it", title)
    return Log(grouped(found, file, source, name), problems.listed())


def _spans(said: JsonObject) -> Iterator[JsonObject]:
    """The spans of a record, whatever is around them."""
    for outer, inner in ENVELOPES:
        for resource in objects(said.get(outer)):
            for scope in objects(resource.get(inner)):
                yield from objects(scope.get("spans"))
    for key in LISTS:
        yield from (span for span in objects(said.get(key)) if _is_span(span))
    if _is_span(said):
        yield said


def _is_span(said: JsonObject) -> bool:
    """A span has an id of its own and of its trace, and attributes, in some spelling."""
    known = _by_path(said)
    has_attributes = "attributes" in known or "attributes" in said
    return has_attributes and _named(known, SPAN_ID) is not None and _named(known, TRACE_ID) is not None


def _span(said: JsonObject, line: int) -> Span:
    """A span with the call that it is; ids are unique within their trace only."""
    known = _by_path(said)
    attributes = _attributes(known.get("attributes"))
    trace, parent = _named(known, TRACE_ID) or "", _named(known, PARENT_ID)
    span_name = first_text(known.get("name")) or ""
    return Span(
        span_id=f"{trace} {_named(known, SPAN_ID)}",
        parent_id=f"{trace} {parent}" if parent else None,
        line=line,
        key=first_text(*(dig(attributes, *path) for path in SESSIONS)),
        call=_call(known, attributes),
        agent=openinference.agent(attributes, span_name) or genai_spans.agent(attributes, span_name),
        failed=_failed(known),
        started_at=seconds(_value(known, STARTED)),
        ended_at=seconds(_value(known, ENDED)),
    )


def _call(known: JsonObject, attributes: Tree) -> Call | None:
    """The call of a span: OpenInference names its kind; messages that it lacks may stand in the other dialect."""
    kind = openinference.kind(attributes)
    if kind not in ("", "LLM") or not (kind or genai_spans.is_call(attributes)):
        return None
    call = openinference.call(attributes) if kind else None
    if call is None or not call.messages:
        other = genai_spans.call(attributes, [*_events(known)])
        call = other if call is None or other.messages else call
    if count(_value(known, DROPPED)):
        call = replace(call, lacks=call.lacks | {"truncated"})
    return call


def _with_keys(spans: list[Span]) -> list[Span]:
    """Spans with the session of their trace where they name none; a trace without one is a session of its own."""
    named: dict[str, str] = {}
    for span in spans:
        if span.key is not None:
            named.setdefault(span.span_id.partition(" ")[0], span.key)
    traces = [span.span_id.partition(" ")[0] for span in spans]
    return [
        replace(span, key=span.key or named.get(trace) or trace or None)
        for span, trace in zip(spans, traces, strict=True)
    ]


def _by_path(said: JsonObject) -> Tree:
    """The fields of a span; of a row of a table (``context.span_id``, ``attributes.llm.model_name``) as a tree."""
    known = dict(said) if isinstance(said.get("attributes"), list | dict) else tree(said.items())
    return {**known, **mapping(known.get("context"))}


def _attributes(value: Json) -> Tree:
    return tree((by_key(value) if isinstance(value, list) else mapping(value)).items())


def _events(known: JsonObject) -> Iterator[tuple[str, JsonObject]]:
    for event in objects(known.get("events")):
        value = event.get("attributes")
        yield first_text(event.get("name")) or "", by_key(value) if isinstance(value, list) else mapping(value)


def _failed(known: JsonObject) -> bool:
    status = mapping(known.get("status"))
    return any(code in ERRORS for code in (status.get("code"), status.get("status_code"), known.get("status_code")))


def _named(known: JsonObject, names: tuple[str, ...]) -> str | None:
    return first_text(*(known.get(one) for one in names))


def _value(known: JsonObject, names: tuple[str, ...]) -> Json:
    return next((known[one] for one in names if known.get(one) is not None), None)
