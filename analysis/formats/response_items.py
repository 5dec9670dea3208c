"""Items of the Responses API as OpenAI chat messages, the way vLLM renders them for models with a chat template.

Reasoning, text and the calls of one turn of the model are one assistant message.  gpt-oss goes through another format
(Harmony) on the server: there these messages are an approximation.
"""

from collections.abc import Iterable, Iterator

from analysis.formats.calls import objects, text
from analysis.model.session import Json, JsonObject

TEXT_TYPES = ("text", "input_text", "output_text", "reasoning_text", "summary_text")


def chat_messages(items: Iterable[JsonObject]) -> Iterator[JsonObject]:
    """The items of an input or an output as messages."""
    pending: dict[str, Json] | None = None
    for item in items:
        fields = _of_model(item)
        if fields is None:
            if pending is not None:
                yield pending
            pending = None
            yield from _from_client(item)
        elif pending is None or (set(fields) & {"content", "reasoning"} & set(pending)):
            if pending is not None:
                yield pending
            pending = {"role": "assistant", **fields}
        else:
            calls = [*objects(pending.get("tool_calls")), *objects(fields.get("tool_calls"))]
            pending = {**pending, **fields, **({"tool_calls": calls} if calls else {})}
    if pending is not None:
        yield pending


def chat_tool(tool: JsonObject) -> JsonObject:
    """A tool, whose fields stand at its top here, as a function; built-in tools stay as they are."""
    if tool.get("type") != "function" or "function" in tool:
        return tool
    names = ("name", "description", "parameters", "strict")
    return {"type": "function", "function": {key: tool[key] for key in names if tool.get(key) is not None}}


def joined(content: Json) -> Json:
    """Parts of text as one text, as the API's own clients do; other parts stay as they are."""
    parts = objects(content)
    if not isinstance(content, list) or any(part.get("type") not in TEXT_TYPES for part in parts):
        return content
    return "\n".join(str(part.get("text") or "") for part in parts)


def _of_model(item: JsonObject) -> dict[str, Json] | None:
    """What an item of the model adds to its message; None where a client wrote it."""
    kind = item.get("type")
    if kind == "reasoning":
        return {"reasoning": joined(item.get("content") or item.get("summary") or [])}
    if kind in ("function_call", "custom_tool_call"):
        arguments = item.get("arguments") if kind == "function_call" else item.get("input")
        function = {"name": text(item.get("name")) or "", "arguments": arguments if arguments is not None else ""}
        return {"tool_calls": [{"id": item.get("call_id"), "type": "function", "function": function}]}
    if kind in ("message", None) and item.get("role") == "assistant":
        return {"content": joined(item.get("content"))}
    return None


def _from_client(item: JsonObject) -> Iterator[JsonObject]:
    kind = item.get("type")
    if kind in ("function_call_output", "custom_tool_call_output"):
        yield {"role": "tool", "tool_call_id": item.get("call_id"), "content": joined(item.get("output"))}
    elif kind in ("message", None) and item.get("role"):
        yield {"role": item["role"], "content": joined(item.get("content"))}
