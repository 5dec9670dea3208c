"""Messages as OpenTelemetry's conventions for generative AI write them, as OpenAI messages.

Reads messages of typed parts (``gen_ai.input.messages``), the events and numbered attributes that came before them, and
definitions of tools in anybody's words.  Does not read spans.
"""

import json
from collections.abc import Iterable, Iterator, Sequence

from analysis.formats import anthropic_blocks, response_items
from analysis.formats.attributes import listed
from analysis.formats.calls import first_text, mapping, objects
from analysis.model.session import Json, JsonObject

SCHEMAS = ("parameters", "input_schema", "inputSchema", "parameters_json_schema")
THOUGHTS = ("reasoning", "thinking")
RESULTS = ("tool_call_response", "tool_result")


def chat_messages(messages: Json) -> Iterator[JsonObject]:
    """Messages of parts as those that they become: results of tools first, then what is left."""
    for message in objects(messages):
        yield from of_parts(message)


def of_parts(message: JsonObject) -> Iterator[JsonObject]:
    """One message of parts."""
    parts = objects(message.get("parts"))
    for part in parts:
        if part.get("type") in RESULTS:
            said = next((part[name] for name in ("response", "result", "content") if name in part), None)
            yield {"role": "tool", "tool_call_id": part.get("id"), "content": written(said)}
    thoughts = [str(part["content"]) for part in parts if part.get("type") in THOUGHTS and part.get("content")]
    calls = [tool_call(part) for part in parts if part.get("type") == "tool_call"]
    content = [one for part in parts if (one := _shown(part)) is not None]
    if not parts or any(part.get("type") not in RESULTS for part in parts):
        yield chat_message(message.get("role"), content, thoughts=thoughts, calls=calls)


def chat_message(
    role: Json,
    content: Json,
    *,
    thoughts: Sequence[str] = (),
    calls: Sequence[JsonObject] = (),
    kept: JsonObject | None = None,
) -> JsonObject:
    """A message with what it has; one part of text is the text, several stay parts."""
    if isinstance(content, list):
        single = mapping(content[0]) if len(content) == 1 else {}
        is_text = single.get("type") == "text" and "text" in single
        content = single["text"] if is_text else content or None
    message: dict[str, Json] = {"role": first_text(role) or "user", "content": content}
    message |= {key: value for key, value in (kept or {}).items() if value is not None}
    if thoughts:
        message["reasoning"] = "".join(thoughts)
    return {**message, **({"tool_calls": calls} if calls else {})}


def is_blacked_out(messages: Json) -> bool:
    """Whether a part tells its type and not what it said."""
    kinds = ("text", "reasoning")
    parts = [part for message in objects(messages) for part in objects(message.get("parts"))]
    return any(part.get("type") in kinds and "content" not in part for part in parts)


def instructions(value: Json) -> Iterator[JsonObject]:
    """The system text, given beside the messages as parts or as text."""
    parts = [
        {"type": "text", "text": first_text(part.get("content"), part.get("text")) or ""} for part in objects(value)
    ]
    if parts or (isinstance(value, str) and value):
        yield chat_message("system", parts or value)


def numbered(value: Json) -> Iterator[JsonObject]:
    """Messages of numbered attributes: ``gen_ai.prompt.0.role``, ``.content``, ``.tool_calls.0.name``."""
    for item in listed(value):
        said = mapping(item)
        calls = [tool_call(mapping(call)) for call in listed(said.get("tool_calls"))]
        kept = {key: said.get(key) for key in ("tool_call_id", "name", "reasoning")}
        content = said.get("content")
        yield chat_message(said.get("role"), objects(content) or content, calls=calls, kept=kept)


def of_events(events: Iterable[tuple[str, JsonObject]]) -> Iterator[JsonObject]:
    """Messages of the events ``gen_ai.user.message`` and its like, each a name with its fields."""
    for name, said in events:
        prefix, _dot, rest = name.partition("gen_ai.")
        kind = rest.removesuffix(".message")
        if prefix or kind == rest:
            continue
        calls = [tool_call(mapping(call)) for call in listed(said.get("tool_calls"))]
        call_id = said.get("id") if kind == "tool" else None
        yield chat_message(said.get("role") or kind, said.get("content"), calls=calls, kept={"tool_call_id": call_id})


def tool_call(said: JsonObject) -> JsonObject:
    """A call of a tool, its name at its top or within ``function``; arguments that were text stay as they are."""
    function = mapping(said.get("function")) or said
    arguments = function.get("arguments")
    called = {"name": first_text(function.get("name")) or "", "arguments": written(arguments) or ""}
    return {**({"id": said["id"]} if said.get("id") else {}), "type": "function", "function": called}


def function_tool(said: JsonObject) -> JsonObject:
    """A definition of a tool as a function, wherever its schema stands."""
    if "function" in said:
        return said
    if said.get("type") == "function" and "parameters" in said:
        return response_items.chat_tool(said)
    if "input_schema" in said:
        return anthropic_blocks.chat_tool(said)
    schema = next((said[name] for name in SCHEMAS if said.get(name) is not None), None)
    fields = {"name": said.get("name"), "description": said.get("description"), "parameters": schema}
    return {"type": "function", "function": {key: value for key, value in fields.items() if value is not None}}


def written(value: Json) -> Json:
    """A value as the text that a model reads; text stays byte for byte."""
    return value if value is None or isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _shown(part: JsonObject) -> dict[str, Json] | None:
    """A part of text or of a medium as a part of OpenAI's; None where it is neither."""
    if part.get("type") == "text":
        return {"type": "text", "text": str(part["content"])} if part.get("content") is not None else None
    if part.get("type") not in ("blob", "uri", "file"):
        return None
    kind = first_text(part.get("mime_type"), part.get("modality")) or "image"
    url = (
        first_text(part.get("uri"), part.get("file_id"))
        or f"data:{kind};base64,{first_text(part.get('content')) or ''}"
    )
    return {"type": "image_url", "image_url": {"url": url}}
