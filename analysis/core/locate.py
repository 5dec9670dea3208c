"""Find the fields of a request in a rendered text where the render itself does not tell.

A field is searched in the order templates print: every tool anywhere, then the messages one after the other.  What a
template rewrites is not found and stays template text: the result is a help for reading, never a proof.
"""

import json
from collections.abc import Iterator

from analysis.core.normalise import normalise_message, normalise_tool
from analysis.core.segment import segments
from analysis.model.prompt import Span
from analysis.model.session import Json, JsonObject, Request


def searched_segments(text: str, request: Request, reply: JsonObject | None = None) -> tuple[Span, ...]:
    """The fields that stand in the text, with the template text that introduces them."""
    return segments(text, locate_fields(text, request, reply))


def locate_fields(text: str, request: Request, reply: JsonObject | None = None) -> tuple[Span, ...]:
    """Spans of the message fields and tools that stand in the text, sorted by their start."""
    spans = list(_tools(text, request))
    taken = [(span.start, span.stop) for span in spans]
    cursor = 0
    messages = [*request.messages, reply] if reply is not None else request.messages
    for index, message in enumerate(messages):
        for path, candidates in _fields(index, normalise_message(message)):
            found = _find(text, candidates, cursor, taken)
            if found is not None:
                spans.append(Span(*found, path))
                cursor = found[1]
    return tuple(sorted(spans, key=lambda span: span.start))


def _tools(text: str, request: Request) -> Iterator[Span]:
    for index, tool in enumerate(request.tools):
        printed = json.dumps(normalise_tool(tool), ensure_ascii=False)
        start = text.find(printed)
        if start >= 0:
            yield Span(start, start + len(printed), f"tools[{index}]")


def _fields(index: int, message: JsonObject) -> Iterator[tuple[str, list[str]]]:
    """Each field of a message with the texts that a template may print for it, longest first."""
    path = f"messages[{index}]"
    reasoning = message.get("reasoning")
    if isinstance(reasoning, str):
        yield f"{path}.reasoning", _forms(reasoning)
    content = message.get("content")
    if isinstance(content, str):
        yield f"{path}.content", _forms(content)
    calls = message.get("tool_calls")
    for number, call in enumerate(calls if isinstance(calls, list) else []):
        function = call.get("function") if isinstance(call, dict) else None
        if isinstance(function, dict):
            yield f"{path}.tool_calls[{number}]", _forms(str(function.get("name")))
            yield f"{path}.tool_calls[{number}]", _arguments(function.get("arguments"))


def _forms(value: str) -> list[str]:
    return [form for form in dict.fromkeys((value, value.strip())) if form]


def _arguments(value: Json) -> list[str]:
    return [json.dumps(value, ensure_ascii=False), json.dumps(value, ensure_ascii=False, separators=(",", ":"))]


def _find(text: str, candidates: list[str], cursor: int, taken: list[tuple[int, int]]) -> tuple[int, int] | None:
    for candidate in candidates:
        start = text.find(candidate, cursor)
        while start >= 0:
            stop = start + len(candidate)
            clash = next((end for begin, end in taken if begin < stop and start < end), None)
            if clash is None:
                return start, stop
            start = text.find(candidate, clash)
    return None
