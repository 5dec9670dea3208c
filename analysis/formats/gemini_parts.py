"""Contents of Google's API (a role and its parts) as OpenAI chat messages, the way clients send them to vLLM.

Thoughts become reasoning, a call its arguments as JSON text, a response a message of the tool.  Does not read logs.
"""

import json
from collections.abc import Iterator

from analysis.formats.calls import dig, first_text, mapping, objects
from analysis.model.session import Json, JsonObject

MODEL = "model"


def chat_messages(role: str, content: Json) -> tuple[JsonObject, ...]:
    """One content as the messages that it becomes: what tools returned first, then the rest of it.

    ``content`` is a list of parts, one part or a text.
    """
    parts = parts_of(content)
    if role == MODEL:
        return (_of_model(parts),)
    results = [_result(mapping(part["functionResponse"])) for part in parts if "functionResponse" in part]
    shown = [one for part in parts for one in _shown(part)]
    if not shown:
        return tuple(results)
    lone = shown[0]["text"] if len(shown) == 1 and shown[0]["type"] == "text" else shown
    return (*results, {"role": "user", "content": lone})


def parts_of(content: Json) -> list[dict[str, Json]]:
    """The parts of a content, however it is written."""
    if isinstance(content, str):
        return [{"text": content}] if content else []
    if isinstance(content, list):
        return [one for item in content for one in parts_of(item)]
    return [content] if isinstance(content, dict) else []


def _of_model(parts: list[dict[str, Json]]) -> JsonObject:
    said: dict[str, Json] = {"role": "assistant"}
    thoughts = [str(part["text"]) for part in parts if part.get("thought") is True and part.get("text")]
    texts = [str(part["text"]) for part in parts if part.get("thought") is not True and part.get("text")]
    calls = [_call(mapping(part["functionCall"])) for part in parts if "functionCall" in part]
    said["content"] = "".join(texts) if texts or not calls else None
    if thoughts:
        said["reasoning_content"] = "".join(thoughts)
    if calls:
        said["tool_calls"] = calls
    return said


def _call(call: JsonObject) -> JsonObject:
    arguments = json.dumps(call.get("args") or {}, ensure_ascii=False, separators=(",", ":"))
    function = {"name": first_text(call.get("name")) or "", "arguments": arguments}
    return {"id": call.get("id"), "type": "function", "function": function}


def _result(response: JsonObject) -> JsonObject:
    """What a tool returned: its output or its error where it has one, else all of it as JSON."""
    returned = response.get("response")
    text = first_text(dig(returned, "output"), dig(returned, "error"))
    if text is None:
        text = returned if isinstance(returned, str) else json.dumps(returned, ensure_ascii=False)
    return {"role": "tool", "tool_call_id": first_text(response.get("id")) or "", "content": text}


def _shown(part: JsonObject) -> Iterator[dict[str, Json]]:
    if part.get("text"):
        yield {"type": "text", "text": str(part["text"])}
    for inline in objects([part.get("inlineData")]):
        url = f"data:{inline.get('mimeType')};base64,{inline.get('data')}"
        yield {"type": "image_url", "image_url": {"url": url}}
