"""A request as a call of Inspect holds it: the raw body of one of three APIs, or Inspect's own messages.

Raw bodies of other APIs are passed over.  Inspect's own messages are written as Inspect writes them for OpenAI.
"""

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

from analysis.formats import anthropic_blocks, response_items
from analysis.formats.bodies import response
from analysis.formats.calls import dig, first_text, mapping, objects
from analysis.model.session import Json, JsonObject

Written = Callable[[JsonObject], Iterable[JsonObject]]


@dataclass(frozen=True, slots=True, eq=False)
class Asked:
    """What was sent and what came back, in OpenAI's form."""

    messages: tuple[JsonObject, ...]
    tools: tuple[JsonObject, ...]
    reply: JsonObject | None


@dataclass(slots=True)
class InspectBodies:
    """Reads the requests of one log.  A message that comes again as the same object is written once."""

    _known: dict[int, tuple[JsonObject, tuple[JsonObject, ...]]] = field(default_factory=dict)

    def raw(self, request: JsonObject, answer: JsonObject) -> Asked | None:
        """The raw request by the API that its answer speaks; None where that is none of OpenAI's or Anthropic's."""
        messages, tools = objects(request.get("messages")), objects(request.get("tools"))
        if answer.get("type") == "message" and messages:
            told = (one for one in messages if one.get("role") != "system")
            head = anthropic_blocks.system_message(request.get("system"), messages)
            content = answer.get("content")
            reply = anthropic_blocks.reply(content) if isinstance(content, list) else None
            functions = tuple(anthropic_blocks.chat_tool(tool) for tool in tools)
            return Asked((*head, *self._written(told, anthropic_blocks.chat_messages)), functions, reply)
        if answer.get("object") == "response" and request.get("input"):
            return _of_responses(request, answer, tools)
        if "choices" in answer and messages:
            return Asked(tuple(messages), tuple(tools), response(answer).reply)
        return None

    def own(self, messages: Iterable[JsonObject], event: JsonObject) -> Asked:
        """The request by Inspect's own messages and tools."""
        choices = objects(dig(event.get("output"), "choices"))
        said = mapping(choices[0].get("message")) if choices else {}
        reply = next(iter(_chat_messages(said)), None) if said else None
        return Asked(tuple(self._written(messages, _chat_messages)), tuple(_tools(event)), reply)

    def _written(self, messages: Iterable[JsonObject], write: Written) -> Iterator[JsonObject]:
        for message in messages:
            known = self._known.get(id(message))
            if known is None:
                known = self._known[id(message)] = (message, tuple(write(message)))
            yield from known[1]


def _of_responses(request: JsonObject, answer: JsonObject, tools: list[dict[str, Json]]) -> Asked:
    given, text = request["input"], first_text(request.get("instructions"))
    items = [{"role": "user", "content": given}] if isinstance(given, str) else objects(given)
    system: list[JsonObject] = [{"role": "system", "content": text}] if text is not None else []
    replies = [*response_items.chat_messages(objects(answer.get("output")))]
    functions = tuple(response_items.chat_tool(tool) for tool in tools)
    return Asked((*system, *response_items.chat_messages(items)), functions, replies[-1] if replies else None)


def _tools(event: JsonObject) -> Iterator[JsonObject]:
    for tool in objects(event.get("tools")):
        said = {key: tool[key] for key in ("name", "description", "parameters") if tool.get(key) is not None}
        yield {"type": "function", "function": said}


def _chat_messages(message: JsonObject) -> Iterator[JsonObject]:
    """A message of Inspect in OpenAI's form."""
    role, content = first_text(message.get("role")) or "", message.get("content")
    if role == "tool":
        error = first_text(dig(message.get("error"), "message"))
        said = f"Error: {error}" if error is not None else _text(content)
        yield {"role": role, "tool_call_id": message.get("tool_call_id"), "content": said}
    elif role == "assistant":
        reasoning = [str(part.get("reasoning") or "") for part in objects(content) if part.get("type") == "reasoning"]
        calls = [_call(call) for call in objects(message.get("tool_calls"))]
        yield {
            "role": role,
            "content": _text(content),
            **({"reasoning": "\n".join(reasoning)} if any(reasoning) else {}),
            **({"tool_calls": calls} if calls else {}),
        }
    else:
        pictures = any(part.get("type") == "image" for part in objects(content))
        yield {"role": role, "content": [*_parts(content)] if pictures else _text(content)}


def _text(content: Json) -> str:
    if not isinstance(content, list):
        return first_text(content) or ""
    return "\n".join(first_text(part.get("text")) or "" for part in objects(content) if part.get("type") == "text")


def _parts(content: Json) -> Iterator[JsonObject]:
    for part in objects(content):
        if part.get("type") == "text":
            yield {"type": "text", "text": first_text(part.get("text")) or ""}
        elif part.get("type") == "image":
            yield {"type": "image_url", "image_url": {"url": first_text(part.get("image")) or ""}}


def _call(call: JsonObject) -> dict[str, Json]:
    function = {"name": first_text(call.get("function")) or "", "arguments": json.dumps(call.get("arguments") or {})}
    return {"id": call.get("id"), "type": "function", "function": function}
