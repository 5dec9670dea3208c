"""The recorder under load: many requests at once, some of them cut off in the middle, and not a byte lost."""

import asyncio
import json
from dataclasses import dataclass
from pathlib import Path
from random import Random

import httpx
import pytest

from analysis.live.recorder import CLIENT_LEFT, SERVER_BROKE_OFF
from tests.builders import read_log
from tests.recorded_traffic import recording
from tests.upstream import Upstream, answer_to

CHAT = "/v1/chat/completions"


@dataclass(frozen=True)
class Asked:
    """One request; ``cut`` says who ends it in the middle."""

    name: str
    sent: bytes
    cut: str | None

    @property
    def answer(self) -> bytes:
        return answer_to(self.sent)


def traffic(number: int, num_cut: int) -> list[Asked]:
    """Half of them streamed, the cut ones spread over all; texts with line ends, quotes and letters of any script."""
    random, made = Random(7), []
    cut = {index * number // num_cut: (CLIENT_LEFT, SERVER_BROKE_OFF)[index % 2] for index in range(num_cut)}
    for index in range(number):
        words = [random.choice(["a", "é\n", '"quoted"', "\u2028", "数", "\\", "data: [DONE]"]) for _ in range(30)]
        body = {
            "model": "m",
            "messages": [{"role": "user", "content": f"question {index}"}],
            "say": " ".join(words),
            "stream": index % 2 == 0 or index in cut,
            "pieces": random.randint(1, 12),
        }
        if cut.get(index) == SERVER_BROKE_OFF:
            body |= {"broken": 500, "pieces": 5}
        elif cut.get(index) == CLIENT_LEFT:
            body |= {"pieces": 20, "pause": 0.2}
        made.append(Asked(f"r{index}", json.dumps(body, ensure_ascii=index % 3 == 0).encode(), cut.get(index)))
    return made


async def ask(client: httpx.AsyncClient, gate: asyncio.Semaphore, url: str, one: Asked) -> bytes:
    """What the client sees of an answer before it, or the server, leaves."""
    seen = b""
    async with gate:
        try:
            headers = {"X-Request-Id": one.name, "X-Session-ID": f"s{int(one.name[1:]) % 7}"}
            async with client.stream("POST", url + CHAT, content=one.sent, headers=headers) as answer:
                async for piece in answer.aiter_raw():
                    seen += piece
                    if one.cut == CLIENT_LEFT:
                        break
        except httpx.RemoteProtocolError:
            assert one.cut == SERVER_BROKE_OFF
    return seen


async def ask_all(url: str, all_asked: list[Asked], at_once: int) -> list[bytes]:
    gate = asyncio.Semaphore(at_once)
    async with httpx.AsyncClient(timeout=120, limits=httpx.Limits(max_connections=at_once)) as client:
        return await asyncio.gather(*(ask(client, gate, url, one) for one in all_asked))


@pytest.mark.parametrize(
    ("number", "num_cut", "at_once"),
    [pytest.param(60, 6, 20, id="a few"), pytest.param(1000, 20, 50, id="a thousand", marks=pytest.mark.load)],
)
def test_every_exchange_is_in_the_file(tmp_path: Path, number: int, num_cut: int, at_once: int) -> None:
    all_asked = traffic(number, num_cut)
    file = tmp_path / "log.jsonl"
    with Upstream() as upstream, recording(upstream.url, file) as running:
        seen = asyncio.run(ask_all(running.url, all_asked, at_once))
    lines = {json.loads(raw)["request_id"]: raw for raw in file.read_bytes().splitlines()}
    assert len(lines) == number == file.read_bytes().count(b"\n") == running.recording.num_kept
    assert running.recording.num_cut == num_cut == sum(one.cut is not None for one in all_asked)
    for one, came in zip(all_asked, seen, strict=True):
        check(one, came, lines[one.name])
    log = read_log(file.read_bytes(), "log.jsonl", "log.jsonl")
    turns = [turn for session in log.sessions for turn in session.turns]
    assert sorted(turn.request_id for turn in turns) == sorted(one.name for one in all_asked)
    assert len(log.sessions) == 7
    assert sum(turn.note is not None for turn in turns) == num_cut


def check(one: Asked, came: bytes, raw: bytes) -> None:
    """The client saw what the server sends, and the line holds it byte for byte, or says where it was cut."""
    line = json.loads(raw)
    assert b'"request":' + one.sent in raw
    streamed = json.loads(one.sent)["stream"]
    if one.cut is None:
        assert came == one.answer and "complete" not in line
        assert line["response_sse"].encode() == one.answer if streamed else b'"response":' + one.answer in raw
        return
    kept = line["response_sse"].encode()
    assert line["complete"] is False and line["note"].startswith(one.cut)
    assert one.answer.startswith(kept) and kept.startswith(came) and len(kept) < len(one.answer)
    assert one.cut == CLIENT_LEFT or kept == came == one.answer[:500]
