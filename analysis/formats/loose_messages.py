"""What a tracing tool kept of a request or a reply, in whatever shape the client gave it, as OpenAI messages.

Takes objects, JSON text, lists; OpenAI, Responses, Anthropic, LangChain, AI SDK and OpenTelemetry messages.  Text that
is no JSON is one message: its roles are not told apart.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from analysis.formats import anthropic_blocks, genai_parts, langchain_messages, response_items
from analysis.formats.bodies import response
from analysis.formats.calls import first_text, mapping, objects
from analysis.formats.genai_parts import function_tool, tool_call, written
from analysis.formats.transcript import sent
from analysis.model.session import Json, JsonObject

ITEMS = ("function_call", "function_call_output", "reasoning", "custom_tool_call", "custom_tool_call_output")
BLOCKS = ("tool_use", "tool_result", "thinking")
HOLDERS = ("messages", "input", "prompt", "prompts", "contents")
DEEPEST = 6  # holders within holders


@dataclass(frozen=True, slots=True, eq=False)
class Asked:
    """The messages and tools of a request; ``fields`` is what stood beside them.

    ``is_text``: the messages were not kept as such, so neither a system prompt nor tools can be told from them.
    """

    messages: tuple[JsonObject, ...] = ()
    tools: tuple[JsonObject, ...] = ()
    fields: JsonObject | None = None
    is_text: bool = False


def asked(value: Json, depth: int = 0) -> Asked:
    """A request."""
    if depth > DEEPEST:
        return Asked()
    if isinstance(value, str):
        held: Json = objects(value) or mapping(value)
        return asked(held, depth + 1) if held else _text(value)
    if isinstance(value, list):
        inner = next((one for one in value if isinstance(one, list)), None)  # LangChain's batch of one
        if inner is not None:
            return asked(inner, depth + 1)
        if value and all(isinstance(one, str) for one in value):
            return _text("\n".join(map(str, value)))
        return _of_list(objects(value))
    fields = mapping(value)
    if "role" in fields or langchain_messages.is_langchain(fields):
        return _of_list([fields])
    holder = next((name for name in HOLDERS if fields.get(name) not in (None, "", [], {})), None)
    if holder is None:
        return Asked()
    within = asked(fields[holder], depth + 1)
    is_text = within.is_text and holder not in ("input", "prompt")
    system = tuple(anthropic_blocks.system_message(fields.get("system") or fields.get("instructions")))
    tools = tuple(function_tool(tool) for tool in objects(fields.get("tools"))) or within.tools
    rest = {key: item for key, item in fields.items() if key != holder}
    return Asked((*system, *within.messages), tools, rest, is_text)


def reply(value: Json, depth: int = 0) -> JsonObject | None:
    """What the model answered; None where nothing of it was kept."""
    if isinstance(value, str):
        held: Json = objects(value) or mapping(value)
        return reply(held, depth + 1) if held else {"role": "assistant", "content": value} if value else None
    if isinstance(value, list):
        return _last(chat_messages(objects(value)))
    said = mapping(value)
    if "choices" in said:
        return response(said).reply
    if said.get("type") == "message" and isinstance(said.get("content"), list) and "output" not in said:
        return anthropic_blocks.reply(said["content"])
    if "generations" in said:
        return _last(chat_messages([langchain_messages.generation(said)]))
    if "role" in said or langchain_messages.is_langchain(said):
        return _last(chat_messages([said]))
    for name in ("output", "messages", "message"):
        if isinstance(said.get(name), list | dict):
            return reply(said[name], depth + 1) if depth < DEEPEST else None
    if (
        text := first_text(said.get("text"), said.get("content"), said.get("output"))
    ) is not None or "toolCalls" in said:
        calls = [_ai_call(call) for call in objects(said.get("toolCalls"))]
        return genai_parts.chat_message("assistant", text, calls=calls)
    return None


def chat_messages(messages: Sequence[JsonObject]) -> Iterator[JsonObject]:
    """Messages of any of these tools; what is no message is passed over."""
    if any(message.get("type") in ITEMS for message in messages):
        yield from response_items.chat_messages(messages)
        return
    if messages and all("toolCallId" in message for message in messages):
        yield genai_parts.chat_message("assistant", None, calls=[_ai_call(call) for call in messages])
        return
    for message in messages:
        yield from _converted(message)


def _converted(message: JsonObject) -> Iterator[JsonObject]:
    """One message as those that it becomes."""
    if "parts" in message:
        yield from genai_parts.of_parts(message)
        return
    if langchain_messages.is_langchain(message):
        message = {**sent(message), **langchain_messages.chat_message(message)}
    if message.get("role") is None:
        return
    kinds = {str(part.get("type")) for part in objects(message.get("content"))}
    if kinds & {"tool-call", "tool-result"}:
        yield from _of_ai_sdk(message)
    elif kinds & set(BLOCKS) and not message.get("tool_calls"):
        yield from anthropic_blocks.chat_messages(message)
    elif kinds & {"input_text", "output_text"}:
        yield {**sent(message), "content": response_items.joined(message.get("content"))}
    else:
        yield sent(message)


def _of_list(messages: Sequence[JsonObject]) -> Asked:
    """Messages, among which LangGraph puts the definitions of tools as messages of the role ``tool``."""
    tools = [function_tool(mapping(message.get("content"))) for message in messages if _is_tool(message)]
    rest = [message for message in messages if not _is_tool(message)]
    return Asked(tuple(chat_messages(rest)), tuple(tools))


def _is_tool(message: JsonObject) -> bool:
    content = message.get("content")
    return message.get("role") == "tool" and isinstance(content, dict) and "function" in content


def _text(value: str) -> Asked:
    return Asked(({"role": "user", "content": value},), is_text=True) if value.strip() else Asked()


def _of_ai_sdk(message: JsonObject) -> Iterator[JsonObject]:
    """A message of the AI SDK: results are messages of their own, calls and texts one."""
    parts = objects(message.get("content"))
    for part in parts:
        if part.get("type") == "tool-result":
            output = part.get("output") if "output" in part else part.get("result")
            said = mapping(output).get("value", output)
            yield {"role": "tool", "tool_call_id": part.get("toolCallId"), "content": written(said)}
    texts = [{"type": "text", "text": str(part.get("text") or "")} for part in parts if part.get("type") == "text"]
    thoughts = [str(part.get("text") or "") for part in parts if part.get("type") == "reasoning"]
    calls = [_ai_call(part) for part in parts if part.get("type") == "tool-call"]
    if texts or thoughts or calls:
        yield genai_parts.chat_message(message["role"], texts, thoughts=thoughts, calls=calls)


def _ai_call(call: JsonObject) -> JsonObject:
    arguments = next((call[name] for name in ("input", "args", "arguments") if name in call), None)
    return tool_call({"id": call.get("toolCallId"), "name": call.get("toolName"), "arguments": arguments})


def _last(messages: Iterable[JsonObject]) -> JsonObject | None:
    return next(reversed(list(messages)), None)
