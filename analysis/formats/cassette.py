"""Cassettes of HTTP recorders: VCR's YAML and JSON, and the arrays that nock records; every call to a model in them.

Each call is read by the API it speaks.  Other traffic is passed over and counted.  Does not read bodies compressed
with anything but gzip.
"""

import re
from collections.abc import Mapping, Sequence

import msgspec

from analysis.formats import jsontext, shape, traffic
from analysis.formats.base import FormatError, Problems, Progress
from analysis.formats.pairs import Pairs
from analysis.formats.times import seconds
from analysis.formats.traffic import Seen, Traffic
from analysis.formats.yaml_text import Value, document
from analysis.model.session import Json, Log

name = "cassette"
title = "VCR cassettes (YAML or JSON) and arrays of nock recordings with calls to a model"
looks_for = "interactions with request and response, or objects with scope, method, path and responseIsBinary"
limitations: tuple[str, ...] = (
    "recorders write no times: calls stand in the order of the file",
    "interactions are named by their position, counted from 1",
    "an interaction without the status of its response is left out: the file may be cut off there",
)

LISTS = ("interactions", "http_interactions")
RECORDING = ("scope", "method", "path", "responseIsBinary")
BODIES = ("body", "requestBody", "parsed_body", "content", "response")
TEXTS = ("string", "base64_string")
_YAML = re.compile(rb"^(http_)?interactions:", re.MULTILINE)
_HEX = re.compile(r"[0-9a-f]+")
HEAD = 1 << 16  # bytes in which the list of a YAML cassette begins


def sniff(head: bytes) -> bool:
    """Yes to a YAML document or a JSON object with interactions, and to an array of recordings."""
    if _YAML.search(head[:HEAD]) is not None and b"request:" in head:
        return True
    opening = shape.opening(head)
    listed = any(name in record for record in opening[:1] for name in LISTS) and b'"request"' in head
    return listed or shape.has(head, *RECORDING)


def read(data: bytes, file: str, source: str, progress: Progress | None = None) -> Log:
    """Parse a whole file; raise FormatError where no interaction is a call to a model."""
    problems = Problems(file)
    found = Traffic(problems, Pairs(problems))
    for number, one in enumerate(_interactions(data, file, problems), 1):
        if not isinstance(one, Mapping):
            problems.count("interaction", number, "left out: an interaction that is no mapping.")
        elif (seen := _seen(one)).status is None:
            problems.count("status", number, "left out: no status of a response. Was the recording cut off?")
        else:
            found.take(number, seen)
    if progress is not None:
        progress(len(data), len(data))
    return found.log(file, source, name, title)


def _interactions(data: bytes, file: str, problems: Problems) -> Sequence[Value]:
    text = data.removeprefix(jsontext.BOM).lstrip(jsontext.BLANK)
    tree: Value
    if text.startswith((b"{", b"[")):
        try:
            tree = jsontext.decode(text)
        except ValueError:
            raise FormatError(f"{file}: no JSON that is whole. Copy or record it again.") from None
    else:
        try:
            tree, broken = document(text)
        except ValueError as error:
            raise FormatError(f"{file}: YAML that is not read: {error}.") from None
        if broken is not None:
            problems.add(None, f"the file breaks off or is damaged, {broken}. Copy or record it again.")
    if isinstance(tree, Mapping):
        tree = next((tree[name] for name in LISTS if name in tree), None)
    return tree if isinstance(tree, list) else []


def _seen(one: Mapping[str, Value]) -> Seen:
    """An interaction as VCR writes it, in two halves, or as nock does, in one."""
    request, response = (_mapping(one.get(half)) for half in ("request", "response"))
    if "request" not in one:
        request, response = one, {"response": one.get("response"), "status": one.get("status")}
    place = request.get("uri") or request.get("url") or f"{request.get('scope') or ''}{request.get('path') or ''}"
    return Seen(
        method=str(request.get("method") or "").upper(),
        url=str(place),
        request=_body({name: item for name, item in request.items() if name != "response"}) or b"",
        answer=_body(response),
        status=_status(response),
        headers=traffic.named(_texts(request.get("headers"))),
        started_at=seconds(_text(one.get("recorded_at"))),
    )


def _body(half: Mapping[str, Value]) -> bytes | None:
    """The bytes of a body, however it was written; None where there is none."""
    body = next((half[name] for name in BODIES if half.get(name) not in (None, "", b"")), None)
    if isinstance(body, Mapping) and any(name in body for name in TEXTS):
        encoded = body.get("base64_string")
        body = traffic.body(encoded, is_base64=True) if isinstance(encoded, str) else body.get("string")
    if isinstance(body, list) and body and all(isinstance(piece, str) and _HEX.fullmatch(piece) for piece in body):
        body = _unhexed("".join(map(str, body)))  # nock's writing of an answer that is no text
    if body is None or body == "":
        return None
    if isinstance(body, bytes):
        return traffic.inflated(body)
    return body.encode("utf-8", "replace") if isinstance(body, str) else msgspec.json.encode(body)


def _status(response: Mapping[str, Value]) -> int | None:
    status = response.get("status") or response.get("status_code")
    code = status.get("code") if isinstance(status, Mapping) else status
    return code if isinstance(code, int) else None


def _mapping(value: Value) -> Mapping[str, Value]:
    return value if isinstance(value, Mapping) else {}


def _texts(value: Value) -> Json:
    return {name: _first(item) for name, item in _mapping(value).items()}


def _first(value: Value) -> Json:
    if isinstance(value, list):
        value = value[0] if value else None
    return _text(value)


def _text(value: Value) -> str | None:
    return value if isinstance(value, str) else None


def _unhexed(text: str) -> bytes | None:
    try:
        return bytes.fromhex(text)
    except ValueError:
        return None
