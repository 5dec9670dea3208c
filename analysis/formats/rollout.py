"""A Codex rollout as the calls it holds: each with the history that was sent, its reply, its counts and its times.

Counts stand before the items of their reply in older rollouts and behind them in newer ones; both are read.  Does not
count twice what is said twice, nor what a fork copied from its parent, nor a call that was cut short.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

from analysis.formats.calls import count, dig, first_text, mapping, objects
from analysis.formats.response_items import chat_messages
from analysis.model.session import Json, JsonObject

BY_MODEL = frozenset({"reasoning", "function_call", "custom_tool_call"})
BY_CLIENT = frozenset({"function_call_output", "custom_tool_call_output"})
COPIED_SECONDS = 1.0  # after its first line, in which a fork writes the history of its parent: no call is that quick
COUNTED = ("input_tokens", "cached_input_tokens", "output_tokens")


@dataclass(slots=True)
class Call:
    """One call; ``counts`` are Codex's own fields, of ``turn`` those of all calls of a turn of the client together."""

    line: int
    messages: tuple[JsonObject, ...]
    counts: JsonObject
    context: JsonObject
    started_at: float | None
    ended_at: float | None
    reply: JsonObject | None = None
    turn: bool = False
    cut: bool = False


@dataclass(slots=True)
class Rollout:
    """The state of reading one rollout: the history so far and the items of the model that no request has held yet."""

    meta: dict[str, Json] = field(default_factory=dict)
    aborted_line: int | None = None
    _calls: list[Call] = field(default_factory=list)
    _messages: list[JsonObject] = field(default_factory=list)
    _run: list[JsonObject] = field(default_factory=list)
    _open: Call | None = None  # a call that is counted, its reply still to come
    _context: JsonObject = field(default_factory=dict)
    _total: JsonObject = field(default_factory=dict)
    _began_at: float | None = None
    _sent_at: float | None = None
    _cut: bool = False

    def calls(self) -> list[Call]:
        """All calls that were counted."""
        self._end_run()
        return self._calls

    def read(self, line: int, kind: str, payload: dict[str, Json], at: float | None) -> None:
        """One line of the file: its number, its kind, what it holds and its time in seconds."""
        if kind == "session_meta" and not self.meta:
            self.meta, self._began_at = payload, at
        elif kind == "turn_context":
            self._context, self._sent_at = payload, at
        elif kind == "response_item":
            self._item(payload, at)
        elif kind == "compacted":
            self._compacted(payload)
        elif kind == "event_msg":
            self._event(line, payload, at)

    def _event(self, line: int, payload: dict[str, Json], at: float | None) -> None:
        kind = first_text(payload.get("type"))
        if kind == "token_count":
            total, last = mapping(dig(payload, "info", "total_token_usage")), dig(payload, "info", "last_token_usage")
            self._counted(line, total, mapping(last), at)
        elif kind == "turn.completed":
            self._turn(line, mapping(payload.get("usage")), at)
        elif kind == "turn_aborted" and self.aborted_line is None:
            self.aborted_line = line

    def _item(self, item: dict[str, Json], at: float | None) -> None:
        kind = first_text(item.get("type"))
        if kind in BY_MODEL or (kind == "message" and item.get("role") == "assistant"):
            self._run.append(item)
        elif kind in BY_CLIENT or kind == "message":
            self._end_run()
            self._messages += chat_messages([_whole(item)])
            self._sent_at = at

    def _compacted(self, payload: dict[str, Json]) -> None:
        """From here on the history is another one; where the file does not hold it, only its summary is known."""
        self._end_run()
        items = objects(payload.get("replacement_history"))
        self._cut = not items
        said: JsonObject = {"role": "user", "content": payload.get("message")}
        self._messages = [*_converted(items)] if items else [said]

    def _counted(self, line: int, total: JsonObject, last: JsonObject, at: float | None) -> None:
        if not count(last.get("input_tokens")) or (total or last) == self._total:
            return
        self._total = total or last
        if self._is_copied(at):
            return
        if self._open is not None:
            self._end_run()
        call = self._call(line, last, at)
        self._calls.append(call)
        if self._run:
            call.reply = self._end_run()
        else:
            self._open = call

    def _turn(self, line: int, total: JsonObject, at: float | None) -> None:
        """Counts of a turn of the client, said as the sum since the thread began."""
        if not count(total.get("input_tokens")):
            return
        self._end_run()
        before = {key: count(self._total.get(key)) or 0 for key in COUNTED}
        now = {key: known for key in COUNTED if (known := count(total.get(key))) is not None}
        grown = all(known >= before[key] for key, known in now.items())
        call = self._call(line, {key: known - before[key] if grown else known for key, known in now.items()}, at)
        call.turn, self._total = True, total
        self._calls.append(call)

    def _call(self, line: int, counts: JsonObject, at: float | None) -> Call:
        return Call(line, tuple(self._messages), counts, self._context, self._sent_at, at, cut=self._cut)

    def _end_run(self) -> JsonObject | None:
        """Put what the model said into the history; it is the reply of the call that waits for one."""
        said = [*_converted(self._run)]
        reply = said[-1] if said else None
        if self._open is not None:
            self._open.reply = reply
        self._messages += said
        self._run, self._open = [], None
        return reply

    def _is_copied(self, at: float | None) -> bool:
        """Whether a fork, or a sub-agent that was given its parent's history, wrote this line when it began."""
        if self._began_at is None or at is None or not (self.meta.get("forked_from_id") or parent(self.meta)):
            return False
        return at - self._began_at <= COPIED_SECONDS


def parent(meta: JsonObject) -> Json:
    """The thread that started this one as its sub-agent; None where there is none."""
    return meta.get("parent_thread_id") or dig(meta, "source", "subagent", "thread_spawn", "parent_thread_id")


def _converted(items: list[JsonObject] | list[dict[str, Json]]) -> Iterator[JsonObject]:
    known = BY_MODEL | BY_CLIENT | {"message"}
    return chat_messages([_whole(item) for item in items if first_text(item.get("type")) in known])


def _whole(item: JsonObject) -> JsonObject:
    """An item whose output is a list of parts where it is a single one."""
    output = item.get("output")
    return {**item, "output": [output]} if isinstance(output, dict) else item
