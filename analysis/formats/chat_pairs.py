"""Pairs of the OpenAI API, chat and completions: one record as one turn.

Reads streamed responses as text or chunks, and token ids where the log has them.  Does not read several prompts in one
request; of n > 1 choices the first is read.
"""

from dataclasses import dataclass, field, replace
from typing import cast, get_args

from analysis.core.media import of_features
from analysis.formats import jsontext, sse, wrapper
from analysis.formats.base import Problems
from analysis.formats.bodies import BodyReader, ResponseParts, ids, response
from analysis.formats.calls import first_text
from analysis.formats.grouping import Entry
from analysis.formats.jsontext import Fields
from analysis.formats.wrapper import REQUEST, REQUEST_ID, RESPONSE, STREAM
from analysis.model.session import CachedBasis, Json, JsonObject, Request, TokenIds, Turn, Usage

ROLES = frozenset({"system", "developer", "user", "assistant", "tool", "function"})


@dataclass(slots=True)
class ChatPairs:
    """The pairs of one log, read as they come."""

    problems: Problems
    _bodies: BodyReader = field(default_factory=BodyReader)
    _entries: list[Entry] = field(default_factory=list)

    def take(self, line: int, record: Fields) -> None:
        """Read one pair; what is none is a problem."""
        try:
            if (entry := _entry(record, line, self._bodies, self.problems)) is not None:
                self._entries.append(entry)
        except ValueError as error:
            self.problems.count(f"left out:{error}", line, f"left out: {error}.")

    def entries(self) -> list[Entry]:
        """The turns so far, without their numbers."""
        return self._entries


def _entry(record: Fields, line: int, bodies: BodyReader, problems: Problems) -> Entry | None:
    """One record as a turn without a number; None where the call failed and so was no turn."""
    wrapped = wrapper.raw(record, REQUEST)
    body = jsontext.fields(wrapper.unquoted(wrapped)) if wrapped is not None else record
    request = bodies.request(body)
    parts = answered(record, bare=wrapped is None)
    if parts.reply is None and (parts.error is not None or wrapper.failed(record)):
        # Not the server's words: they may echo the request, and with it a salt or a key.
        status = wrapper.value(record, ("status",))
        said = status if isinstance(status, int) else "not logged"
        problems.count("failed", line, f"the call failed (status {said}) and counts as no turn.")
        return None
    if not request.model and parts.model:
        request = replace(request, model=parts.model)
    turn = _with_media(_turn(record, line, request, parts), record, problems)
    _remark(turn, parts.has_usage, problems)
    for key, found in (("prompt_token_ids", turn.prompt_ids), ("output_token_ids", turn.output_ids)):
        if wrapper.raw(record, (key,)) is not None and found is None:
            problems.count(key, line, f"{key} is no list of token ids and was left out.")
    is_inferred = wrapper.value(record, ("session_inferred",)) is True
    return Entry(turn, wrapper.session_key(record, body), is_inferred, wrapper.trace(record, body))


def _turn(record: Fields, line: int, request: Request, parts: ResponseParts) -> Turn:
    said = wrapper.said(record)
    return Turn(
        number=0,
        line=line,
        request_id=first_text(wrapper.value(record, REQUEST_ID), parts.request_id) or f"line-{line}",
        request=request,
        reply=parts.reply,
        usage=_with_basis(parts.usage, record),
        prompt_ids=_either(ids(wrapper.value(record, ("prompt_token_ids",))), parts.prompt_ids),
        output_ids=_either(ids(wrapper.value(record, ("output_token_ids",))), parts.output_ids),
        server_version=parts.server_version,
        completeness=said.pop("lacks"),
        **said,
    )


def answered(record: Fields, bare: bool) -> ResponseParts:
    """The response of a record: as an object, or folded from its stream where the object lacks usage or ids."""
    value = wrapper.value(record, RESPONSE)
    if isinstance(value, str):
        value = sse.fold(value) if value.lstrip().startswith("data:") else _object_in(value)
    elif isinstance(value, list):
        value = sse.fold_chunks([chunk for chunk in value if isinstance(chunk, dict)])
    elif value is None and bare and "choices" in record:
        value = {key: jsontext.decode(raw) for key, raw in record.items()}
    body = cast(JsonObject, value) if isinstance(value, dict) else None
    stream = wrapper.value(record, STREAM)
    if stream is not None and (body is None or body.get("usage") is None or response(body).output_ids is None):
        text = "\n".join(str(piece) for piece in stream) if isinstance(stream, list) else str(stream)
        folded = sse.fold(text) or {}
        # The stream has the ids of the reply where the object has none; what the object says goes first elsewhere.
        choices = {"choices": folded["choices"]} if response(folded).output_ids is not None else {}
        said = {key: item for key, item in (body or {}).items() if item is not None}
        body = {**folded, **said, **choices} or None
    return response(body)


def _with_basis(usage: Usage, record: Fields) -> Usage:
    """The usage, and why cached tokens are unknown as an earlier reader found: that may have seen more than a null."""
    basis = wrapper.value(record, ("cached_basis",))
    if usage.cached_tokens is None and basis in get_args(CachedBasis) and basis != "reported":
        return replace(usage, cached_basis=cast(CachedBasis, basis))
    return usage


def _with_media(turn: Turn, record: Fields, problems: Problems) -> Turn:
    """The turn with the images that the ``features`` of a render place in its ids."""
    features = wrapper.value(record, ("features",))
    if features is None or turn.prompt_ids is None:
        return turn
    try:
        return replace(turn, media=of_features(features, len(turn.prompt_ids)))
    except ValueError as error:
        problems.count("features", turn.line, f"left out: {error}.")
        return turn


def _remark(turn: Turn, has_usage: bool, problems: Problems) -> None:
    """State what is odd but readable, counted per kind."""
    roles = {str(message.get("role")) for message in turn.request.messages} - ROLES
    for role in sorted(roles):
        problems.count(
            f"role:{role}", turn.line, f"unknown role {role[:40]!r}: many chat templates drop such a message silently."
        )
    if turn.request.kind == "chat" and not turn.request.messages:
        problems.count("empty", turn.line, "the request has an empty list of messages.")
    if has_usage and turn.usage.prompt_tokens is None:
        problems.count("counts", turn.line, "the usage has no count of prompt tokens that can be read.")
    elif turn.usage.prompt_tokens is None:
        problems.count(
            "usage",
            turn.line,
            "the response carries no usage, so cached tokens are unknown here. For streams send"
            ' "stream_options": {"include_usage": true}.',
        )


def _object_in(text: str) -> Json:
    try:
        return jsontext.decode(text.encode())
    except ValueError:
        return None


def _either(first: TokenIds | None, second: TokenIds | None) -> TokenIds | None:
    return first if first is not None else second
