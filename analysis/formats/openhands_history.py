"""The calls of an OpenHands conversation, put together from its events: each reply with the history before it.

Follows branches and condensations, as OpenHands does when it makes the messages of a request.  Does not read events.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from analysis.formats.calls import objects
from analysis.model.session import JsonObject, Mark, TokenIds

SUMMARY = "-summary"  # ends the id of what a condensation puts into the history


@dataclass(frozen=True, slots=True)
class Condensed:
    """What a condensation does to the history: events it drops, and a summary at a position of what is left."""

    forgotten: frozenset[str]
    summary: str | None = None
    position: int | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Event:
    """What one event says of the history and of a call.

    ``message`` is what it adds to the history; with a ``response_id`` it is a reply of the model: a piece of it, or the
    whole where the event holds the ``answer``, the body that came.  ``at`` is its time, seconds since the epoch.
    ``parent`` is the event that it follows, None where it follows the one before it.  ``tools`` are those that a system
    message names, None where it is none.
    """

    event_id: str
    at: float | None = None
    parent: str | None = None
    message: JsonObject | None = None
    response_id: str | None = None
    answer: JsonObject | None = None
    condensed: Condensed | None = None
    tools: tuple[JsonObject, ...] | None = None
    lacks: tuple[Mark, ...] = ()
    prompt_ids: "TokenIds | None" = None
    output_ids: "TokenIds | None" = None


@dataclass(slots=True, eq=False)
class Call:
    """One call: what was sent, and what is known of the answer.  ``asked_at`` is the time of the event before it."""

    first: Event
    messages: tuple[JsonObject, ...]
    reply: JsonObject
    asked_at: float | None
    prompt_ids: "TokenIds | None" = None
    output_ids: "TokenIds | None" = None


@dataclass(slots=True)
class _History:
    """The messages that stand in a request, each with the event that it came from."""

    view: list[tuple[str, JsonObject]] = field(default_factory=list)
    pieces: dict[str, str] = field(default_factory=dict)  # of a reply: the event that its message came from
    at: float | None = None

    def add(self, event: Event) -> None:
        if event.condensed is not None:
            self._condense(event.event_id, event.condensed)
        elif event.message is not None:
            first = self.pieces.setdefault(event.response_id, event.event_id) if event.response_id else event.event_id
            if first == event.event_id:
                self.view.append((event.event_id, event.message))
            elif event.answer is None:
                self.view = [(one, joined(said, event.message) if one == first else said) for one, said in self.view]
        self.at = event.at if event.at is not None else self.at

    def _condense(self, event_id: str, condensed: Condensed) -> None:
        dropped = condensed.forgotten | {one for one, _said in self.view if one.endswith(SUMMARY)}
        self.view = [(one, said) for one, said in self.view if one not in dropped]
        if condensed.summary is not None and condensed.position is not None:
            said: JsonObject = {"role": "user", "content": condensed.summary}
            self.view.insert(condensed.position, (event_id + SUMMARY, said))


def calls(events: Sequence[Event]) -> list[Call]:
    """The calls of a conversation in the order of its events.  Token ids stand behind the reply they belong to."""
    known = {event.event_id: event for event in events}
    before: dict[str, str | None] = {}
    found: dict[str, Call] = {}
    history, last = _History(), None
    for event in events:
        parent = event.parent if event.parent in before else last
        if parent != last:
            history = _replayed(_path(parent, before, known))
        before[event.event_id], last = parent, event.event_id
        if event.prompt_ids is not None or event.output_ids is not None:
            _identify(found, event)
        elif event.response_id and event.response_id not in found and event.message is not None:
            messages = tuple(said for _event_id, said in history.view)
            found[event.response_id] = Call(event, messages, event.message, history.at)
        elif event.response_id in found and event.message is not None and event.answer is None:
            call = found[event.response_id]
            call.reply = joined(call.reply, event.message)
        history.add(event)
    return list(found.values())


def joined(message: JsonObject, piece: JsonObject) -> JsonObject:
    """A reply with one more of its tool calls: each lies in an event of its own."""
    more = objects(piece.get("tool_calls"))
    return {**message, "tool_calls": [*objects(message.get("tool_calls")), *more]} if more else message


def _identify(found: dict[str, Call], event: Event) -> None:
    """Give token ids to the last reply, unless it has some."""
    last = next(reversed(found.values()), None)
    if last is not None and last.prompt_ids is None and last.output_ids is None:
        last.prompt_ids, last.output_ids = event.prompt_ids, event.output_ids


def _path(event_id: str | None, before: dict[str, str | None], known: dict[str, Event]) -> list[Event]:
    """The events that lead to this one, and it: the branch that it ends."""
    path: list[Event] = []
    while event_id is not None:
        path.append(known[event_id])
        event_id = before.get(event_id)
    return path[::-1]


def _replayed(events: Iterable[Event]) -> _History:
    history = _History()
    for event in events:
        history.add(event)
    return history
