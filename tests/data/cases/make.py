"""Makes the logs of this folder: known reports of misses that no token shows, as small conversations with their ids.

Every log is a few requests of a real shape; what the report describes stands in the request fields, times, usage and
side files.  Ids mean nothing, and the texts are only there for the eye.  Run it to write the files anew:
``python -m tests.data.cases.make``; a test compares them with what it would write.
"""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from analysis.core.hashes import block_hashes, hasher, low_64

HERE = Path(__file__).parent
SIZE = 16
NOON = 1_795_953_600.0  # seconds since the epoch
IMAGE = 151_655  # the id that stands for a piece of an image
VLLM = "vllm-0.32.0-9f1c2d3e"
Ids = list[int]


def words(seed: int, count: int) -> Ids:
    """``count`` ids that no other seed begins with."""
    return [100 + (seed * 7919 + index * (613 + seed)) % 29_989 for index in range(count)]


@dataclass
class Conversation:
    """One session: every turn asks with all that was said before and ``more`` new tokens."""

    name: str
    seed: int
    model: str = "assistant-8b"
    server: str = VLLM
    said: Ids = field(default_factory=list)
    messages: list[dict[str, Any]] = field(default_factory=list)
    turns: int = 0

    def turn(
        self, at: float, more: int, cached: int | None, reply: int = 33, takes: float = 2.0, **fields: Any
    ) -> dict[str, Any]:
        """A request ``at`` seconds after noon; the last token of its reply never gets into the cache."""
        self.turns += 1
        new = words(100 * self.seed + 2 * self.turns, more)
        at_token, length = fields.pop("image", (0, 0))
        new[at_token : at_token + length] = [IMAGE] * length
        self.said += new
        self.messages.append({"role": "user", "content": fields.pop("content", f"Question {self.turns}.")})
        answer = words(100 * self.seed + 2 * self.turns + 1, reply)
        message = {"role": "assistant", "content": f"Answer {self.turns}."}
        server = fields.pop("replica", None)
        record = {
            "session_id": self.name,
            "ts_start": NOON + at,
            "ts_end": NOON + at + takes,
            "path": "/v1/chat/completions",
            "status": 200,
            **({"server": {"replica": server}} if server else {}),
            "request": {"model": self.model, "messages": list(self.messages), **fields},
            "response": self._response(message, answer, cached),
        }
        self.said += answer
        self.messages.append(message)
        return record

    def _response(self, message: dict[str, Any], answer: Ids, cached: int | None) -> dict[str, Any]:
        counts = {"prompt_tokens": len(self.said), "completion_tokens": len(answer)}
        details = None if cached is None else {"cached_tokens": cached}
        return {
            "id": f"{self.name}-{self.turns}",
            "model": self.model,
            "system_fingerprint": self.server,
            "prompt_token_ids": list(self.said),
            "choices": [{"index": 0, "message": message, "token_ids": answer, "finish_reason": "stop"}],
            "usage": {**counts, "prompt_tokens_details": details},
        }


def growing(hits: Sequence[int | None], more: int = 100, first: int = 330, **fields: Any) -> list[dict[str, Any]]:
    """A session of one turn every ten seconds with these reports; fields that are lists go turn by turn."""
    talk = Conversation("build-helper", 1)
    turns = []
    for number, cached in enumerate(hits):
        each = {name: value[number] for name, value in fields.items() if value[number] is not None}
        turns.append(talk.turn(10.0 * number, more if number else first, cached, **each))
    return turns


def metrics(hits: int, queries: int, external_queries: int = 0, external_hits: int = 0, **labels: Any) -> str:
    """A scrape of ``/metrics``, cut to the prefix cache."""
    config = {"block_size": SIZE, "enable_prefix_caching": True, "prefix_caching_hash_algo": "sha256", **labels}
    quoted = ",".join(f'{name}="{value}"' for name, value in config.items())
    counters = {
        "prefix_cache_queries": queries,
        "prefix_cache_hits": hits,
        "external_prefix_cache_queries": external_queries,
        "external_prefix_cache_hits": external_hits,
    }
    lines = [f'vllm:{name}_total{{engine="0"}} {value:.1f}' for name, value in counters.items()]
    return "\n".join([*lines, f"vllm:cache_config_info{{{quoted}}} 1.0", ""])


def server_info(speculative: dict[str, Any] | None = None, **cache: Any) -> str:
    """An answer of ``/server_info``, cut to what matters to the cache."""
    config = {"block_size": SIZE, "enable_prefix_caching": True, "prefix_caching_hash_algo": "sha256", **cache}
    parts = {"cache_config": config, "parallel_config": {"decode_context_parallel_size": 1}}
    return json.dumps({"vllm_config": {**parts, "speculative_config": speculative}}, indent=1) + "\n"


def usage_details_disabled() -> dict[str, Any]:
    """The server does not say what was cached, while its counter of hits rises."""
    log = growing([None, None, None, None])
    return {"jsonl": log, "before.txt": metrics(0, 0), "after.txt": metrics(1_456, 2_118)}


def cache_salt_per_request() -> dict[str, Any]:
    """Every request has a salt of its own."""
    return {"jsonl": growing([0, 0, 0, 0], cache_salt=["s-1111", "s-2222", "s-3333", "s-4444"])}


def image_encoded_anew() -> dict[str, Any]:
    """From the second turn on the image of the first message is another one; its 256 tokens begin in block 6."""

    def see(data: str) -> list[dict[str, Any]]:
        return [
            {"type": "image_url", "image_url": {"url": f"data:image/jpeg;base64,{data}"}},
            {"type": "text", "text": "What is on the screenshot?"},
        ]

    talk = Conversation("screens", 2, "viewer-7b")
    first = talk.turn(0, 400, 0, content=see("/9j/4AAQSkZJRgABAQ"), image=(100, 256))
    log = [first, talk.turn(10, 80, 96), talk.turn(20, 80, 544)]
    for record in log[1:]:
        record["request"]["messages"][0] = {"role": "user", "content": see("/9j/4AAQSkZJRgABAg")}
    return {"jsonl": log}


def hybrid_large_block() -> dict[str, Any]:
    """A hybrid model whose attention block is enlarged to 528 tokens; a prompt below that never hits."""
    return {
        "jsonl": growing([0, 0, 528, 1056, 1584], more=540),
        "server_info.json": server_info(block_size=528),
    }


def hybrid_align_checkpoint() -> dict[str, Any]:
    """State is kept at aligned checkpoints: the second sighting of a prefix misses, the third hits."""
    return {
        "jsonl": growing([0, 0, 1056, 1056], more=40, first=1200),
        "server_info.json": server_info(block_size=528, mamba_cache_mode="align"),
    }


def window_lost() -> dict[str, Any]:
    """A window of 256 tokens, kept at the end of prompts only: replies and what leaves the middle are not hit."""
    talk = Conversation("gemma", 3, "gemma-3-4b")
    log = [talk.turn(0, 400, 0, reply=41), talk.turn(10, 80, 384, reply=41)]
    talk.said, talk.messages = talk.said[:200], talk.messages[:2]
    log += [talk.turn(20, 300, 0, reply=41), talk.turn(30, 60, 496, reply=41)]
    info = server_info(sliding_window=256, prefix_cache_retention_interval=0)
    return {"jsonl": log, "server_info.json": info}


def drafting_drops_a_block() -> dict[str, Any]:
    """EAGLE: every hit is one block short of what could be reused."""
    return {
        "jsonl": growing([0, 336, 464, 608, 736]),
        "server_info.json": server_info({"method": "eagle3", "num_speculative_tokens": 3}),
    }


def evicted_during_a_tool_pause() -> dict[str, Any]:
    """A tool runs for 95 seconds while others are served; the deep end of the session goes."""
    talk = Conversation("pause", 4)
    log = [talk.turn(0, 400, 0), talk.turn(10, 100, 432)]
    deep = talk.said[:-1]
    log += [Conversation(f"other-{number}", 10 + number).turn(20.0 * number, 500, 0) for number in range(1, 5)]
    log += [talk.turn(107, 100, 208), talk.turn(120, 50, 688)]
    digest = hasher("sha256")
    assert digest is not None
    hashes = list(map(low_64, block_hashes(deep, SIZE, digest)))
    stored = {"type": "BlockStored", "block_hashes": hashes, "parent_block_hash": None, "block_size": SIZE}
    stored |= {"token_ids": deep[: SIZE * len(hashes)], "medium": "GPU"}
    removed = [{"type": "BlockRemoved", "block_hashes": [one], "medium": "GPU"} for one in reversed(hashes[13:])]
    batches = [[NOON + 11.9, [stored], 0], [NOON + 80.5, removed, 0]]
    return {"jsonl": log, "kv_events.jsonl": [{"batch": batch} for batch in batches]}


def title_takes_the_slot() -> dict[str, Any]:
    """A server with one slot: a request for a title, of which 37 tokens are shared, comes between two turns."""
    talk = Conversation("chat", 5, server="b5200-8c83449c")
    title = Conversation("title", 6, server="b5200-8c83449c")
    log = [talk.turn(0, 400, 0), talk.turn(10, 60, 432)]
    title.said = log[0]["response"]["prompt_token_ids"][:37]
    log += [title.turn(13, 350, 37, reply=6), talk.turn(17, 60, 37), talk.turn(30, 60, 617)]
    return {"jsonl": log}


def external_cache_never_hits() -> dict[str, Any]:
    """An instance that hashes with another seed asks the shared cache in vain; its own cache works."""
    counted = {"before.txt": metrics(0, 0), "after.txt": metrics(976, 2_118, external_queries=1_142)}
    return {"jsonl": growing([0, 352, 0, 624]), **counted}


def prompt_logprobs() -> dict[str, Any]:
    """One request asks for the logprobs of its prompt; 0 counts."""
    return {"jsonl": growing([0, 352, 0, 624], prompt_logprobs=[None, None, 0, None])}


def caching_disabled() -> dict[str, Any]:
    """Nothing is ever cached."""
    return {"jsonl": growing([0, 0, 0, 0, 0]), "server_info.json": server_info(enable_prefix_caching=False)}


def block_boundary_tail() -> dict[str, Any]:
    """Prompts of whole blocks, sent twice, and tails that fill no block: less than a block is no miss."""
    talk = Conversation("tails", 7)
    log = [talk.turn(0, 336, 0, reply=1)]
    talk.said, talk.messages = talk.said[:-1], talk.messages[:-2]
    talk.turns = 0
    again = talk.turn(10, 0, 320, reply=14)
    again["response"]["id"] = "tails-again"
    talk.turns = 2
    return {"jsonl": [*log, again, talk.turn(20, 90, 336), talk.turn(30, 90, 464)]}


def concurrent_race() -> dict[str, Any]:
    """The second turn is sent five seconds after the first, which takes nine."""
    talk = Conversation("race", 8)
    return {"jsonl": [talk.turn(0, 400, 0, takes=9), talk.turn(5, 100, 0, takes=9), talk.turn(20, 60, 560)]}


def negative_control() -> dict[str, Any]:
    """A session that only grows, and hits all it can."""
    return {"jsonl": growing([0, 352, 480, 624])}


CASES: dict[str, Callable[[], dict[str, Any]]] = {
    "06-negative-control": negative_control,
    "49-usage-details-disabled": usage_details_disabled,
    "50-cache-salt-per-request": cache_salt_per_request,
    "52-image-encoded-anew": image_encoded_anew,
    "53-hybrid-large-block": hybrid_large_block,
    "54-hybrid-align-checkpoint": hybrid_align_checkpoint,
    "55-window-lost": window_lost,
    "56-drafting-drops-a-block": drafting_drops_a_block,
    "57-evicted-during-a-tool-pause": evicted_during_a_tool_pause,
    "59-title-takes-the-slot": title_takes_the_slot,
    "61-external-cache-never-hits": external_cache_never_hits,
    "63-prompt-logprobs": prompt_logprobs,
    "64-caching-disabled": caching_disabled,
    "66-block-boundary-tail": block_boundary_tail,
    "67-concurrent-race": concurrent_race,
}


def files() -> dict[str, str]:
    """Every file of this folder by its name: the logs, and what lies beside them."""
    made = {}
    for name, make in CASES.items():
        for suffix, content in make().items():
            lines = [content] if isinstance(content, str) else [json.dumps(it, separators=(",", ":")) for it in content]
            made[f"{name}.{suffix}"] = lines[0] if isinstance(content, str) else "\n".join(lines) + "\n"
    return made


if __name__ == "__main__":
    for file, text in files().items():
        (HERE / file).write_text(text, "utf-8")
