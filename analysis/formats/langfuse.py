"""Exports of Langfuse: a trace with its observations, and observations as a JSON array, JSON lines or CSV.

A call is an observation of the type GENERATION.  Counts are those of its usage details alone: what a reply says of its
own usage is not asked.  Does not read scores or datasets.
"""

from collections.abc import Iterator

from analysis.formats import genai_spans, jsontext, openinference, shape, tables
from analysis.formats.attributes import listed, tree
from analysis.formats.base import Problems, Progress
from analysis.formats.calls import count, first_text, mapping, objects, usage
from analysis.formats.genai_parts import function_tool
from analysis.formats.grouping import grouped
from analysis.formats.loose_messages import Asked, asked, reply
from analysis.formats.times import seconds
from analysis.formats.totals import settled
from analysis.formats.traced_call import Call, Span, entries
from analysis.model.session import Json, JsonObject, Log, Usage

name = "langfuse"
title = "Langfuse exports: traces with observations, observations as JSON, JSON lines or CSV"
looks_for = "an object with observations, or observations with traceId and parentObservationId or usageDetails"
limitations: tuple[str, ...] = (
    "calls are observations of the type GENERATION; one within another one that counts the same is that one",
    "requests that the client logged as text have no roles: their system prompt and tools are not known",
    "Langfuse counts prompts itself where the client sent no usage: such counts are estimates",
)

NO_PROMPT = "Langfuse has no input of it; very large inputs are left out of a download: export the table instead."
TRACE_ID = ("traceId", "trace_id")
PARENT_ID = ("parentObservationId", "parent_observation_id")
USAGE = ("usageDetails", "usage_details", "providedUsageDetails", "provided_usage_details", "usage")
SESSION = ("sessionId", "session_id")
MODEL = ("model", "provided_model_name", "providedModelName", "modelName")
PROMPT = ("input", "prompt_tokens", "input_tokens", "promptTokens")
OUTPUT = ("output", "completion_tokens", "output_tokens", "completionTokens")
SUBTRACTED = ("input_cached_tokens", "input_cache_read")  # Langfuse takes them off the prompt
CACHED = (*SUBTRACTED, "prompt_details.cache_read", "cache_read_input_tokens", "cached_tokens")
ANTHROPIC = ("cache_read_input_tokens", "cache_creation_input_tokens")  # which are not in its prompt
CREATED = ("cache_creation_input_tokens", "prompt_details.cache_write")


def sniff(head: bytes) -> bool:
    """Yes to traces with observations, and to observations."""
    columns = tables.header(head)
    if columns:
        return _is_observation(columns)
    return any(_is_trace(one) or _is_observation(tuple(one)) or _is_page(one) for one in shape.opening(head))


def _is_trace(record: jsontext.Fields) -> bool:
    return "observations" in record and bool({"trace", "id"} & record.keys())


def _is_observation(names: tuple[str, ...]) -> bool:
    known = set(names)
    return bool(known & set(TRACE_ID)) and bool(known & {*PARENT_ID, *USAGE[:4]}) and bool(known & {"input", "type"})


def _is_page(record: jsontext.Fields) -> bool:
    """What the API answers: a page of observations, which ``meta`` counts."""
    if not {"data", "meta"} <= record.keys():
        return False
    return any(_is_observation(tuple(one)) for one in objects(shape.value(record, "data"))[:1])


def read(data: bytes, file: str, source: str, progress: Progress | None = None) -> Log:
    """Parse a whole export; raise FormatError where no observation is a call with its prompt."""
    problems = Problems(file)
    seen = enumerate(_observations(data, problems, progress), 1)
    spans = [_span(said, line, key, number) for number, (line, said, key) in seen]
    found = [*entries(spans, problems, NO_PROMPT)]
    if not found:
        raise problems.refusal("no call of a model with its prompt in it", title)
    return Log(grouped(found, file, source, name), problems.listed())


def _observations(
    data: bytes, problems: Problems, progress: Progress | None
) -> Iterator[tuple[int, JsonObject, str | None]]:
    """Every observation with its line and the session that its trace names."""
    columns = tables.header(data)
    if columns:
        yield from ((line, row, None) for line, row in tables.rows(data, columns, problems))
        return
    for line, record in jsontext.records(data, problems, progress):
        said = {key: jsontext.decode(raw) for key, raw in record.items()}
        if "observations" in said:
            trace = mapping(said.get("trace")) or said
            key = first_text(*(trace.get(one) for one in SESSION), trace.get("id"))
            for seen in objects(said["observations"]) or objects(trace.get("observations")):
                yield line, seen, key
        elif held := objects(said.get("data")):
            yield from ((line, seen, None) for seen in held)
        else:
            yield line, said, None


def _span(seen: JsonObject, line: int, key: str | None, number: int) -> Span:
    kind = first_text(seen.get("type"))
    is_call = kind == "GENERATION" or (kind is None and _said(seen, MODEL) is not None)
    named = first_text(seen.get("name"))
    return Span(
        span_id=first_text(seen.get("id")) or f"observation {number}",
        parent_id=first_text(_said(seen, PARENT_ID)),
        line=line,
        key=first_text(_said(seen, SESSION), key, _said(seen, TRACE_ID)),
        call=_call(seen) if is_call else None,
        agent=(named or "agent") if kind == "AGENT" or named == "LangGraph" else None,
        failed=seen.get("level") == "ERROR",
        started_at=seconds(_said(seen, ("startTime", "start_time"))),
        ended_at=seconds(_said(seen, ("endTime", "end_time"))),
        first_token_at=seconds(_said(seen, ("completionStartTime", "completion_start_time"))),
    )


def _call(seen: JsonObject) -> Call:
    wanted, answer = asked(seen.get("input")), mapping(seen.get("output"))
    messages = wanted.messages
    instructions = first_text(answer.get("instructions")) if answer.get("object") == "response" else None
    if instructions and messages and not any(message.get("role") == "system" for message in messages):
        messages = ({"role": "system", "content": instructions}, *messages)
    return Call(
        model=first_text(_said(seen, MODEL)) or "",
        messages=messages,
        reply=reply(seen.get("output")),
        tools=_tools(seen, wanted, answer),
        usage=counted(mapping(_said(seen, USAGE))),
        parameters={**mapping(seen.get("modelParameters") or seen.get("model_parameters")), **(wanted.fields or {})},
        is_text=wanted.is_text,
        request_id=first_text(seen.get("id")),
    )


def _tools(seen: JsonObject, wanted: Asked, answer: JsonObject) -> list[JsonObject]:
    """The tools of a request, from whichever place the instrumentation put them in."""
    if wanted.tools:
        return [*wanted.tools]
    metadata = mapping(seen.get("metadata"))
    attributes = tree(mapping(metadata.get("attributes")).items())
    defined = mapping(_said(seen, ("toolDefinitions", "tool_definitions")))
    candidates = (
        [function_tool(said) for tool in listed(metadata.get("tools")) if (said := mapping(tool))],
        [function_tool(tool) for tool in objects(answer.get("tools"))],
        [*genai_spans.tools(attributes)],
        [*openinference.tools(attributes)],
        [function_tool({"name": named, **mapping(tool)}) for named, tool in defined.items()],
    )
    return next((tools for tools in candidates if tools), [])


def counted(said: JsonObject) -> Usage:
    """The usage of an observation, in tokens.

    Details that begin with ``input_`` and ``output_`` are what Langfuse took off the prompt and the output; other
    details have the names of the client, which did not.  Where there is a total, it decides.
    """
    inner = [
        number
        for key, value in said.items()
        if key.startswith("input_") and key not in PROMPT and (number := count(value))
    ]
    outer = [
        number
        for key, value in said.items()
        if key.startswith("output_") and key not in OUTPUT and (number := count(value))
    ]
    prompt, output, cached = _said(said, PROMPT), count(_said(said, OUTPUT)), _said(said, CACHED)
    total = count(said.get("total", said.get("total_tokens")))
    if any(one in said for one in SUBTRACTED) or inner:
        if total is not None and total == (count(prompt) or 0) + (output or 0):
            return usage(prompt, output, cached)
        beside = sum(inner) - (count(cached) or 0) if any(one in said for one in SUBTRACTED) else sum(inner)
        answered = None if output is None else output + sum(outer)
        return usage(prompt, answered, cached, created=max(beside, 0), apart=True)
    apart = any(one in said for one in ANTHROPIC)
    return settled(prompt, output, cached, created=_said(said, CREATED), total=total, apart=apart)


def _said(held: JsonObject, names: tuple[str, ...]) -> Json:
    return next((held[one] for one in names if held.get(one) not in (None, "", {})), None)
