"""YAML as recorders of HTTP traffic write it: mappings, lists and scalars, as far as the text is whole.

Builds nothing but texts, numbers, flags, nulls and bytes, whatever tag the text names; merges nothing.  Text whose
aliases unfold to much more than itself, or that is nested too deep, is refused.
"""

import base64
import binascii
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

import yaml

from analysis.formats.jsontext import decode
from analysis.model.session import Json

Value: TypeAlias = "Json | bytes | Sequence[Value] | Mapping[str, Value]"
DEEPEST = 64  # containers within containers
SPARE = 1 << 20  # characters that aliases may unfold to beyond the size of the text
UNFOLDED = 4  # times its size that a text may unfold to
KEPT = 2  # levels of containers that are kept where the text breaks off: the document and its list
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_BINARY = "tag:yaml.org,2002:binary"


@dataclass(slots=True)
class _Open:
    """A container that is not closed yet, what was weighed before it, and the key that waits for its value."""

    value: "dict[str, Value] | list[Value]"
    anchor: str | None
    before: int
    key: str | None = None


def document(data: bytes) -> tuple[Value, str | None]:
    """The first document of a text, and where and why it broke off (None where it is whole).

    Raise ValueError where it is nested too deep or unfolds to too much.
    """
    builder = _Builder(SPARE + UNFOLDED * len(data))
    try:
        for event in yaml.parse(data, Loader=_LOADER):
            builder.take(event)
            if isinstance(event, yaml.DocumentEndEvent):
                break
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f"line {mark.line + 1}: " if mark is not None else ""
        return builder.whole_part(), f"{where}{getattr(error, 'problem', None) or 'no YAML'}"
    return builder.root, None


@dataclass(slots=True)
class _Builder:
    """The document as it is built from events; ``weight`` is its size in characters with aliases unfolded."""

    most: int
    root: Value = None
    weight: int = 0
    _open: list[_Open] = field(default_factory=list)
    _anchors: dict[str, tuple[Value, int]] = field(default_factory=dict)

    def take(self, event: yaml.Event) -> None:
        match event:
            case yaml.ScalarEvent():
                self._weigh(len(event.value) + 1)
                self._add(_scalar(event), event.anchor, len(event.value) + 1)
            case yaml.AliasEvent():
                value, weight = self._anchors.get(event.anchor, (None, 1))
                self._weigh(weight)
                self._add(value, None, weight)
            case yaml.MappingStartEvent() | yaml.SequenceStartEvent():
                if len(self._open) >= DEEPEST:
                    raise ValueError(f"nested more than {DEEPEST} deep")
                value = {} if isinstance(event, yaml.MappingStartEvent) else []
                self._open.append(_Open(value, event.anchor, self.weight))
                self._weigh(1)
            case yaml.MappingEndEvent() | yaml.SequenceEndEvent():
                done = self._open.pop()
                self._add(done.value, done.anchor, self.weight - done.before)

    def whole_part(self) -> Value:
        """What is whole of a document that broke off: the document and its list, without the item that was open."""
        while self._open:
            done = self._open.pop()
            if len(self._open) < KEPT:
                self._add(done.value, None, 0)
        return self.root

    def _weigh(self, characters: int) -> None:
        self.weight += characters
        if self.weight > self.most:
            raise ValueError("aliases that unfold to many times its size")

    def _add(self, value: Value, anchor: str | None, weight: int) -> None:
        if anchor is not None:
            self._anchors[anchor] = (value, weight)
        if not self._open:
            self.root = value
            return
        around = self._open[-1]
        if isinstance(around.value, list):
            around.value.append(value)
        elif around.key is None:
            around.key = str(value)
        else:
            around.value[around.key] = value
            around.key = None


def _scalar(event: yaml.ScalarEvent) -> Value:
    """A text; bytes where it is tagged so; what JSON would read where it stands plain."""
    text: str = event.value
    if event.tag == _BINARY:
        try:
            return base64.b64decode(text)
        except binascii.Error:
            return text
    if not event.implicit[0] or event.style:
        return text
    if text in ("", "~"):
        return None
    try:
        return decode(text.encode())
    except ValueError:
        return text
