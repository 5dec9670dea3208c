"""A span of OpenInference (Phoenix and others) as a call: numbered messages and tools, JSON parameters, token counts.

The request and the response, which many instrumentations keep as JSON in ``input.value`` and ``output.value``, are
asked where the numbered attributes lack something.  Does not read the span around the attributes.
"""

from collections.abc import Iterator

from analysis.formats.attributes import has_gaps, inner, listed
from analysis.formats.bodies import response
from analysis.formats.calls import dig, first_text, mapping, objects
from analysis.formats.genai_parts import chat_message, function_tool, tool_call
from analysis.formats.loose_messages import asked, reply
from analysis.formats.totals import Counts
from analysis.formats.traced_call import Call
from analysis.model.session import Json, JsonObject, Mark

KEPT = ("tool_call_id", "name", "reasoning")


def kind(attributes: JsonObject) -> str:
    """The kind of a span in capitals; empty where it is none of OpenInference's."""
    return (first_text(dig(attributes, "openinference", "span", "kind")) or "").upper()


def agent(attributes: JsonObject, span_name: str) -> str | None:
    """The name of the agent that a span runs; None where it runs none."""
    names = (dig(attributes, "agent", "name"), dig(attributes, "graph", "node", "id"), span_name, "agent")
    return first_text(*names) if kind(attributes) == "AGENT" else None


def call(attributes: JsonObject) -> Call:
    """The call of a span whose kind is LLM."""
    llm, output = mapping(attributes.get("llm")), mapping(dig(attributes, "output", "value"))
    parameters = mapping(llm.get("invocation_parameters"))
    numbered = [message(item) for item in listed(llm.get("input_messages"))]
    raw = asked(dig(attributes, "input", "value"))
    has_more = len(raw.messages) > len(numbered) and not (raw.is_text and numbered)
    lacks: frozenset[Mark] = frozenset()
    if not has_more and has_gaps(llm.get("input_messages")):
        lacks = frozenset({"truncated"})
    answers = [message(item) for item in listed(llm.get("output_messages"))]
    answer = response(output or None)
    counts, is_known = _counts(llm), answer.usage.prompt_tokens is not None
    return Call(
        model=first_text(llm.get("model_name"), parameters.get("model"), answer.model) or "",
        messages=raw.messages if has_more else numbered,
        reply=answers[0] if answers else reply(output),
        tools=[*tools(attributes)] or raw.tools or [function_tool(tool) for tool in objects(parameters.get("tools"))],
        usage=answer.usage if is_known else counts.usage(),
        counts=None if is_known else counts,
        parameters={**(raw.fields or {}), **parameters},
        lacks=lacks,
        is_text=has_more and raw.is_text,
        request_id=answer.request_id,
        server_version=answer.server_version,
    )


def tools(attributes: JsonObject) -> Iterator[JsonObject]:
    """The numbered tools of a span."""
    for item in listed(dig(attributes, "llm", "tools")):
        if schema := mapping(inner(item, "tool").get("json_schema")):
            yield function_tool(schema)


def message(item: Json) -> JsonObject:
    """One numbered message."""
    said = inner(item, "message")
    parts = [inner(part, "message_content") for part in listed(said.get("contents"))]
    thoughts = [str(part.get("text") or "") for part in parts if part.get("type") == "reasoning"]
    content = [part for part in map(_part, parts) if part is not None]
    calls = [tool_call(inner(called, "tool_call")) for called in listed(said.get("tool_calls"))]
    kept = {name: said.get(name) for name in KEPT}
    return chat_message(said.get("role"), content or said.get("content"), thoughts=thoughts, calls=calls, kept=kept)


def _counts(llm: JsonObject) -> Counts:
    counts = mapping(llm.get("token_count"))
    details = mapping(counts.get("prompt_details"))
    return Counts(
        counts.get("prompt"),
        counts.get("completion"),
        details.get("cache_read"),
        created=details.get("cache_write"),
        total=counts.get("total"),
    )


def _part(said: JsonObject) -> JsonObject | None:
    if url := first_text(dig(said, "image", "image", "url"), dig(said, "image", "url")):
        return {"type": "image_url", "image_url": {"url": url}}
    return {"type": "text", "text": said["text"]} if said.get("type") != "reasoning" and "text" in said else None
