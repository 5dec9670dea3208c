"""Pairs of the Responses API: one record as one turn, after all of a log are known.

A request that names the response before it (``previous_response_id``) has what that one had and answered in front.
Does not read streams without a response, nor what a server keeps of a conversation that the log does not begin with.
"""

from dataclasses import dataclass, field
from typing import Any

from analysis.formats import jsontext, wrapper
from analysis.formats.base import Problems
from analysis.formats.calls import dig, entry, first_text, mapping, objects, usage
from analysis.formats.grouping import Entry
from analysis.formats.jsontext import Fields
from analysis.formats.response_items import chat_messages, chat_tool
from analysis.formats.sharing import Sharing
from analysis.formats.times import seconds
from analysis.model.session import Json, JsonObject, Mark


@dataclass(frozen=True, slots=True)
class Known:
    """A response that later requests may build on: its messages without the instructions, and its session."""

    messages: tuple[JsonObject, ...]
    key: str


@dataclass(slots=True)
class _Chains:
    """The responses so far by their id, and the ids that requests build on."""

    referenced: set[str]
    known: dict[str, Known] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _Pair:
    """What is kept of a record until all are known: its line may hold a history that others hold as well.

    ``key``, ``trace`` and ``said`` are the session key, the trace and the fields of a Turn that the wrapper says.
    """

    line: int
    body: dict[str, Json]
    answer: dict[str, Json]
    failed: bool
    key: str | None
    trace: str | None
    request_id: str | None
    said: dict[str, Any]


@dataclass(slots=True)
class ResponsePairs:
    """The pairs of one log: a chain is known when all of them are.  What was sent again is kept once."""

    problems: Problems
    _taken: list[_Pair] = field(default_factory=list)
    _sharing: Sharing = field(default_factory=Sharing)

    def take(self, line: int, record: Fields) -> None:
        """Note one pair."""
        body, answer = _pair(record)
        for name in ("input", "tools"):
            if isinstance(body.get(name), list):
                body[name] = list(self._sharing.once(objects(body[name])))
        key, trace = wrapper.session_key(record, {}), wrapper.trace(record, {})
        request_id = first_text(wrapper.value(record, wrapper.REQUEST_ID))
        pair = _Pair(line, body, answer, wrapper.failed(record), key, trace, request_id, wrapper.said(record))
        self._taken.append(pair)

    def entries(self) -> list[Entry]:
        """The turns of all pairs, without their numbers; what is no request is a problem."""
        named = (first_text(pair.body.get("previous_response_id")) for pair in self._taken)
        chains = _Chains({one for one in named if one is not None})
        found = []
        for pair in self._taken:
            if "input" not in pair.body:
                self.problems.count("left out", pair.line, "left out: the request has no input.")
            elif pair.failed or (_has_failed(pair.answer) and not pair.answer.get("output")):
                self.problems.count("failed", pair.line, "the call failed and counts as no turn.")
            else:
                found.append(_entry(pair, chains, self._sharing))
        return found


def _entry(pair: _Pair, chains: _Chains, sharing: Sharing) -> Entry:
    body, answer = pair.body, pair.answer
    replies = sharing.once(chat_messages(objects(answer.get("output"))))
    key, history, is_whole = _continued(pair, replies, chains, sharing)
    said = dict(pair.said)
    lacks: set[Mark] = {*said.pop("lacks"), *(() if is_whole else ("truncated",))}
    if said["started_at"] is None:
        said["started_at"] = seconds(answer.get("created_at"))
    instructions = first_text(body.get("instructions"))
    head: tuple[JsonObject, ...] = ({"role": "system", "content": instructions},) if instructions else ()
    counts = mapping(answer.get("usage"))
    return entry(
        pair.line,
        first_text(body.get("model"), answer.get("model")) or "",
        (*sharing.once(head), *history),
        key=key,
        trace=pair.trace,
        tools=sharing.once(map(chat_tool, objects(body.get("tools")))),
        request_id=first_text(pair.request_id, answer.get("id")),
        template_kwargs=_template_kwargs(body),
        salt=first_text(body.get("cache_salt")),
        lacks=lacks,
        reply=replies[-1] if replies else None,
        usage=usage(
            counts.get("input_tokens"),
            counts.get("output_tokens"),
            dig(counts, "input_tokens_details", "cached_tokens"),
        ),
        **said,
    )


def _has_failed(answer: dict[str, Json]) -> bool:
    return bool(answer.get("error")) or answer.get("status") in ("failed", "cancelled")


def _continued(
    pair: _Pair, replies: tuple[JsonObject, ...], chains: _Chains, sharing: Sharing
) -> tuple[str | None, tuple[JsonObject, ...], bool]:
    """The session key, all messages with those of the chain, and whether the chain is in the log; it goes on here."""
    body, answer = pair.body, pair.answer
    before = first_text(body.get("previous_response_id"))
    known = chains.known.get(before) if before else None
    given = body["input"]
    asked = [{"role": "user", "content": given}] if isinstance(given, str) else objects(given)
    history = (*(known.messages if known else ()), *sharing.once(chat_messages(asked)))
    answer_id, key = first_text(answer.get("id")), _key(pair)
    if key is None:
        key = known.key if known else before or (answer_id if answer_id in chains.referenced else None)
    if answer_id is not None:
        chains.known[answer_id] = Known((*history, *replies), key or answer_id)
    return key, history, before is None or known is not None


def _pair(record: Fields) -> tuple[dict[str, Json], dict[str, Json]]:
    """Request and response; of a stream, the response that its last event carries."""
    wrapped = wrapper.body_of(record)
    body = wrapped if wrapped is not None else {key: jsontext.decode(raw) for key, raw in record.items()}
    said, stream = wrapper.value(record, wrapper.RESPONSE), wrapper.value(record, wrapper.STREAM)
    if isinstance(said, dict):
        return body, said
    text = stream if isinstance(stream, str) else said if isinstance(said, str) else ""
    answer: dict[str, Json] = mapping(text)
    for piece in text.split("\n"):
        if piece.startswith("data:"):
            answer = mapping(dig(piece[len("data:") :].strip(), "response")) or answer
    return body, answer


def _key(pair: _Pair) -> str | None:
    body = pair.body
    conversation = body.get("conversation")
    named = first_text(dig(conversation, "id"), conversation if isinstance(conversation, str) else None)
    return pair.key or named or first_text(body.get("session_id"), body.get("prompt_cache_key"))


def _template_kwargs(body: dict[str, Json]) -> JsonObject:
    effort = dig(body.get("reasoning"), "effort")
    given = {"reasoning_effort": effort} if effort is not None else {}
    return {**given, **mapping(body.get("chat_template_kwargs"))}
