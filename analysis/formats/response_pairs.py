"""Pairs of the Responses API: one record as one turn, after all of a log are known.

A request that names the response before it (``previous_response_id``) has what that one had and answered in front.
Does not read streams without a response, nor what a server keeps of a conversation that the log does not begin with.
"""

from dataclasses import dataclass, field

from analysis.formats import jsontext, wrapper
from analysis.formats.base import Problems
from analysis.formats.calls import dig, entry, first_text, mapping, objects, usage
from analysis.formats.grouping import Entry
from analysis.formats.jsontext import Fields
from analysis.formats.response_items import chat_messages, chat_tool
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


@dataclass(slots=True)
class ResponsePairs:
    """The pairs of one log: a chain is known when all of them are."""

    problems: Problems
    _taken: list[tuple[int, Fields, dict[str, Json], dict[str, Json]]] = field(default_factory=list)

    def take(self, line: int, record: Fields) -> None:
        """Note one pair."""
        self._taken.append((line, record, *_pair(record)))

    def entries(self) -> list[Entry]:
        """The turns of all pairs, without their numbers; what is no request is a problem."""
        named = (first_text(body.get("previous_response_id")) for _line, _record, body, _answer in self._taken)
        chains = _Chains({one for one in named if one is not None})
        found = []
        for line, record, body, answer in self._taken:
            if "input" not in body:
                self.problems.count("left out", line, "left out: the request has no input.")
            elif wrapper.failed(record) or (_has_failed(answer) and not answer.get("output")):
                self.problems.count("failed", line, "the call failed and counts as no turn.")
            else:
                found.append(_entry(line, record, body, answer, chains))
        return found


def _entry(line: int, record: Fields, body: dict[str, Json], answer: dict[str, Json], chains: _Chains) -> Entry:
    replies = tuple(chat_messages(objects(answer.get("output"))))
    key, history, is_whole = _continued(record, body, answer, replies, chains)
    said = wrapper.said(record)
    lacks: set[Mark] = {*said.pop("lacks"), *(() if is_whole else ("truncated",))}
    if said["started_at"] is None:
        said["started_at"] = seconds(answer.get("created_at"))
    instructions = first_text(body.get("instructions"))
    head: tuple[JsonObject, ...] = ({"role": "system", "content": instructions},) if instructions else ()
    counts = mapping(answer.get("usage"))
    return entry(
        line,
        first_text(body.get("model"), answer.get("model")) or "",
        (*head, *history),
        key=key,
        trace=wrapper.trace(record, {}),
        tools=[chat_tool(tool) for tool in objects(body.get("tools"))],
        request_id=first_text(wrapper.value(record, wrapper.REQUEST_ID), answer.get("id")),
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
    record: Fields, body: dict[str, Json], answer: dict[str, Json], replies: tuple[JsonObject, ...], chains: _Chains
) -> tuple[str | None, tuple[JsonObject, ...], bool]:
    """The session key, all messages with those of the chain, and whether the chain is in the log; it goes on here."""
    before = first_text(body.get("previous_response_id"))
    known = chains.known.get(before) if before else None
    given = body["input"]
    asked = [{"role": "user", "content": given}] if isinstance(given, str) else objects(given)
    history = (*(known.messages if known else ()), *chat_messages(asked))
    answer_id, key = first_text(answer.get("id")), _key(record, body)
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


def _key(record: Fields, body: dict[str, Json]) -> str | None:
    conversation = body.get("conversation")
    named = first_text(dig(conversation, "id"), conversation if isinstance(conversation, str) else None)
    return wrapper.session_key(record, {}) or named or first_text(body.get("session_id"), body.get("prompt_cache_key"))


def _template_kwargs(body: dict[str, Json]) -> JsonObject:
    effort = dig(body.get("reasoning"), "effort")
    given = {"reasoning_effort": effort} if effort is not None else {}
    return {**given, **mapping(body.get("chat_template_kwargs"))}
