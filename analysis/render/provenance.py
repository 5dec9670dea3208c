"""Strings that remember which field of the request they came from while a chat template works on them.

Slicing, trimming, splitting, joining and concatenating keep the origin of every character; what a template does
beyond that (upper case that changes lengths, formatting) becomes template text.  A render with provenance is only
used where it equals the plain render.  Does not track single keys inside a tool or inside parsed arguments: a whole
JSON dump is one field.
"""

import json
import operator
from collections.abc import Callable, Iterable, Iterator
from typing import Any, SupportsIndex

from jinja2.compiler import CodeGenerator, Frame
from jinja2.nodes import Concat

from analysis.model.prompt import Span

Origin = tuple[int, str | None, int]  # length, field path (None: template text), offset in the field


class Traced(str):
    """A string with the origin of its characters: ``origins`` covers it from left to right."""

    __slots__ = ("origins",)
    origins: tuple[Origin, ...]

    def __new__(cls, text: str, origins: tuple[Origin, ...] | None = None) -> "Traced":
        self = str.__new__(cls, text)
        self.origins = ((len(text), None, 0),) if origins is None else origins
        return self

    def __str__(self) -> str:
        return self

    def __hash__(self) -> int:
        return str.__hash__(self)

    def __add__(self, other: Any) -> Any:
        return traced_join("", (self, other)) if isinstance(other, str) else NotImplemented

    def __radd__(self, other: Any) -> Any:
        return traced_join("", (other, self)) if isinstance(other, str) else NotImplemented

    def __mul__(self, times: SupportsIndex) -> "Traced":
        return Traced(str.__mul__(self, times), self.origins * max(0, int(times)))

    __rmul__ = __mul__

    def __getitem__(self, key: SupportsIndex | slice) -> "Traced":
        if isinstance(key, slice):
            start, stop, step = key.indices(len(self))
            if step == 1:
                return self._cut(start, stop)
            return traced_join("", (self._cut(index, index + 1) for index in range(start, stop, step)))
        index = operator.index(key)  # TypeError for a name, as with any string: templates probe for parts
        index += len(self) if index < 0 else 0
        if not 0 <= index < len(self):
            raise IndexError("string index out of range")
        return self._cut(index, index + 1)

    def __iter__(self) -> Iterator[str]:
        return (self._cut(index, index + 1) for index in range(len(self)))

    def _cut(self, start: int, stop: int) -> "Traced":
        if start >= stop:
            return Traced("", ())
        kept: list[Origin] = []
        at = 0
        for length, path, offset in self.origins:
            first, last = max(start, at), min(stop, at + length)
            if first < last:
                kept.append((last - first, path, offset + first - at))
            at += length
        return Traced(str.__getitem__(self, slice(start, stop)), tuple(kept))

    def _found(self, pieces: Iterable[str], separator: str | None = None) -> list[str]:
        """Cut out pieces that stand in this order, with the separator between them."""
        result: list[str] = []
        at = 0
        for piece in pieces:
            at = str.find(self, piece, at)
            result.append(self._cut(at, at + len(piece)))
            at += len(piece) + len(separator or "")
        return result

    def lstrip(self, chars: str | None = None, /) -> "Traced":
        return self._cut(len(self) - len(str.lstrip(self, chars)), len(self))

    def rstrip(self, chars: str | None = None, /) -> "Traced":
        return self._cut(0, len(str.rstrip(self, chars)))

    def strip(self, chars: str | None = None, /) -> "Traced":
        return self.lstrip(chars).rstrip(chars)

    def removeprefix(self, prefix: str, /) -> "Traced":
        return self._cut(len(prefix), len(self)) if str.startswith(self, prefix) else self

    def removesuffix(self, suffix: str, /) -> "Traced":
        return self._cut(0, len(self) - len(suffix)) if suffix and str.endswith(self, suffix) else self

    def split(self, sep: str | None = None, maxsplit: SupportsIndex = -1) -> list[str]:
        return self._found(str.split(self, sep, maxsplit), sep)

    def rsplit(self, sep: str | None = None, maxsplit: SupportsIndex = -1) -> list[str]:
        return self._found(str.rsplit(self, sep, maxsplit), sep)

    def splitlines(self, keepends: bool = False) -> list[str]:
        return self._found(str.splitlines(self, keepends))

    def partition(self, sep: str, /) -> tuple[str, str, str]:
        first, middle, last = self._found(str.partition(self, sep))
        return first, middle, last

    def rpartition(self, sep: str, /) -> tuple[str, str, str]:
        first, middle, last = self._found(str.rpartition(self, sep))
        return first, middle, last

    def replace(self, old: str, new: str, count: SupportsIndex = -1, /) -> "Traced":
        if not old or str.find(self, old) < 0:
            return self
        pieces, at, left = [], 0, int(count)
        while left != 0 and (hit := str.find(self, old, at)) >= 0:
            pieces += [self._cut(at, hit), new]
            at, left = hit + len(old), left - 1
        return traced_join("", [*pieces, self._cut(at, len(self))])

    def join(self, items: Iterable[str], /) -> "Traced":
        return traced_join(self, items)

    def lower(self) -> "Traced":
        return self._recased(str.lower(self))

    def upper(self) -> "Traced":
        return self._recased(str.upper(self))

    def capitalize(self) -> "Traced":
        return self._recased(str.capitalize(self))

    def title(self) -> "Traced":
        return self._recased(str.title(self))

    def _recased(self, text: str) -> "Traced":
        return Traced(text, self.origins if len(text) == len(self) else None)

    def __reduce__(self) -> tuple[type[str], tuple[str]]:
        return str, ("".join((self,)),)


class TracedObject(dict[Any, Any]):
    """A JSON object that knows its field, so that a dump of it can be attributed as a whole."""

    path: str


class TracedList(list[Any]):
    """A JSON array that knows its field."""

    path: str


def traced_join(separator: str, items: Iterable[Any]) -> Traced:
    """Join strings and keep their origins; what is no string is printed as template text."""
    texts: list[str] = []
    origins: list[Origin] = []
    for index, item in enumerate(items):
        text = item if isinstance(item, str) else str(item)
        for piece in (separator, text) if index and separator else (text,):
            texts.append(piece)
            origins.extend(piece.origins if isinstance(piece, Traced) else ((len(piece), None, 0),) if piece else ())
    return Traced("".join(texts), tuple(origins))


def trace(value: Any, path: str) -> Any:
    """Wrap a JSON value so that every string in it knows its field.

    Everything inside one tool is ``tools[i]`` and everything inside one call ``messages[i].tool_calls[j]``;
    both spellings of reasoning are ``reasoning``.
    """
    if isinstance(value, str):
        return Traced(value, ((len(value), path, 0),) if value else ())
    if isinstance(value, dict):
        wrapped = TracedObject((key, trace(item, _inner(path, key))) for key, item in value.items())
        wrapped.path = path
        return wrapped
    if isinstance(value, list | tuple):
        items = TracedList(trace(item, _item(path, index)) for index, item in enumerate(value))
        items.path = path
        return items
    return value


def trace_items(name: str, items: Iterable[Any]) -> list[Any]:
    """Messages or tools whose strings know their fields: ``messages[0].content``, ``tools[1]``."""
    return [trace(item, f"{name}[{index}]") for index, item in enumerate(items)]


def spans(text: str) -> list[Span]:
    """The fields of a rendered text, joined where they continue."""
    result: list[Span] = []
    at = 0
    for length, path, offset in text.origins if isinstance(text, Traced) else ():
        last = result[-1] if result else None
        if path is not None and length:
            if last and last.stop == at and last.path == path and last.offset + last.stop - last.start == offset:
                result[-1] = Span(last.start, at + length, path, last.offset)
            else:
                result.append(Span(at, at + length, path, offset))
        at += length
    return result


def tojson(value: Any, **options: Any) -> str:
    """The ``tojson`` filter of chat templates: a dump of a traced object is one field from its first character on."""
    if isinstance(value, list) and not options and any(isinstance(item, TracedObject) for item in value):
        return traced_join("", ("[", traced_join(", ", (tojson(item) for item in value)), "]"))
    text = json.dumps(value, **{"ensure_ascii": False, **options})
    path = getattr(value, "path", None)
    if path is None and isinstance(value, Traced):
        path = next((origin[1] for origin in value.origins if origin[1] is not None), None)
    return Traced(text, ((len(text), path, 0),)) if path is not None else text


def filters() -> dict[str, Callable[..., Any]]:
    """Filters whose originals would lose the origin."""
    return {"tojson": tojson, "join": _join, "replace": _replace}


class TracingCodeGenerator(CodeGenerator):
    """Compiles ``a ~ b`` without the conversion to plain text."""

    def visit_Concat(self, node: Concat, frame: Frame) -> None:
        self.write("environment.concat((")
        for item in node.nodes:
            self.visit(item, frame)
            self.write(", ")
        self.write("))")


def concat(items: Iterable[Any]) -> Traced:
    """What joins the pieces of a rendered template."""
    return traced_join("", items)


def _join(value: Iterable[Any], d: str = "", attribute: str | None = None) -> Traced:
    return traced_join(d, (item[attribute] if attribute else item for item in value))


def _replace(value: Any, old: str, new: str, count: int | None = None) -> str:
    text = value if isinstance(value, Traced) else Traced(str(value))
    return text.replace(old, new, -1 if count is None else count)


def _inner(path: str, key: Any) -> str:
    if path.startswith("tools[") or ".tool_calls[" in path:
        return path
    key = "reasoning" if key in ("reasoning_content", "thinking") else key
    return f"{path}.{key}"


def _item(path: str, index: int) -> str:
    return path if path.startswith("tools[") or ".tool_calls[" in path else f"{path}[{index}]"
