"""What vLLM does to a chat request before the chat template sees it (measured on 0.32).

Does not render and does not judge: a message that vLLM would refuse with 400 passes through as it is.
"""

import json

from analysis.model.session import Json, JsonObject

BILLING_LINE = "x-anthropic-billing-header"  # dropped from the head of a system text since 0.32
TOOL_FIELDS = ("name", "description", "parameters")
OPTIONAL_TOOL_FIELDS = ("strict", "defer_loading")  # only where they are not null


def normalise_message(message: JsonObject) -> dict[str, Json]:
    """Return the message as the template gets it: text content, every name of reasoning, parsed arguments."""
    result = dict(message)
    result["content"] = _content(message)
    reasoning = message.get("reasoning")
    if reasoning is None:
        reasoning = message.get("reasoning_content")
    if reasoning is not None:
        result["reasoning"] = result["reasoning_content"] = reasoning
        result.setdefault("thinking", reasoning)  # what gpt-oss and LFM2.5 read
    calls = message.get("tool_calls")
    if isinstance(calls, list | tuple) and calls:
        result["tool_calls"] = [_tool_call(call) for call in calls]
    else:
        result.pop("tool_calls", None)
    return result


def as_generated(reply: JsonObject) -> JsonObject:
    """The reply as the model wrote it, to stand in for generated ids that were not logged.

    A streamed tool call comes with a content of blank lines that the reasoning parser left over (measured on 0.32);
    the model wrote them once, before the call, where the template prints them itself.
    """
    content = reply.get("content")
    if reply.get("tool_calls") and isinstance(content, str) and not content.strip():
        return {**reply, "content": ""}
    return reply


def normalise_tool(tool: JsonObject) -> dict[str, Json]:
    """Return the tool with vLLM's keys in vLLM's order; other keys are dropped, missing ones become null."""
    function = tool.get("function")
    if not isinstance(function, dict):
        return dict(tool)
    rewritten: dict[str, Json] = {name: function.get(name) for name in TOOL_FIELDS}
    deferred = tool.get("defer_loading")
    for name in OPTIONAL_TOOL_FIELDS:
        value = function.get(name)
        if value is None and name == "defer_loading":
            value = deferred
        if value is not None:
            rewritten[name] = value
    result: dict[str, Json] = {"type": tool.get("type", "function"), "function": rewritten}
    if deferred is not None:
        result["defer_loading"] = deferred
    return result


def parse_arguments(arguments: Json) -> Json:
    """Parse a tool call's argument string; what is not a JSON object becomes ``{}`` as on the server."""
    if not isinstance(arguments, str):
        return arguments if isinstance(arguments, dict) else {}
    try:
        parsed = json.loads(arguments)
    except (ValueError, RecursionError):
        return {}
    return parsed if isinstance(parsed, dict) else {}


def _content(message: JsonObject) -> Json:
    content = message.get("content")
    if content is None:
        return ""
    if isinstance(content, list | tuple):
        texts = [part.get("text") for part in content if isinstance(part, dict) and part.get("type") == "text"]
        if len(texts) < len(content) or not all(isinstance(text, str) for text in texts):
            return content  # images and the like: only the template knows what to print
        content = "\n".join(str(text) for text in texts)
    if message.get("role") == "system" and isinstance(content, str) and content.startswith(BILLING_LINE):
        content = content.partition("\n")[2]
    return content


def _tool_call(call: Json) -> Json:
    if not isinstance(call, dict) or not isinstance(function := call.get("function"), dict):
        return call
    return {**call, "function": {**function, "arguments": parse_arguments(function.get("arguments"))}}
