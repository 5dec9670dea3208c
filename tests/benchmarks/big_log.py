"""A large log for benchmarks: agent sessions of forty turns whose prompts grow, many at once, the same for a seed.

Every eighth session sends reasoning back that the template drops at the next user message, so it diverges; the others
only grow.  The server's counts are what the sample template renders and what unlimited memory would have kept.  There
are no token ids: every prompt has to be rendered.

    python -m tests.benchmarks.big_log MEGABYTES FILE
"""

import json
import random
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from analysis.core.align import common_prefix
from analysis.core.blocks import reusable_tokens
from analysis.formats.bodies import BodyReader
from analysis.model.session import TokenIds
from analysis.render.template import TemplateRenderer
from tests.benchmarks.long_session import SAMPLES, _lines, _text

TURNS = 40
AT_ONCE = 24  # sessions that take turns
TURNS_PER_USER_MESSAGE = 10
BLOCK = 16
START = 1_796_000_000.0

_encode = msgspec.json.encode


def big_log(num_bytes: int, seed: int = 0, tokens_per_turn: int = 640) -> Iterator[bytes]:
    """Lines of a canonical log until there are this many bytes of them."""
    maker = _Maker(random.Random(seed), tokens_per_turn)
    numbers = count()
    active = [_Session(next(numbers), turn=index % TURNS // 2) for index in range(AT_ONCE)]
    written = 0
    for request in count():
        place = maker.chooser.randrange(AT_ONCE)
        line = maker.line(active[place], START + request)
        written += len(line)
        yield line
        if active[place].turn >= TURNS:
            active[place] = _Session(next(numbers))
        if written >= num_bytes:
            return


@dataclass
class _Session:
    number: int
    turn: int = 0
    messages: list[bytes] = field(default_factory=list)
    last: TokenIds = field(default_factory=lambda: np.empty(0, np.int32))


class _Maker:
    def __init__(self, chooser: random.Random, tokens_per_turn: int) -> None:
        self.chooser = chooser
        self._tokens = tokens_per_turn
        self._lines = _lines()
        head = json.loads((SAMPLES / "11-long-haul.jsonl").read_text("utf-8").splitlines()[0])["request"]
        self._system = _encode(head["messages"][0])
        self._tools = _encode(head["tools"])
        self._renderer = TemplateRenderer.load(str(SAMPLES / "model"))
        self._bodies = BodyReader()

    def line(self, session: _Session, at: float) -> bytes:
        """The next turn of a session, sent at this time."""
        if not session.messages:
            session.messages.append(self._system)
        if session.turn % TURNS_PER_USER_MESSAGE == 0 or len(session.messages) == 1:
            session.messages.append(_encode({"role": "user", "content": _text(self.chooser, self._lines, 40)}))
        messages = b",".join(session.messages)
        body = b'{"model":"sample/agent-8k","messages":[%s],"tools":%s}' % (messages, self._tools)
        reply = self._reply(session)
        request = self._bodies.request(msgspec.json.decode(body, type=dict[str, msgspec.Raw]))
        prompt = self._renderer.prompt_ids(request, at)
        history = self._renderer.history_ids(request, reply, at)
        hit = reusable_tokens(common_prefix(session.last, prompt), len(prompt), BLOCK)
        session.last = history
        usage = {
            "prompt_tokens": len(prompt),
            "completion_tokens": max(1, len(history) - len(prompt)),
            "prompt_tokens_details": {"cached_tokens": hit},
        }
        session.messages.append(_encode(reply))
        session.messages.append(_encode(self._result(session)))
        session.turn += 1
        return _line(session, at, body, reply, usage)

    def _reply(self, session: _Session) -> dict[str, Any]:
        arguments = json.dumps(
            {"path": f"src/m{self.chooser.randrange(9999)}.py", "start": self.chooser.randrange(500)}
        )
        call_id = f"call-{session.number}-{session.turn}"
        call = {"id": call_id, "type": "function", "function": {"name": "read_file", "arguments": arguments}}
        said: dict[str, Any] = {"role": "assistant", "content": _text(self.chooser, self._lines, 30)}
        if session.number % 8 == 0:
            said["reasoning"] = _text(self.chooser, self._lines, 60)
        return said | {"tool_calls": [call]}

    def _result(self, session: _Session) -> dict[str, Any]:
        size = round(self._tokens * self.chooser.uniform(0.2, 1.8))
        text = _text(self.chooser, self._lines, size)
        return {"role": "tool", "tool_call_id": f"call-{session.number}-{session.turn}", "content": text}


def _line(session: _Session, at: float, body: bytes, reply: dict[str, Any], usage: dict[str, Any]) -> bytes:
    answer = {
        "id": f"chatcmpl-{session.number}-{session.turn}",
        "object": "chat.completion",
        "model": "sample/agent-8k",
        "system_fingerprint": "vllm-0.32.0-tp1-1a2b3c4d",
        "choices": [{"index": 0, "message": reply, "finish_reason": "tool_calls"}],
        "usage": usage,
    }
    line = {
        "session_id": f"agent-{session.number:05d}",
        "request_id": f"r-{session.number}-{session.turn}",
        "ts_start": at,
        "ts_end": at + 0.5,
        "path": "/v1/chat/completions",
        "status": 200,
        "request": msgspec.Raw(body),
        "response": answer,
    }
    return _encode(line) + b"\n"


def write(num_bytes: int, file: Path) -> None:
    """Write a log of about this size, if there is none."""
    if file.exists():
        return
    part = file.with_suffix(".part")
    with part.open("wb") as opened:
        for line in big_log(num_bytes):
            opened.write(line)
    part.rename(file)


if __name__ == "__main__":
    write(int(float(sys.argv[1]) * 1_000_000), Path(sys.argv[2]))
