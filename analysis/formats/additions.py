"""What a recorder asks for on top of a request, and takes out of the answer again before the client sees it.

Token ids (``return_token_ids``) and the usage of a stream (``stream_options.include_usage``), for vLLM's chat and
completions.  Does not ask for what the client asks for itself, and then takes nothing out.
"""

import re
from dataclasses import dataclass, field

import msgspec

from analysis.formats import jsontext
from analysis.formats.jsontext import Fields

PATHS = ("/chat/completions", "/completions")
_TRUE = msgspec.Raw(b"true")
# A quote behind a bracket or a comma opens a name: inside of a string it would be escaped.
_IDS = re.compile(rb'(?<=[{,])(\s*"(?:prompt_token_ids|token_ids)"\s*:\s*)\[[0-9,\s]*\]')
_NO_USAGE = re.compile(rb'(?<=[{,])\s*"usage"\s*:\s*null\s*,|,\s*"usage"\s*:\s*null\s*(?=[,}])')
_LONE_USAGE = re.compile(rb'"choices"\s*:\s*\[\s*\]')
_EVENT_END = re.compile(rb"\r\n\r\n|\n\n|\r\r")


@dataclass(slots=True)
class Asked:
    """A body with what was added, and the state of taking it out: the beginning of an event that has no end yet."""

    body: bytes
    ids: bool
    usage: bool
    _rest: bytearray = field(default_factory=bytearray)

    def passed_on(self, piece: bytes, streamed: bool) -> bytes:
        """What the client gets of a piece of the answer, whole events of a stream; the rest comes with the end."""
        self._rest += piece
        if not streamed:
            return b""
        made = bytearray()
        start = 0
        for found in _EVENT_END.finditer(self._rest):
            made += self._event(bytes(self._rest[start : found.end()]))
            start = found.end()
        del self._rest[:start]
        return bytes(made)

    def rest(self) -> bytes:
        """What is left at the end of the answer, or where it broke off."""
        left = self._event(bytes(self._rest))
        self._rest.clear()
        return left

    def _event(self, text: bytes) -> bytes:
        if self.ids:
            text = _IDS.sub(rb"\1null", text)
        if self.usage:
            text = b"" if _LONE_USAGE.search(text) else _NO_USAGE.sub(b"", text)
        return text


def asked_for(path: str, body: bytes, ids: bool, usage: bool) -> Asked | None:
    """The request with what is added; None where nothing is: another path, no JSON object, or asked for anyway."""
    if not (ids or usage) or not path.endswith(PATHS):
        return None
    try:
        fields = jsontext.fields(body)
        options = _options(fields)
    except ValueError:
        return None
    more_ids = ids and not _is_true(fields, "return_token_ids")
    more_usage = usage and _is_true(fields, "stream") and not _is_true(options, "include_usage")
    if not (more_ids or more_usage):
        return None
    if more_ids:
        fields["return_token_ids"] = _TRUE
    if more_usage:
        fields["stream_options"] = msgspec.Raw(msgspec.json.encode(options | {"include_usage": _TRUE}))
    return Asked(msgspec.json.encode(fields), more_ids, more_usage)


def _options(fields: Fields) -> Fields:
    raw = fields.get("stream_options")
    return {} if raw is None or bytes(raw) == b"null" else jsontext.fields(raw)


def _is_true(fields: Fields, name: str) -> bool:
    return name in fields and bytes(fields[name]) == b"true"
