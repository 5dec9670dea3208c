"""Streamed responses: server-sent events folded into the response that the same request gets unstreamed.

Folds chat and completion chunks of the first choice's text, reasoning, tool calls and token ids, and the usage.
Does not keep logprobs or timing.
"""

import re

from analysis.formats import jsontext
from analysis.model.session import Json

_LINE_END = re.compile(r"\r\n|\r|\n")  # str.splitlines also ends lines at U+2028, which JSON may hold


class _Pieces(list[str]):
    """A text as it came: joined when all of it is there."""


class _Calls(list[dict[str, Json]]):
    """Tool calls of the fold itself, which it may write to."""


def fold(stream: str) -> dict[str, Json] | None:
    """Fold the ``data:`` lines of one stream; None where it holds no chunk.  Broken chunks are left out."""
    chunks = []
    for line in _LINE_END.split(stream):
        name, _, value = line.partition(":")
        if name != "data" or value.strip() in ("", "[DONE]"):
            continue
        try:
            chunk = jsontext.decode(value.strip().encode())
        except ValueError:
            continue
        if isinstance(chunk, dict):
            chunks.append(chunk)
    return fold_chunks(chunks) if chunks else None


def fold_chunks(chunks: list[dict[str, Json]]) -> dict[str, Json]:
    """Fold decoded chunks in their order; later top-level values win over earlier ones."""
    folded: dict[str, Json] = {}
    choices: dict[int, dict[str, Json]] = {}
    for chunk in chunks:
        for key, value in chunk.items():
            if key != "choices" and value is not None:
                folded[key] = value
        for part in _objects(chunk.get("choices")):
            index = part.get("index")
            choice = choices.setdefault(index if isinstance(index, int) else 0, {"index": index})
            _fold_choice(choice, part)
    for choice in choices.values():
        _join(choice)
    folded["choices"] = [choices[index] for index in sorted(choices)]
    return folded


def _fold_choice(choice: dict[str, Json], part: dict[str, Json]) -> None:
    for key, value in part.items():
        if key == "delta":
            continue
        if key == "text":
            append_text(choice, "text", value)
        elif key == "token_ids":
            _append_list(choice, "token_ids", value)
        elif value is not None:
            choice[key] = dict(value) if isinstance(value, dict) else value  # a message is written to
    if isinstance(delta := part.get("delta"), dict):
        _fold_delta(choice, delta)


def _fold_delta(choice: dict[str, Json], delta: dict[str, Json]) -> None:
    message = choice.get("message")
    if not isinstance(message, dict):
        message = choice["message"] = {"role": "assistant", "content": None}
    for key, value in delta.items():
        if key == "tool_calls":
            _fold_calls(message, value)
        elif key == "role":
            message["role"] = value
        else:
            append_text(message, key, value)


def _fold_calls(message: dict[str, Json], deltas: Json) -> None:
    """Tool calls come in pieces by index: the id and name first, the arguments a few characters at a time."""
    known = message.get("tool_calls")
    calls = known if isinstance(known, _Calls) else _Calls(map(_own, _objects(known)))
    message["tool_calls"] = calls
    for delta in _objects(deltas):
        index = delta.get("index")
        position = index if isinstance(index, int) and 0 <= index <= len(calls) else len(calls)
        if position == len(calls):
            calls.append({"type": "function", "function": {"name": "", "arguments": ""}})
        call, function = calls[position], delta.get("function")
        target = call.get("function")
        if not isinstance(target, dict):
            target = call["function"] = {"name": "", "arguments": ""}
        for key, value in function.items() if isinstance(function, dict) else ():
            append_text(target, key, value)
        call.update({key: value for key, value in delta.items() if key in ("id", "type") and value is not None})


def _own(call: dict[str, Json]) -> dict[str, Json]:
    """A call of a chunk as one that the fold may write to."""
    function = call.get("function")
    return {**call, "function": dict(function)} if isinstance(function, dict) else dict(call)


def append_text(target: dict[str, Json], key: str, value: Json) -> None:
    """Append a piece to the text of a field, which holds pieces until ``join_text``; what is no text is passed over."""
    if not isinstance(value, str):
        return
    known = target.get(key)
    if isinstance(known, _Pieces):
        known.append(value)
    else:
        target[key] = _Pieces([known, value] if isinstance(known, str) else [value])


def _append_list(target: dict[str, Json], key: str, value: Json) -> None:
    if not isinstance(value, list):
        return
    known = target.get(key)
    if isinstance(known, list):
        known.extend(value)
    else:
        target[key] = list(value)


def _join(choice: dict[str, Json]) -> None:
    """Join the texts of a choice, of its message and of its calls."""
    message = choice.get("message")
    calls = message.get("tool_calls") if isinstance(message, dict) else None
    own = calls if isinstance(calls, _Calls) else ()
    for parts in (choice, message, *(call.get("function") for call in own)):
        if isinstance(parts, dict):
            join_text(parts)


def join_text(parts: dict[str, Json]) -> None:
    """Join the texts that ``append_text`` collected in an object."""
    for key, part in parts.items():
        if isinstance(part, _Pieces):
            parts[key] = "".join(part)


def _objects(value: Json) -> list[dict[str, Json]]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []
