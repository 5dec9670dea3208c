"""A chat template in Python that only grows, with faults to choose: what the probes must tell apart.

Prints ``[role|text]`` per message, the tools behind the system text, reasoning as a think block.
"""

import json
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any

from analysis.core.bench import Bench, Render
from analysis.core.conversations import Conversation
from analysis.model.session import JsonObject


def mini(*faults: str) -> Render:
    """The template with these faults; the argument ``keep=True`` undoes those that have a knob."""

    def render(asked: Conversation, arguments: JsonObject, at: float, generating: bool) -> str:
        if any(kind in faults and not arguments.get("keep") for kind in REFUSALS):
            _refuse(asked, faults)
        text = _head(asked, arguments, at, faults)
        last_user = max(index for index, message in enumerate(asked.messages) if message["role"] == "user")
        for index, message in enumerate(asked.messages):
            if message["role"] == "system" and (index == 0 or {"hoists", "drops"} & set(faults)):
                continue
            text += _message(asked, index, last_user, arguments, faults)
        if generating:
            text += "[assistant|" + ("<think>\n" if "generation-prompt" in faults else "")
        return text

    return render


def bench(*faults: str) -> Bench:
    """A bench on the template with these faults."""
    return Bench(mini(*faults))


REFUSALS = ("no system", "alternates", "no late system", "needs parts", "wants string", "wants object", "wants tools")


def _refuse(asked: Conversation, faults: tuple[str, ...]) -> None:
    roles = [str(message["role"]) for message in asked.messages]
    texts = all(isinstance(message["content"], str) for message in asked.messages)
    called = [call["function"]["arguments"] for message in asked.messages for call in _calls(message)]
    refused: dict[str, Callable[[], bool]] = {
        "no system": lambda: "system" in roles,
        "alternates": lambda: "tool" in roles or "system" in roles[1:],
        "no late system": lambda: "system" in roles[1:],
        "needs parts": lambda: texts,
        "wants string": lambda: any(not isinstance(one, str) for one in called),
        "wants tools": lambda: not asked.tools,
        "wants object": lambda: any(isinstance(one, str) for one in called),
    }
    for kind, broken in refused.items():
        if kind in faults and broken():
            raise ValueError(f"{kind}!")


def _head(asked: Conversation, arguments: JsonObject, at: float, faults: tuple[str, ...]) -> str:
    systems = [_text(message) for message in asked.messages if message["role"] == "system"]
    dated = "date" in faults or ("date without system" in faults and not systems)
    head = f"<{datetime.fromtimestamp(at, UTC):%Y-%m-%d}>" if dated and "date" not in arguments else ""
    head += "<26 Jul 2024>" if "frozen date" in faults else ""
    if "system-relocated" in faults:
        return head
    head += "".join(f"[system|{_trimmed(text, faults)}]" for text in systems[: None if "hoists" in faults else 1])
    return head + ("" if "tools-relocated" in faults or "no tools" in faults else _tools(asked))


def _message(asked: Conversation, index: int, last_user: int, arguments: JsonObject, faults: tuple[str, ...]) -> str:
    message = asked.messages[index]
    text, role = _trimmed(_text(message), faults), message["role"]
    before = _tools(asked) if "tools-relocated" in faults and index == last_user else ""
    if "drops beside calls" in faults and _calls(message):
        text = ""
    if role == "tool" and "no results" in faults:
        return ""
    if "system-relocated" in faults and index == last_user and asked.messages[0]["role"] == "system":
        before += f"[system|{_text(asked.messages[0])}]"
    mark = "*" if "positional-marker" in faults and index == len(asked.messages) - 1 else ""
    if role == "assistant":
        newest = index > last_user or bool(arguments.get("keep"))
        text = _think(message, newest, faults) + text + "".join(_call(call, faults) for call in _calls(message))
    return f"{before}[{role}|{text}]{mark}"


def _think(message: JsonObject, newest: bool, faults: tuple[str, ...]) -> str:
    reasoning = "" if "no reasoning" in faults else str(message.get("reasoning") or "")
    if "reasoning-stripped" in faults and not newest:
        return ""
    if reasoning:
        return f"<think>\n{reasoning}\n</think>\n\n"
    return "<think>\n\n</think>\n\n" if "empty-think-block" in faults and newest else ""


def _call(call: Mapping[str, Any], faults: tuple[str, ...]) -> str:
    if "no calls" in faults:
        return ""
    given = call["function"]["arguments"]
    shown = given if isinstance(given, str) and "quotes" not in faults else json.dumps(given)
    return f"<call {call['id'] if 'tool-ids' in faults else ''}{shown}>"


def _calls(message: JsonObject) -> list[Any]:
    calls = message.get("tool_calls")
    return list(calls) if isinstance(calls, list) else []


def _tools(asked: Conversation) -> str:
    return f"[tools|{json.dumps(list(asked.tools))}]" if asked.tools else ""


def _text(message: JsonObject) -> str:
    content = message["content"]
    return content if isinstance(content, str) else "".join(str(part["text"]) for part in content)  # type: ignore


def _trimmed(text: str, faults: tuple[str, ...]) -> str:
    return text.strip() if "trims" in faults else text
