"""Texts planted into every field of a log, in the raw file, before anybody reads it.

Walks whatever a sample is made of: JSON and JSON lines, YAML, zip archives, streams of events, bodies in base64,
hexadecimal digits or gzip, JSON within strings, lines of a server's log.  Structural words stay: without them the file
would be no log, and a text in it proves nothing.
"""

import ast
import base64
import gzip
import io
import json
import random
import re
import zipfile
from collections.abc import Callable, Iterator
from collections.abc import Set as AbstractSet
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Any

import yaml

from tests.planted import marked

# Words that say what an object is: planted in one of ten objects, where a format can do without them.
STRUCTURE = frozenset({"role", "type", "object"})
# Fields without which a format is not recognised, or its turns are not found: never planted.
KEPT = {
    "claude-code": {"parentUuid", "type", "uuid"},
    "gemini-cli": {"type"},
    "qwen-code": {"type"},
    "litellm": {"call_type", "status"},
    "mini-swe-agent": {"role"},
    "swe-agent": {"role"},
    "openhands-events": {"action", "kind", "source"},
    "inspect": {"cache", "event"},
    "codex": {"type"},
    "cline": {"role", "type"},
    "atif": {"source"},
    "otlp": {
        "attributes.openinference.span.kind", "kind", "name", "openinference.span.kind", "parentSpanId", "spanId",
        "gen_ai.operation.name", "llm.request.type",
    },
    "langfuse": {"id", "level", "parentObservationId", "parent_observation_id", "type"},
    "langsmith": {"run_type"},
    "transcript": {"from", "role"},
    "har": {"method"},
    "cassette": {"method", "path", "scope"},
    "sagemaker": {"encoding"},
}  # fmt: skip
# Fields that hold keys: what stands under one is the server's and the client's alone, and no parser keeps it.
KEY_FIELDS = frozenset({"headers", "authorization", "api_key", "cookies", "cookie", "set-cookie", "cache_salt"})
KEY_HOLDERS = ("", "request", "response", "metadata")  # objects that get such fields where they have none
NAMED_VALUES = ({"key", "value"}, {"name", "value"})  # an attribute of a span, a header
_LITERAL = re.compile(r'"(?:[^"\\]|\\.)*"|' + r"'(?:[^'\\]|\\.)*'")
_REQUEST_ID = re.compile(r"\b(?:chatcmpl-|cmpl-)?[0-9a-f]{16,32}\b")
_HALF = re.compile("[\ud800-\udfff]")
_EVENT = re.compile(r"^(data: ?)(\{.*\})$", re.MULTILINE)


@dataclass(slots=True)
class Planter:
    """Plants what ``new`` makes; the same text becomes the same one again, but for one time in ``vary``.

    ``keep`` are names of fields that stay, ``structure`` such that mostly do, ``without`` such that are left out.
    ``keys`` are the texts that were planted under fields that hold keys.
    """

    new: Callable[[], str]
    keep: AbstractSet[str] = frozenset()
    structure: AbstractSet[str] = STRUCTURE
    without: AbstractSet[str] = frozenset()
    vary: int = 3
    chance: random.Random = field(default_factory=lambda: random.Random(1))
    keys: list[str] = field(default_factory=list)
    known: dict[str, str] = field(default_factory=dict)
    more: dict[str, dict[str, Any]] = field(default_factory=dict)

    def value(self, value: Any, key: str = "") -> Any:
        """A JSON value with something in every text and one field more in every object."""
        if key.casefold() in KEY_FIELDS:
            return self._key(value)
        if isinstance(value, dict):
            return self._object(value, key)
        if isinstance(value, list):
            return [self.value(one, key) for one in value]
        if isinstance(value, str) and key not in self.keep and key not in self.structure:
            return self.text(value, key)
        return value

    def text(self, text: str, key: str = "") -> str:
        """A text with something in it: within what it holds, where it is an encoding or a JSON value."""
        inner = self._inner(text, key)
        if inner is not None:
            return inner
        if text not in self.known or self._varies(text, key):
            self.known[text] = self._planted(text)
        return self.known[text]

    def id(self, name: str) -> str:
        """An id with something behind it that has no blank in it."""
        if name not in self.known:
            self.known[name] = name + re.sub(r"\W", "", self.new())
        return self.known[name]

    def _object(self, value: dict[str, Any], key: str) -> dict[str, Any]:
        """An object; the same one gets the same field more, or a new word for what it is, wherever it comes again."""
        if value.keys() in NAMED_VALUES:
            name, held = value.values()
            inner = {kind: self.value(one, str(name)) for kind, one in held.items()} if isinstance(held, dict) else None
            return dict(zip(value, (name, inner or self.value(held, str(name))), strict=True))
        planted = {name: self.value(one, name) for name, one in value.items() if name not in self.without}
        same = json.dumps(value, sort_keys=True, default=str)
        if same not in self.more:
            self.more[same] = self._more(value, key)
        return {**planted, **self.more[same]}

    def _more(self, value: dict[str, Any], key: str) -> dict[str, Any]:
        more: dict[str, Any] = {self.new(): self.new()} if self.chance.random() < 0.3 else {}
        if self.chance.random() < 0.1:
            changed = [name for name in sorted(self.structure - self.keep) if isinstance(value.get(name), str)]
            more |= {name: self._planted(value[name]) for name in changed}
        if key in KEY_HOLDERS and self.chance.random() < 0.3:
            missing = KEY_FIELDS - {"cache_salt"} - value.keys()
            more |= {name: self._key({"x-api-key": ""} if name == "headers" else "") for name in sorted(missing)}
        return more

    def _key(self, value: Any) -> Any:
        """Headers and keys, with one planted in every text but for those that only say what a body is."""
        if isinstance(value, dict) and value.keys() in NAMED_VALUES:
            name, held = value.values()
            value = {**value, "value": held if _says(str(name)) else self._key(held)}
            return value
        if isinstance(value, dict):
            return {name: one if _says(name) else self._key(one) for name, one in value.items()}
        if isinstance(value, list):
            return [self._key(one) for one in value]
        if not isinstance(value, str):
            return value
        self.keys.append(self.new())
        return f"{value}{self.keys[-1]}"

    def _varies(self, text: str, key: str) -> bool:
        return len(text) > 20 and " " in text and self.chance.randrange(self.vary) == 0

    def _planted(self, text: str) -> str:
        made = marked(self.new(), self.chance)
        if "://" in text and " " not in text:
            scheme, _, rest = text.partition("://")
            host, slash, path = rest.partition("/")
            return f"{scheme}://{host}{slash}{path}{'&' if '?' in path else '?'}key={made}"
        at = self.chance.choice((0, len(text), text.find(". ") + 1))
        return f"{text[:at]}{' ' if at else ''}{made} {text[at:]}".rstrip() if text else made

    def _inner(self, text: str, key: str) -> str | None:
        """What a text holds, planted and put back as it was; None where it holds nothing but itself."""
        if text[:1] in "{[" and (held := _json(text)) is not None:
            return json.dumps(self.value(held, key))
        if _EVENT.search(text):
            return _EVENT.sub(lambda event: event[1] + json.dumps(self.value(json.loads(event[2]), key)), text)
        for decode, encode in CODES if len(text) >= SHORTEST_CODE else ():
            with suppress(ValueError):
                raw = decode(text)
                packed = raw[:2] == b"\x1f\x8b"
                said = (gzip.decompress(raw) if packed else raw).decode("utf-8")
                inner = self._inner(said, key)
                if inner is not None:
                    return encode(gzip.compress(inner.encode()) if packed else inner.encode())
        return None


def _says(header: str) -> bool:
    """Whether a header says whose turn it is or what its body is: no secret, and kept on purpose."""
    return header.casefold().startswith(("content-", "x-session", "x-request", "x-data", "user-agent", "traceparent"))


SHORTEST_CODE = 40  # characters of a body in an encoding
CODES: tuple[tuple[Callable[[str], bytes], Callable[[bytes], str]], ...] = (
    (bytes.fromhex, bytes.hex),
    (lambda text: base64.b64decode(text, validate=True), lambda raw: base64.b64encode(raw).decode()),
)


def planted(data: bytes, planter: Planter) -> bytes:
    """A file, planted, in the form that it had."""
    if data[:2] == b"PK":
        return _archive(data, planter)
    text = data.decode("utf-8")
    whole = _json(text)
    if whole is not None:
        return _dumped(planter.value(whole))
    with suppress(ValueError):
        return b"".join(_dumped(planter.value(one)) + b"\n" for one in _records(text))
    if text.startswith("interactions:"):
        return yaml.safe_dump(planter.value(yaml.safe_load(text)), allow_unicode=True).encode()
    return "".join(_log_line(line, planter) for line in text.splitlines(keepends=True)).encode()


def planted_name(name: str, planter: Planter) -> str:
    """The name of a file with something behind it, in its folder and with its ending."""
    path = PurePosixPath(name)
    made = re.sub(r"[/\\\x00]", "_", planter.new())
    return str(path.with_name(f"{path.stem} {made}{path.suffix}"))


def _records(text: str) -> Iterator[Any]:
    return (json.loads(line) for line in text.splitlines() if line.strip())


def _archive(data: bytes, planter: Planter) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as before, zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as after:
        for member in before.namelist():
            after.writestr(member, _dumped(planter.value(json.loads(before.read(member)))))
    return packed.getvalue()


def _log_line(line: str, planter: Planter) -> str:
    """A line of a server's log: its ids, and the body that it holds or what stands in quotes."""
    at = line.find("{")
    body = _json(line[at:].strip()) if at >= 0 else None
    head = _REQUEST_ID.sub(lambda found: planter.id(found[0]), line if body is None else line[:at])
    return (
        _LITERAL.sub(lambda found: _literal(found[0], planter), head)
        if body is None
        else head + json.dumps(planter.value(body)) + "\n"
    )


def _literal(quoted: str, planter: Planter) -> str:
    """What stands in quotes in a line, written as Python writes it."""
    try:
        text = ast.literal_eval(quoted)
    except (ValueError, SyntaxError):
        return quoted
    return repr(planter.text(text))


def _json(text: str) -> Any:
    try:
        found = json.loads(text)
    except ValueError:
        return None
    return found if isinstance(found, dict | list) else None


def _dumped(value: Any) -> bytes:
    """JSON in UTF-8; with escapes where a text has half a character, which UTF-8 cannot say."""
    said = json.dumps(value, ensure_ascii=False)
    return (json.dumps(value) if _HALF.search(said) else said).encode()
