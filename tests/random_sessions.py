"""Random sessions that only grow: an agent that answers, calls and thinks, and a client that changes nothing."""

import json
from random import Random
from typing import Any

from analysis.model.session import Json, JsonObject, Request, Session, Turn, Usage
from analysis.render.template import TemplateRenderer

WORDS = (
    *("read", "the", "log", "of", "run", "14:02", "on", "2026-11-29", "and", "tell", "why", "block", "0x1f3a", "was"),
    *("lost,", "é", "中文", "naïve", "<b>", "{x:", "1}"),
)
TOOLS: tuple[JsonObject, ...] = tuple(
    {
        "type": "function",
        "function": {
            "name": name,
            "description": f"Does {name}.",
            "parameters": {"type": "object", "properties": {"path": {"type": "string"}, "limit": {"type": "integer"}}},
        },
    }
    for name in ("read_file", "search")
)


def growing(seed: int, renderer: TemplateRenderer, thinks: bool, most_queries: int = 4, share: float = 1.0) -> Session:
    """A session of a few queries with tool loops; its replies are known as messages and by their number of tokens.

    Of the replies of a model that thinks, ``share`` hold reasoning.
    """
    chance = Random(seed)
    mood = Random(seed + 1)
    messages: list[dict[str, Json]] = [{"role": "system", "content": _text(chance, 12)}]
    tools = TOOLS if chance.random() < 0.8 else ()
    turns: list[Turn] = []
    for _query in range(chance.randint(2, most_queries)):
        messages.append({"role": "user", "content": _text(chance, 8)})
        for step in range(chance.randint(0, 3) if tools else 0):
            reply = _reply(chance, thinks and mood.random() < share, call=f"call_{len(turns)}_{step}")
            turns.append(_turn(renderer, messages, tools, reply, len(turns) + 1))
            result: dict[str, Json] = {
                "role": "tool",
                "tool_call_id": f"call_{len(turns) - 1}_{step}",
                "name": "search",
            }
            messages += [reply, {**result, "content": _text(chance, 20)}]
        reply = _reply(chance, thinks and mood.random() < share)
        turns.append(_turn(renderer, messages, tools, reply, len(turns) + 1))
        messages.append(reply)
    return Session(f"random-{seed}", "random.jsonl", "random.jsonl", "test", tuple(turns))


def _reply(chance: Random, thinks: bool, call: str | None = None) -> dict[str, Json]:
    reply: dict[str, Json] = {
        "role": "assistant",
        "content": "" if call and chance.random() < 0.7 else _text(chance, 9),
    }
    if thinks:
        reply["reasoning_content"] = _text(chance, 10)
    if call is not None:
        arguments = json.dumps({"path": _text(chance, 2), "limit": chance.randint(1, 99)})
        function: Json = {"name": chance.choice(("read_file", "search")), "arguments": arguments}
        reply["tool_calls"] = [{"id": call, "type": "function", "function": function}]
    return reply


def _turn(
    renderer: TemplateRenderer, messages: list[dict[str, Json]], tools: Any, reply: dict[str, Json], number: int
) -> Turn:
    request = Request("chat", "m", tuple(messages), tools)
    at = 86_400.0 * number
    prompt, history = renderer.prompt_ids(request, at), renderer.history_ids(request, reply, at)
    usage = Usage(len(prompt), max(1, len(history) - len(prompt)))
    return Turn(number, number, f"r{number}", request, reply, usage, started_at=at, ended_at=at + 1)


def _text(chance: Random, most: int) -> str:
    return " ".join(chance.choice(WORDS) for _ in range(chance.randint(1, most)))
