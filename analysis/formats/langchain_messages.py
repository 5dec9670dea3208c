"""LangChain's messages, however it serialised them, as OpenAI messages.

Reads constructors (``{lc, id, kwargs}``), ``{type, data}`` and plain dumps.  Tool calls that the client sent are taken
with the text of their arguments; where only parsed arguments are kept, they are written as JSON again.
"""

from analysis.formats import genai_parts
from analysis.formats.calls import dig, first_text, mapping, objects
from analysis.model.session import Json, JsonObject

ROLES = {
    "human": "user",
    "ai": "assistant",
    "chat": "user",
    "system": "system",
    "developer": "developer",
    "tool": "tool",
    "function": "function",
}
KEPT = ("name", "tool_call_id")


def is_langchain(message: JsonObject) -> bool:
    """Whether this is a message in LangChain's words."""
    if "kwargs" in message and "id" in message:
        return True
    return "additional_kwargs" in message or ("role" not in message and _role(message) is not None)


def chat_message(message: JsonObject) -> JsonObject:
    """A message with its role, content and tool calls."""
    held = mapping(message.get("kwargs")) or mapping(message.get("data")) or message
    extra = mapping(held.get("additional_kwargs"))
    calls: list[JsonObject] = [*objects(extra.get("tool_calls"))]
    calls = calls or [_parsed(call) for call in objects(held.get("tool_calls"))]
    thought = first_text(extra.get("reasoning_content"), held.get("reasoning_content"))
    kept = {key: held.get(key) for key in KEPT}
    role = _role(message) or _role(held)
    return genai_parts.chat_message(
        role, held.get("content"), thoughts=[thought] if thought else (), calls=calls, kept=kept
    )


def generation(outputs: JsonObject) -> dict[str, Json]:
    """The first message of a result with ``generations``, as it was serialised; empty where there is none."""
    held = outputs.get("generations")
    first = held[0] if isinstance(held, list) and held else None
    first = first[0] if isinstance(first, list) and first else first
    said = mapping(first)
    return mapping(said.get("message")) or ({"role": "assistant", "content": said["text"]} if "text" in said else {})


def _role(message: JsonObject) -> str | None:
    """The role by the class of the message, its type or its role."""
    path = message.get("id")
    named = path[-1] if isinstance(path, list) and path and "kwargs" in message else message.get("type")
    kind = str(named or "").removesuffix("Chunk").removesuffix("Message").lower()
    role = message.get("role") or dig(message, "kwargs", "role") if kind in ("chat", "") else None
    return first_text(role) or ROLES.get(kind)


def _parsed(call: JsonObject) -> JsonObject:
    return genai_parts.tool_call(call if "args" not in call else {**call, "arguments": call["args"]})
