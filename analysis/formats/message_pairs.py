"""Pairs of Anthropic's Messages API, which vLLM serves as /v1/messages: one record as one turn.

Streams are folded.  Counts: the prompt is what the API counts apart, read from and written to the cache, and the rest.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

from msgspec import Raw

from analysis.formats import jsontext, sse, wrapper
from analysis.formats.anthropic_blocks import chat_messages, chat_tool, reply, system_message
from analysis.formats.base import Problems
from analysis.formats.calls import dig, entry, first_text, mapping, objects, usage
from analysis.formats.grouping import Entry
from analysis.formats.jsontext import Fields
from analysis.model.session import Json, JsonObject, Usage

MARK, MARKED = b'"cache_control"', ("system", "tools", "messages")
PIECES = ("text", "thinking", "partial_json")  # the fields of a delta that go on
PROBLEM = "the call failed and counts as no turn."


@dataclass(slots=True)
class MessagePairs:
    """The pairs of one log, read as they come.  Messages that were sent again, byte for byte, are converted once."""

    problems: Problems
    _shared: dict[bytes, tuple[JsonObject, ...]] = field(default_factory=dict)
    _entries: list[Entry] = field(default_factory=list)

    def take(self, line: int, record: Fields) -> None:
        """Read one pair; what is none is a problem."""
        try:
            self._entries += self._read(record, line)
        except ValueError as error:
            self.problems.count(f"left out:{error}", line, f"left out: {error}.")

    def entries(self) -> list[Entry]:
        """The turns so far, without their numbers."""
        return self._entries

    def _read(self, record: Fields, line: int) -> Iterator[Entry]:
        wrapped = wrapper.body_of(record)
        found = wrapper.raw(record, wrapper.REQUEST) if wrapped is not None else None
        body = jsontext.fields(wrapper.unquoted(found)) if found is not None else record
        answer = _answer(record)
        if "messages" not in body:
            raise ValueError("the request has no messages")
        if wrapper.failed(record) or answer.get("type") == "error":
            self.problems.count("failed", line, PROBLEM)
            return
        asked = jsontext.items(body["messages"])
        decoded = {key: jsontext.decode(body[key]) for key in body if key != "messages"}
        if "usage" not in answer:
            self.problems.count("usage", line, "the response carries no usage, so cached tokens are unknown here.")
        messages = (*self._system(decoded.get("system"), asked), *self._messages(asked))
        yield entry(
            line,
            first_text(decoded.get("model"), answer.get("model")) or "",
            _marked(messages) if any(MARK in bytes(body[key]) for key in MARKED if key in body) else messages,
            key=wrapper.session_key(record, body),
            trace=wrapper.trace(record, body),
            tools=[chat_tool(tool) for tool in objects(decoded.get("tools"))],
            request_id=first_text(wrapper.value(record, wrapper.REQUEST_ID), answer.get("id")),
            template_kwargs=_template_kwargs(decoded),
            salt=first_text(decoded.get("cache_salt")),
            reply=reply(answer["content"]) if isinstance(answer.get("content"), list) else None,
            usage=counted(answer.get("usage")),
            **wrapper.said(record),
        )

    def _system(self, system: Json, asked: list[Raw]) -> Iterator[JsonObject]:
        inline = [jsontext.decode(raw) for raw in asked if b'"system"' in bytes(raw)]
        return system_message(system, [message for message in inline if isinstance(message, dict)])

    def _messages(self, asked: list[Raw]) -> Iterator[JsonObject]:
        for raw in asked:
            known = self._shared.get(key := bytes(raw))
            if known is None:
                message = jsontext.decode(raw)
                if not isinstance(message, dict):
                    raise ValueError("messages is not a list of objects")
                known = () if message.get("role") == "system" else chat_messages(message)
                self._shared[key] = known
            yield from known


def _marked(messages: tuple[JsonObject, ...]) -> tuple[JsonObject, ...]:
    """Messages that say in the first one that the request marks what is to be cached: in their text nothing shows."""
    return ({**messages[0], "cache_control": {"type": "ephemeral"}}, *messages[1:]) if messages else ()


def counted(said: Json) -> Usage:
    """The usage of a response; a server that does not read its cache aloud leaves the field out."""
    found = mapping(said)
    read, created = found.get("cache_read_input_tokens"), found.get("cache_creation_input_tokens")
    return usage(found.get("input_tokens"), found.get("output_tokens"), read, created=created, apart=True)


def _template_kwargs(body: dict[str, Json]) -> JsonObject:
    kwargs = mapping(body.get("chat_template_kwargs"))
    effort = dig(body.get("output_config"), "effort")
    return {**({"reasoning_effort": effort} if effort is not None else {}), **kwargs}


def _answer(record: Fields) -> dict[str, Json]:
    """The response, folded where it was streamed."""
    said = wrapper.value(record, wrapper.RESPONSE)
    stream = wrapper.value(record, wrapper.STREAM)
    if isinstance(said, dict) and (said.get("usage") is not None or stream is None):
        return said
    if isinstance(said, str) and not said.lstrip().startswith(("data:", "event:")):
        return mapping(said)
    return folded(_events(said if stream is None else stream))


def _events(stream: Json) -> Iterator[dict[str, Json]]:
    if isinstance(stream, list) and all(isinstance(event, dict) for event in stream):
        yield from objects(stream)
        return
    text = "\n".join(map(str, stream)) if isinstance(stream, list) else str(stream or "")
    for piece in text.replace("\r", "\n").split("\n"):
        if piece.startswith("data:"):
            yield mapping(piece[len("data:") :].strip())


def folded(events: Iterator[dict[str, Json]]) -> dict[str, Json]:
    """The message that a stream of events builds."""
    message: dict[str, Json] = {}
    blocks: dict[int, dict[str, Json]] = {}
    for event in events:
        kind, index = event.get("type"), event.get("index")
        number = index if isinstance(index, int) else 0
        if kind == "message_start":
            message = dict(mapping(event.get("message")))
        elif kind == "content_block_start":
            blocks[number] = dict(mapping(event.get("content_block")))
        elif kind == "content_block_delta":
            delta = mapping(event.get("delta"))
            for key in PIECES:
                sse.append_text(blocks.setdefault(number, {"type": "text"}), key, delta.get(key))
        elif kind == "message_delta":
            counts = {key: count for key, count in mapping(event.get("usage")).items() if count is not None}
            message["usage"] = {**mapping(message.get("usage")), **counts}
        elif kind == "error":
            return {"type": "error"}
    if message:
        message["content"] = [_closed(blocks[number]) for number in sorted(blocks)]
    return message


def _closed(block: dict[str, Json]) -> dict[str, Json]:
    sse.join_text(block)
    if isinstance(written := block.pop("partial_json", None), str):
        block["input"] = mapping(written)
    return block
