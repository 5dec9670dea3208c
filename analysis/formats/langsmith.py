"""Runs of LangSmith: exports as JSON, JSON lines or pages of the API, and batches of a client (``post`` and ``patch``).

A call is a run of the type llm; a patch completes the run that was posted under its id.  ``session_id`` of a run is its
project: sessions are threads that the metadata name, else traces.  Does not read Parquet.
"""

from collections.abc import Iterator

from analysis.formats import jsontext, shape
from analysis.formats.base import Problems, Progress
from analysis.formats.bodies import response
from analysis.formats.calls import dig, first_text, mapping, objects, usage
from analysis.formats.genai_parts import function_tool
from analysis.formats.grouping import grouped
from analysis.formats.langchain_messages import generation
from analysis.formats.loose_messages import Asked, asked, reply
from analysis.formats.times import seconds
from analysis.formats.totals import Counts
from analysis.formats.traced_call import Call, Span, entries
from analysis.model.session import Json, JsonObject, Log, Usage

name = "langsmith"
title = "LangSmith runs: exports (JSON, JSON lines) and batches of a client"
looks_for = "runs with dotted_order and run_type, alone, in runs or data, or in post and patch"
limitations: tuple[str, ...] = (
    "calls are runs of the type llm; one within another one that counts the same is that one",
    "the session of an export is a project: sessions are the threads of the metadata, else the traces",
    "what a wrapper dropped of a response is unknown: a cached count that is missing may be a zero",
)

NO_PROMPT = "LangSmith has no inputs of it; were they hidden (LANGSMITH_HIDE_INPUTS)?"
LISTS = ("post", "patch", "runs", "data")
THREADS = ("session_id", "thread_id", "conversation_id")
DEEPEST = 32  # runs within runs


def sniff(head: bytes) -> bool:
    """Yes to runs, and to what holds runs."""
    return any(_is_ours(record) for record in shape.opening(head))


def _is_ours(record: jsontext.Fields) -> bool:
    if _is_run(record) or {"post", "patch"} <= record.keys():
        return True
    return any(_is_run(run) for key in LISTS if key in record for run in objects(shape.value(record, key))[:1])


def _is_run(record: JsonObject | jsontext.Fields) -> bool:
    return "dotted_order" in record and bool({"run_type", "inputs", "outputs"} & record.keys())


def read(data: bytes, file: str, source: str, progress: Progress | None = None) -> Log:
    """Parse a whole export; raise FormatError where no run is a call with its prompt."""
    problems = Problems(file)
    runs: dict[str, tuple[int, dict[str, Json]]] = {}
    for line, record in jsontext.records(data, problems, progress):
        said = {key: jsontext.decode(raw) for key, raw in record.items()}
        for run in _runs(said):
            run_id = first_text(run.get("id")) or f"run {len(runs) + 1}"
            first, known = runs.get(run_id, (line, {}))
            runs[run_id] = (
                first,
                {**known, **{key: value for key, value in run.items() if value not in (None, "", [], {})}},
            )
    spans = [_span(run_id, run, line) for run_id, (line, run) in runs.items()]
    found = [*entries(spans, problems, NO_PROMPT)]
    if not found:
        raise problems.refusal("no call of a model with its prompt in it", title)
    return Log(grouped(found, file, source, name), problems.listed())


def _runs(said: JsonObject, depth: int = 0) -> Iterator[JsonObject]:
    """The runs of a record, and those within them."""
    if _is_run(said) or "run_type" in said:
        yield said
    for key in (*LISTS, "child_runs"):
        for run in objects(said.get(key)) if depth < DEEPEST else ():
            yield from _runs(run, depth + 1)


def _span(run_id: str, run: JsonObject, line: int) -> Span:
    metadata = {**mapping(run.get("metadata")), **mapping(dig(run.get("extra"), "metadata"))}
    named = first_text(run.get("name"))
    is_agent = run.get("run_type") == "chain" and named in ("LangGraph", metadata.get("lc_agent_name"))
    return Span(
        span_id=run_id,
        parent_id=first_text(run.get("parent_run_id"), _parent(run)),
        line=line,
        key=first_text(*(metadata.get(key) for key in THREADS), run.get("thread_id"), run.get("trace_id")),
        call=_call(run, metadata) if run.get("run_type") == "llm" else None,
        agent=named if is_agent else None,
        failed=first_text(run.get("error")) is not None or run.get("status") == "error",
        started_at=seconds(run.get("start_time")),
        ended_at=seconds(run.get("end_time")),
        first_token_at=seconds(run.get("first_token_time")),
    )


def _parent(run: JsonObject) -> str | None:
    """The run around one, by its place in the dotted order: times with ids, from the root of the trace."""
    *_others, above, _own = ["", "", *(first_text(run.get("dotted_order")) or "").split(".")]
    return above.partition("Z")[2] or None


def _call(run: JsonObject, metadata: JsonObject) -> Call:
    inputs, outputs = mapping(run.get("inputs")), mapping(run.get("outputs"))
    given = mapping(dig(run.get("extra"), "invocation_params"))
    wanted, answer = asked(inputs), response(outputs or None)
    models = (inputs.get("model"), given.get("model"), given.get("model_name"), metadata.get("ls_model_name"))
    is_known = answer.usage.prompt_tokens is not None
    counts = None if is_known else _counts(outputs, metadata)
    return Call(
        model=first_text(*models, answer.model) or "",
        messages=wanted.messages,
        reply=reply(outputs),
        tools=_tools(wanted, given),
        usage=counts.usage() if counts else answer.usage if is_known else _older(run, outputs),
        counts=counts,
        parameters={**given, **(wanted.fields or {})},
        is_text=wanted.is_text,
        request_id=first_text(run.get("id")),
        server_version=answer.server_version,
    )


def _tools(wanted: Asked, given: JsonObject) -> list[JsonObject]:
    functions: list[JsonObject] = [{"type": "function", "function": one} for one in objects(given.get("functions"))]
    return [*wanted.tools] or [function_tool(tool) for tool in objects(given.get("tools"))] or functions


def _counts(outputs: JsonObject, metadata: JsonObject) -> Counts | None:
    """What LangSmith made of the usage of a response."""
    message = generation(outputs)
    held = mapping(message.get("kwargs")) or message
    candidates = (outputs.get("usage_metadata"), held.get("usage_metadata"), metadata.get("usage_metadata"))
    said = next((found for one in candidates if (found := mapping(one))), {})
    details = mapping(said.get("input_token_details"))
    if not said:
        return None
    return Counts(
        said.get("input_tokens"),
        said.get("output_tokens"),
        details.get("cache_read"),
        created=details.get("cache_creation"),
        total=said.get("total_tokens"),
    )


def _older(run: JsonObject, outputs: JsonObject) -> Usage:
    """The usage by its older names, else the counts of the run."""
    older = response({"usage": dig(outputs, "llm_output", "token_usage")}).usage
    return older if older.prompt_tokens is not None else usage(run.get("prompt_tokens"), run.get("completion_tokens"))
