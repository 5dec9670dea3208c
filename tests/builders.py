"""Sessions in one line, a renderer over bytes, and the recorded files that tests read."""

import json
import shutil
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from analysis.formats import chosen, read_as
from analysis.formats.base import Progress
from analysis.formats.canonical import lines
from analysis.formats.containers import as_text
from analysis.formats.stored import Data
from analysis.model.finding import TurnAnalysis
from analysis.model.prompt import Attribution, Span
from analysis.model.renderer import Renderer
from analysis.model.session import CachedBasis, Json, JsonObject, Log, Media, Request, Session, TokenIds, Turn, Usage
from analysis.model.settings import Settings
from analysis.pipeline.analyse import analyse

ROOT = Path(__file__).resolve().parent.parent
SAMPLES = tuple(sorted((ROOT / "sample_sessions").glob("*.jsonl")))
RECORDED = tuple(sorted((ROOT / "tests" / "data" / "recorded").glob("*.jsonl")))
SAMPLE_MODEL = ROOT / "sample_sessions" / "model"
MODEL = "bytes"


def tokens(*values: int | Iterable[int]) -> TokenIds:
    """Token ids out of numbers and ranges: ``tokens(range(16), 7)``."""
    flat = [number for value in values for number in ([value] if isinstance(value, int) else value)]
    return np.array(flat, np.int32)


def user(text: str) -> dict[str, Json]:
    return {"role": "user", "content": text}


def assistant(text: str = "", reasoning: str | None = None, **arguments: Json) -> dict[str, Json]:
    """A reply; keyword arguments make it a call of the tool ``look``."""
    message: dict[str, Json] = {"role": "assistant", "content": text}
    if reasoning is not None:
        message["reasoning"] = reasoning
    if arguments:
        function: dict[str, Json] = {"name": "look", "arguments": json.dumps(arguments)}
        message["tool_calls"] = [{"id": "c1", "type": "function", "function": function}]
    return message


def request(*messages: JsonObject, **fields: Any) -> Request:
    return Request("chat", fields.pop("model", MODEL), messages, **fields)


def session(system: str, *texts: str, salts: Sequence[str | None] = ()) -> Session:
    """``session("sys", "hi", "hello", "more")``: a growing conversation, one turn per text of the user.

    Texts alternate between user and assistant; ``salts`` are the salt fingerprints of the turns.
    """
    messages: list[JsonObject] = [{"role": "system", "content": system}]
    turns = []
    for index in range(0, len(texts), 2):
        messages.append(user(texts[index]))
        reply = assistant(texts[index + 1]) if index + 1 < len(texts) else None
        number = index // 2 + 1
        salt = salts[number - 1] if salts else None
        turns.append(turn(*messages, number=number, reply=reply, salt=salt))
        messages += [reply] if reply else []
    return of_turns(*turns)


def turn(*messages: JsonObject, number: int = 1, reply: JsonObject | None = None, **fields: Any) -> Turn:
    """A turn as ByteRenderer's server would have logged it, without ids; ``cached`` is what the server reported."""
    cached = fields.pop("cached", None)
    asked = request(*messages, **fields)
    renderer = ByteRenderer()
    prompt = renderer.prompt_ids(asked, None)
    generated = len(renderer.history_ids(asked, reply, None)) - len(prompt) if reply else None
    basis: CachedBasis = "not-recorded" if cached is None else "reported"
    return Turn(
        number=number,
        line=number,
        request_id=f"r{number}",
        request=asked,
        reply=reply,
        usage=Usage(len(prompt), generated, cached, basis),
    )


def of_turns(*turns: Turn, session_id: str = "s", source: str = "test.jsonl") -> Session:
    """A session of these turns, numbered anew."""
    numbered = tuple(replace(turn, number=number, line=number) for number, turn in enumerate(turns, 1))
    return Session(session_id, source, source, "test", numbered)


class ByteRenderer:
    """A renderer without a tokenizer: a token is a byte of the UTF-8 text.

    ``keep_reasoning`` is whether reasoning before the last message of a user stays in the prompt.
    """

    name = "bytes"

    def __init__(self, keep_reasoning: bool = True) -> None:
        self.keep_reasoning = keep_reasoning

    def prompt_ids(self, request: Request, at: float | None) -> TokenIds:
        return _ids("".join(text for text, _path in self._pieces(request, None)))

    def history_ids(self, request: Request, reply: JsonObject, at: float | None) -> TokenIds:
        return _ids("".join(text for text, _path in self._pieces(request, reply)))

    def media(self, request: Request, at: float | None) -> tuple[Media, ...] | None:
        return ()

    def attribution(self, request: Request, at: float | None, reply: JsonObject | None = None) -> Attribution:
        pieces = self._pieces(request, reply)
        text = "".join(piece for piece, _path in pieces)
        spans, start = [], 0
        for piece, path in pieces:
            if path is not None and piece:
                spans.append(Span(start, start + len(piece), path))
            start += len(piece)
        starts = [index for index, char in enumerate(text) for _ in char.encode()]
        return Attribution(text, _ids(text), np.array(starts, np.int32), tuple(spans), "provenance")

    def token_bytes(self, token_ids: Sequence[int]) -> list[bytes]:
        return [bytes([token_id]) for token_id in token_ids]

    def template_names(self) -> frozenset[str]:
        return frozenset()

    def _pieces(self, request: Request, reply: JsonObject | None) -> list[tuple[str, str | None]]:
        """The text in pieces, each with the field it came from; ends with the prompt of a reply where there is none."""
        messages = [*request.messages, reply] if reply else list(request.messages)
        last_user = max((i for i, message in enumerate(messages) if message.get("role") == "user"), default=-1)
        pieces: list[tuple[str, str | None]] = []
        for index, tool in enumerate(request.tools):
            pieces += [(json.dumps(tool), f"tools[{index}]"), ("\n", None)]
        for index, message in enumerate(messages):
            path = f"messages[{index}]"
            pieces.append((f"<{message.get('role')}>\n", None))
            if message.get("reasoning") and (self.keep_reasoning or index > last_user):
                pieces += [("<think>", None), (str(message["reasoning"]), f"{path}.reasoning"), ("</think>\n", None)]
            pieces.append((str(message.get("content") or ""), f"{path}.content"))
            calls = message.get("tool_calls")
            for number, call in enumerate(calls if isinstance(calls, list) else []):
                pieces.append((json.dumps(call.get("function", call)), f"{path}.tool_calls[{number}]"))
            pieces.append(("\n", None))
        return pieces if reply else [*pieces, ("<assistant>\n", None)]


def _ids(text: str) -> TokenIds:
    return np.frombuffer(text.encode(), np.uint8).astype(np.int32)


def read_log(
    data: Data, file: str, source: str, log_format: str | None = None, progress: Progress | None = None
) -> Log:
    """One file as a whole log of its own, of which ``source`` names the server history; raises FormatError."""
    text = as_text(data)
    return read_as(chosen(text, file, log_format), text, file, source, progress)


def log_of(path: Path) -> Log:
    """A recorded file, read as the product reads it."""
    return read_log(path.read_bytes(), path.name, path.name)


def lines_of(path: Path) -> list[dict[str, Any]]:
    """A recorded file, line by line, oracle included."""
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


@cache
def without_ids(path: Path) -> bytes:
    """A log as of a server that was not asked for token ids, in canonical lines: every prompt has to be rendered."""
    log = log_of(path)
    bare = [
        replace(one, turns=tuple(replace(turn, prompt_ids=None, output_ids=None) for turn in one.turns))
        for one in log.sessions
    ]
    return b"".join(lines([replace(log, sessions=tuple(bare))]))


def analysed(path: Path, renderer: Renderer | None = None, block_size: int = 16) -> dict[int, TurnAnalysis]:
    """The analysed turns of a recorded file by their line."""
    found = analyse(log_of(path).sessions, lambda model: renderer, Settings(block_size))
    return {turn.turn.line: turn for session in found for turn in session.turns}


def model_with_template(folder: Path, template: str) -> Path:
    """A copy of the sample model in a folder that is not there yet, with another chat template."""
    shutil.copytree(SAMPLE_MODEL, folder)
    (folder / "chat_template.jinja").write_text(template, "utf-8")
    return folder
