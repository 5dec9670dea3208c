"""A long agent session for benchmarks: generated from the words of the sample sessions, the same for the same seed.

Two hundred turns of tool use with one new user message per ten turns: the template then drops the reasoning of the
turns before, so the session diverges as real ones do.
"""

import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from analysis.render.template import TemplateRenderer

SAMPLES = Path(__file__).parents[2] / "sample_sessions"
TURNS_PER_USER_MESSAGE = 10


def long_log(num_turns: int = 200, tokens_per_turn: int = 745, seed: int = 0) -> bytes:
    """A canonical log of one session without token ids; prompts grow by about ``tokens_per_turn`` tokens a turn."""
    chooser = random.Random(seed)
    lines = _lines()
    renderer = TemplateRenderer.load(str(SAMPLES / "model"))
    head = json.loads((SAMPLES / "11-long-haul.jsonl").read_text("utf-8").splitlines()[0])["request"]
    messages: list[dict[str, Any]] = head["messages"][:1]
    records = []
    for turn in range(num_turns):
        if turn % TURNS_PER_USER_MESSAGE == 0:
            messages.append({"role": "user", "content": _text(chooser, lines, 40)})
        request = {"model": head["model"], "messages": list(messages), "tools": head["tools"]}
        reply = _reply(chooser, lines, turn)
        records.append(_record(turn, request, reply, renderer))
        messages.append(reply)
        messages.append(
            {"role": "tool", "tool_call_id": f"call-{turn}", "content": _text(chooser, lines, tokens_per_turn - 140)}
        )
    return "\n".join(records).encode()


def _record(turn: int, request: dict[str, Any], reply: dict[str, Any], renderer: TemplateRenderer) -> str:
    output_tokens = len(
        renderer._tokens.encode(json.dumps(reply["reasoning"] + reply["tool_calls"][0]["function"]["arguments"]))
    )
    return json.dumps(
        {
            "session_id": "long",
            "ts_start": 1_796_000_000 + 10 * turn,
            "ts_end": 1_796_000_004 + 10 * turn,
            "path": "/v1/chat/completions",
            "status": 200,
            "request": request,
            "response": {
                "id": f"chatcmpl-{turn}",
                "choices": [{"index": 0, "message": reply, "finish_reason": "tool_calls"}],
                "usage": {"completion_tokens": output_tokens},
            },
        }
    )


def _reply(chooser: random.Random, lines: list[str], turn: int) -> dict[str, Any]:
    arguments = json.dumps({"path": f"src/module_{chooser.randrange(90)}.py", "start": chooser.randrange(500)})
    call = {"id": f"call-{turn}", "type": "function", "function": {"name": "read_file", "arguments": arguments}}
    return {"role": "assistant", "content": None, "reasoning": _text(chooser, lines, 60), "tool_calls": [call]}


def _text(chooser: random.Random, lines: list[str], num_tokens: int) -> str:
    """Random lines of the samples, about this many tokens (3.4 characters each)."""
    chosen, length = [], 0
    while length < 3.4 * num_tokens:
        line = chooser.choice(lines)
        chosen.append(line)
        length += len(line) + 1
    return "\n".join(chosen)


def _lines() -> list[str]:
    found: dict[str, None] = {}
    for path in sorted(SAMPLES.glob("*.jsonl")):
        for record in path.read_text("utf-8").splitlines():
            found.update(dict.fromkeys(_tool_lines(json.loads(record)["request"]["messages"])))
    return list(found)


def _tool_lines(messages: list[dict[str, Any]]) -> Iterator[str]:
    for message in messages:
        if message["role"] == "tool" and isinstance(message["content"], str):
            yield from (line for line in message["content"].splitlines() if line.strip())
