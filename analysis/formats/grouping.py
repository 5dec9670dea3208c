"""Turns into sessions: by the log's own key, else by the messages that the turns share.

The inference ignores what breaks a prefix (system text, tools, salt, reasoning, ids): it compares the other messages
by role, stripped text and tool names.  One key may hold several lineages: those that the log names, and side calls
(titles, sub-agents), which share neither how they open nor their system text and tools with the session's own turns.
"""

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from analysis.core.growth import Growing
from analysis.formats import prompts
from analysis.formats.summaries import Cousins, Told
from analysis.model.session import JsonObject, Request, Session, Turn

Message = tuple[str, str, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class Entry:
    """A turn without its number, and the session key of the log (None where it has none).

    ``inferred`` is a key that was made up when the log was written: an earlier reader told its session by the messages.
    ``trace`` stands for a missing key where several turns share it: many clients begin a new trace with every call.
    """

    turn: Turn
    key: str | None
    inferred: bool = False
    trace: str | None = None


def grouped(entries: Sequence[Entry], file: str, source: str, log_format: str) -> tuple[Session, ...]:
    """Sessions in the order of their first turn; turns in the order the server got them, else of the file."""
    sessions: dict[str, list[Turn]] = {}
    inference = _Inference()
    inferred = set()
    traces = Counter(entry.trace for entry in entries if entry.key is None)
    for entry in _in_time(entries):
        key = entry.trace if entry.key is None and traces[entry.trace] > 1 else entry.key
        is_told = key is not None and not entry.inferred
        if key is None:
            key = inference.session_of(entry.turn)
        if not is_told:
            inferred.add(key)
        sessions.setdefault(key, []).append(entry.turn)
    return tuple(
        Session(
            session_id=session_id,
            source=source,
            file=file,
            log_format=log_format,
            turns=tuple(_numbered(turns)),
            inferred=session_id in inferred,
        )
        for session_id, turns in sessions.items()
    )


def by_first_turn(sessions: Iterable[Session]) -> tuple[Session, ...]:
    """Sessions of several files in the order of their first turn; those without a time come first."""
    return tuple(sorted(sessions, key=lambda session: session.turns[0].started_at or 0.0))


def _in_time(entries: Sequence[Entry]) -> list[Entry]:
    """By start time; an entry without one has that of the line before it."""
    times = known_times([entry.turn.started_at for entry in entries])
    order = sorted(range(len(entries)), key=lambda index: (times[index], entries[index].turn.line))
    return [entries[index] for index in order]


def known_times(times: Sequence[float | None]) -> list[float]:
    """Times without gaps: a missing one is that before it, at the beginning the first there is."""
    last = next((time for time in times if time is not None), 0.0)
    filled = []
    for time in times:
        last = last if time is None else time
        filled.append(last)
    return filled


def _numbered(turns: Sequence[Turn]) -> Iterator[Turn]:
    """The turns of one session as they follow each other; logged ids of a growing prompt lie in one memory."""
    grown: dict[str | None, Growing] = {}
    for number, turn in enumerate(_with_lineages(turns), 1):
        logged = turn.prompt_ids
        kept = None if logged is None else grown.setdefault(turn.lineage, Growing()).keep(logged)
        yield replace(turn, number=number, prompt_ids=kept)


def _with_lineages(turns: Sequence[Turn]) -> Iterator[Turn]:
    """The turns of one session, side calls set apart from what they were called from.

    What changed in the middle of a conversation is no side call: the first message of the user or the system text and
    tools are still those of its other turns.
    """
    openings: dict[Hashable, str | None] = {}
    heads: dict[Hashable, str | None] = {}
    sides = 0
    for turn in turns:
        if turn.lineage is None and turn.request.kind == "chat":
            head, opening = _head(turn.request), first_of_user(turn.request)
            lineage = openings.get(opening, heads.get(head, "")) if opening else heads.get(head, "")
            if lineage == "":
                lineage = f"side-{sides}" if sides else None
                sides += 1
            openings[opening] = heads[head] = lineage
            turn = replace(turn, lineage=lineage)
        yield turn


def first_of_user(request: Request) -> str:
    """What the user asked first, which every turn of a conversation begins with."""
    return next((_text(message) for message in request.messages if message.get("role") == "user"), "")


@dataclass(slots=True, eq=False)
class _Open:
    """A session that later turns may continue.  ``order`` counts turns over all sessions: the latest is greatest."""

    told: Told
    turn: Turn
    outline: tuple[Message, ...] = ()
    order: int = 0


@dataclass(slots=True)
class _Inference:
    """The sessions seen so far, found by how they open and by their system text and tools."""

    _turns: int = 0
    _by_opening: dict[Hashable, dict[str, _Open]] = field(default_factory=dict)
    _by_head: dict[Hashable, Cousins] = field(default_factory=dict)
    _sessions: dict[str, _Open] = field(default_factory=dict)
    _outlines: dict[int, tuple[JsonObject, Message]] = field(default_factory=dict)

    def session_of(self, turn: Turn) -> str:
        """The session that this turn continues, or a new one."""
        outline = tuple(self._outline(message) for message in turn.request.messages if message.get("role") != "system")
        looked_up, filed_under = _openings(turn.request, outline)
        siblings = [known for key in looked_up for known in self._by_opening.get(key, {}).values()]
        cousins = self._by_head.setdefault((turn.request.model, _head(turn.request)), Cousins())
        found = _by_history(turn, outline, reversed(siblings)) or self._by_summary(outline, cousins) or self._new(turn)
        self._turns += 1
        added = [text for _role, text, _names in outline[_shared(found.outline, outline) :]]
        found.told.goes_on(added, len(outline), cousins)
        found.turn, found.outline, found.order = turn, outline, self._turns
        for key in filed_under:
            self._by_opening.setdefault(key, {})[found.told.session_id] = found
        return found.told.session_id

    def _new(self, turn: Turn) -> _Open:
        session_id = f"inferred-{len(self._sessions) + 1:04d}"
        return self._sessions.setdefault(session_id, _Open(Told(session_id), turn))

    def _by_summary(self, outline: tuple[Message, ...], cousins: Cousins) -> _Open | None:
        """A history that collapsed into a summary continues the session it speaks of, under the same system and tools.

        A summary repeats phrases of what it sums up; a fresh question under the same system text does not.
        """
        if len(outline) > 2 or not outline:
            return None
        found = cousins.summed_up(outline[0][1], len(outline))
        return None if found is None else self._sessions[found]

    def _outline(self, message: JsonObject) -> Message:
        """Made once per message: messages that were sent again are the same object."""
        known = self._outlines.get(id(message))
        if known is None:
            known = self._outlines[id(message)] = (message, (str(message.get("role")), _text(message), _tools(message)))
        return known[1]


def _openings(request: Request, outline: tuple[Message, ...]) -> tuple[list[Hashable], list[Hashable]]:
    """What every turn of a session shares: where to look for the session, and where to file it.

    Of a chat that is the model and the messages up to the first of a user, of a completion how its prompt begins.
    """
    if request.kind == "completion":
        looked_up, filed_under = prompts.looked_up(request.prompt), prompts.filed_under(request.prompt)
        return [(request.model, key) for key in looked_up], [(request.model, key) for key in filed_under]
    first_user = next((index for index, message in enumerate(outline) if message[0] == "user"), len(outline))
    opening = (request.model, outline[: first_user + 1])
    return [opening], [opening]


def _by_history(turn: Turn, outline: tuple[Message, ...], siblings: Iterable[_Open]) -> _Open | None:
    """The session that shares most leading messages, at least the first user message; ties: the latest."""
    best, most = None, (0, 0)
    for known in siblings:
        if turn.request.kind == "completion":
            shared = prompts.shared(known.turn.request.prompt, turn.request.prompt, most[0])
        else:
            shared = _shared(known.outline, outline)
        if shared and (shared, known.order) > most:
            best, most = known, (shared, known.order)
    return best


def _shared(old: tuple[Message, ...], new: tuple[Message, ...]) -> int:
    pairs = zip(old, new, strict=False)
    return next((index for index, (left, right) in enumerate(pairs) if left != right), min(len(old), len(new)))


def _head(request: Request) -> tuple[str, str]:
    """System text and tool names: what a compacted conversation keeps."""
    system = "\n".join(_text(message) for message in request.messages if message.get("role") == "system")
    return system, ",".join(sorted(_function_name(tool) for tool in request.tools))


def _text(message: JsonObject) -> str:
    content = message.get("content")
    if isinstance(content, str):
        return content.strip()
    if isinstance(content, list):
        return "\n".join(str(part.get("text", "")) for part in content if isinstance(part, dict)).strip()
    return ""


def _tools(message: JsonObject) -> tuple[str, ...]:
    calls = message.get("tool_calls")
    return tuple(_function_name(call) for call in calls if isinstance(call, dict)) if isinstance(calls, list) else ()


def _function_name(holder: JsonObject) -> str:
    function = holder.get("function")
    return str(function.get("name")) if isinstance(function, dict) else str(holder.get("name"))
