"""Anthropic's content blocks as OpenAI messages, the way vLLM turns a /v1/messages request into a chat request.

The rule is vLLM's (main of November 2026, vllm/entrypoints/anthropic/serving.py): thinking becomes ``reasoning``,
tool_use a tool call with its input written as JSON, tool_result a tool message before the rest of its message.
Does not read requests or streams.
"""

import json
from collections.abc import Iterable, Iterator

from analysis.core.normalise import BILLING_LINE
from analysis.formats.calls import mapping, objects
from analysis.model.session import Json, JsonObject


def system_message(system: Json, messages: Iterable[JsonObject] = ()) -> Iterator[JsonObject]:
    """The system text and that of system messages among the others, joined without a separator; none where empty."""
    texts = [*_system_texts(system)]
    for message in messages:
        if message.get("role") == "system":
            texts += _system_texts(message.get("content"))
    if texts:
        yield {"role": "system", "content": "".join(texts)}


def chat_messages(message: JsonObject) -> tuple[JsonObject, ...]:
    """One message as those that it becomes: the results of tools first, then what is left of it."""
    role, content = str(message.get("role")), message.get("content")
    if not isinstance(content, list):
        return ({"role": role, "content": content},)
    blocks = objects(content)
    results = [one for block in blocks if role == "user" for one in _results(block)]
    rest: dict[str, Json] = {"role": role}
    thinking = [str(block["thinking"]) for block in blocks if block.get("type") == "thinking" and "thinking" in block]
    calls = [_call(block) for block in blocks if block.get("type") == "tool_use"]
    parts = [part for block in blocks for part in _parts(block, role)]
    if thinking:
        rest["reasoning"] = "".join(thinking)
    if calls:
        rest["tool_calls"] = calls
    if parts:
        rest["content"] = parts[0]["text"] if len(parts) == 1 and parts[0].get("type") == "text" else parts
    return (*results, *([] if role == "user" and not parts else [rest]))


def reply(content: Json) -> JsonObject:
    """The content of a response as the assistant's message."""
    return chat_messages({"role": "assistant", "content": content})[-1]


def chat_tool(tool: JsonObject) -> JsonObject:
    """A tool with its schema as a function."""
    function = {
        "name": tool.get("name"),
        "description": tool.get("description"),
        "parameters": tool.get("input_schema"),
    }
    return {"type": "function", "function": {key: value for key, value in function.items() if value is not None}}


def _system_texts(system: Json) -> list[str]:
    """Texts that are not empty, without the line of Claude Code that differs in every request."""
    if isinstance(system, str):
        return [system] if system else []
    texts = [str(block.get("text") or "") for block in objects(system) if block.get("type") == "text"]
    return [text for text in texts if text and not text.startswith(BILLING_LINE)]


def _parts(block: JsonObject, role: str) -> Iterator[dict[str, Json]]:
    kind = block.get("type")
    if kind == "text" and block.get("text"):
        yield {"type": "text", "text": block["text"]}
    elif kind == "image":
        yield _image(block)
    elif kind == "tool_result" and role != "user":
        yield {"type": "text", "text": f"Tool result: {block.get('content') or ''}"}


def _results(block: JsonObject) -> Iterator[JsonObject]:
    if block.get("type") != "tool_result":
        return
    content, call_id = block.get("content"), block.get("tool_use_id") or ""
    items = objects(content)
    texts = [str(item.get("text", "")) for item in items if item.get("type") == "text"]
    yield {
        "role": "tool",
        "tool_call_id": call_id,
        "content": content if isinstance(content, str) else "\n".join(texts),
    }
    images = [_image(item) for item in items if item.get("type") == "image"]
    if images:
        yield {"role": "user", "content": images}


def _call(block: JsonObject) -> JsonObject:
    arguments = json.dumps(block.get("input") or {})
    function = {"name": block.get("name") or "", "arguments": arguments}
    return {"id": block.get("id"), "type": "function", "function": function}


def _image(block: JsonObject) -> dict[str, Json]:
    source = mapping(block.get("source"))
    if source.get("type") == "url":
        url = str(source.get("url") or "")
    else:
        url = f"data:{source.get('media_type', 'image/jpeg')};base64,{source.get('data', '')}"
    return {"type": "image_url", "image_url": {"url": url}}
