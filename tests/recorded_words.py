"""Decode what was recorded over HTTP: the texts of the tokens of one server, as far as the recordings tell."""

import json
from functools import cache

from tests.replay_server import exchange

SERVER = "serve-block128"
# Tokens that occur in the renders and in no recorded answer with strings.
REST = {13: ".", 16: "1", 17: "2", 34: "C", 220: " ", 2132: "It", 3036: "And", 16577: " tomorrow"}
MARKERS = {151667: "<think>", 151668: "</think>", 271: "\n\n"}


@cache
def texts() -> dict[int, str]:
    """The text of every known token: of ASCII alone, so the byte alphabet needs two replacements."""
    answer = json.loads(exchange(SERVER, "tokenize_chat").reply.body)
    strings = [piece.replace("Ġ", " ").replace("Ċ", "\n") for piece in answer["token_strs"]]
    return {**dict(zip(answer["tokens"], strings, strict=True)), **REST, **MARKERS}


def detokenize(token_ids: list[int]) -> str:
    """What the server would answer at /detokenize."""
    return "".join(texts()[token_id] for token_id in token_ids)


def body(name: str) -> bytes:
    """A recorded request body."""
    return json.dumps(exchange(SERVER, name).sent).encode()


def render(name: str) -> bytes:
    """The recorded answer to it."""
    return exchange(SERVER, name).reply.body


def token_ids(name: str) -> list[int]:
    """The ids in the recorded answer."""
    ids: list[int] = json.loads(render(name))["token_ids"]
    return ids
