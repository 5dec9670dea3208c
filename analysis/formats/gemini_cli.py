"""Sessions of Gemini CLI: one JSON object with its messages, since v0.40 JSON lines with rewinds and updates.

Every reply becomes a request with what stands before it.  Knows the calls of tools with their results from the reply
that made them.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby

from analysis.formats import jsontext, shape
from analysis.formats.base import FormatError, Problems, Progress
from analysis.formats.calls import count, entry, first_text, mapping, objects, usage
from analysis.formats.gemini_parts import MODEL, chat_messages, parts_of
from analysis.formats.grouping import Entry, grouped
from analysis.formats.times import seconds
from analysis.formats.tree import Node, Step, steps
from analysis.formats.zero_counts import without_doubtful_zeros
from analysis.model.session import JsonObject, Log, Mark, Usage

name = "gemini-cli"
title = "Gemini CLI sessions (~/.gemini/tmp/*/chats, JSON and JSON lines)"
looks_for = "an object with sessionId and projectHash"
limitations: tuple[str, ...] = (
    "requests are put together from the session: the system prompt and the tools are not in it",
    "a call is taken to start when the message before it was written, with tools when the last of them returned",
    "a cached count of 0 is unknown where a model has no other: Gemini CLI writes 0 for what a server does not say",
)

LACKS: tuple[Mark, ...] = ("no_system", "no_tools", "reconstructed")
REWIND, UPDATE, SUBAGENT = "$rewindTo", "$set", "subagent"
SENT = ("user", "gemini")


def sniff(head: bytes) -> bool:
    """Yes to a session or the line at the head of one."""
    return shape.has(head, "sessionId", "projectHash")


def read(data: bytes, file: str, source: str, progress: Progress | None = None) -> Log:
    """Parse a session; raise FormatError where no model replied in it."""
    problems, session = Problems(file), _Session()
    for line, record in jsontext.records(data, problems, progress):
        session.add({key: jsontext.decode(raw) for key, raw in record.items()}, line)
    folder = file.rpartition("/")[0].rpartition("/")[2] if session.strand else ""
    key = folder or session.key or file
    entries = [_entry(step, session, key) for step in steps(session.nodes.values(), session.written)]
    if not entries:
        raise FormatError(f"{file}: no reply of a model in it. Whymiss reads {title}.")
    return Log(grouped(without_doubtful_zeros(entries), file, source, name), problems.listed())


@dataclass(slots=True)
class _Message:
    """A message as it was written last, behind another one; ``copied`` from the history when that was rewritten."""

    name: str
    line: int
    said: JsonObject
    parent: str | None
    follows: str | None
    copied: bool

    @property
    def is_reply(self) -> bool:
        """Whether a model wrote it; what the client makes up has neither a model nor counts."""
        known = self.said.get("model") is not None or bool(self.said.get("tokens"))
        return self.said.get("type") == "gemini" and known and not self.copied

    @property
    def at(self) -> float | None:
        """When it was written, or when the last of its tools returned."""
        stamps = [self.said.get("timestamp"), *(one.get("timestamp") for one in objects(self.said.get("toolCalls")))]
        return max((at for stamp in stamps if (at := seconds(stamp)) is not None), default=None)


@dataclass(slots=True)
class _Session:
    """The messages of a session; ``_chain`` names those that a request would hold now."""

    key: str | None = None
    kind: str | None = None
    messages: dict[str, _Message] = field(default_factory=dict)
    _chain: list[str] = field(default_factory=list)

    def add(self, said: JsonObject, line: int) -> None:
        """Take in a record: a message, an update of one, what is known of the session, a rewind."""
        if REWIND in said:
            place = self._chain.index(back) if (back := str(said[REWIND])) in self._chain else 0
            del self._chain[place:]
        elif "id" in said:
            self._message(said, line)
        else:
            known = mapping(said.get(UPDATE)) or said
            self.key, self.kind = first_text(known.get("sessionId"), self.key), first_text(known.get("kind"), self.kind)
            if UPDATE in said and "messages" in known:
                self._chain.clear()
            for message in objects(known.get("messages")):
                self._message(message, line, copied=UPDATE in said)

    def _message(self, said: JsonObject, line: int, copied: bool = False) -> None:
        name = first_text(said.get("id")) or f"line {line}"
        if said.get("type") not in SENT:
            return
        if name in self._chain:
            self.messages[name].said = said
            return
        while name in self.messages:
            name += "'"
        last = next(reversed(self.messages), None)
        self.messages[name] = _Message(name, line, said, self._chain[-1] if self._chain else None, last, copied)
        self._chain.append(name)

    @property
    def strand(self) -> str | None:
        """The sub-agent whose session it is; that lies in a folder named for the session that called it."""
        return f"agent {self.key}" if self.kind == SUBAGENT else None

    @property
    def nodes(self) -> dict[str, Node]:
        """The messages as a tree."""
        made: dict[str, Node] = {}
        for place, message in enumerate(self.messages.values()):
            call = message.name if message.is_reply else None
            above = self.messages.get(message.parent or "")
            if call and above and not (message.said.get("tokens") or above.said.get("toolCalls")):
                call = made[above.name].call or call  # the reply before it goes on
            made[message.name] = Node(message.name, message.parent, float(place), call, self.strand, message.follows)
        return made

    def written(self, nodes: Sequence[Node]) -> tuple[JsonObject, ...]:
        """Messages as chat messages, a reply with what its tools returned behind it."""
        runs = groupby(nodes, key=lambda node: node.call or node.name)
        said = ([self.messages[node.name].said for node in run] for _call, run in runs)
        return tuple(one for run in said for one in (_of_user(run) if run[0].get("type") == "user" else _of_model(run)))


def _of_user(run: list[JsonObject]) -> Iterator[JsonObject]:
    """What a user wrote; what tools returned stands with the reply that called them."""
    parts = [part for said in run for part in parts_of(said.get("content")) if "functionResponse" not in part]
    yield from chat_messages("user", parts) if parts else ()


def _of_model(run: list[JsonObject]) -> Iterator[JsonObject]:
    """A reply, written in one piece or several: its text, its calls of tools, and what these returned, each once."""
    tools = {str(tool.get("id")): tool for said in run for tool in objects(said.get("toolCalls"))}
    said = [part for said in run for part in parts_of(said.get("content"))]
    own = [part for part in said if str(mapping(part.get("functionCall")).get("id")) not in tools]
    calls = [
        mapping({"functionCall": {key: tool.get(key) for key in ("id", "name", "args")}}) for tool in tools.values()
    ]
    yield from chat_messages(MODEL, [*own, *calls])
    returned = {
        str(mapping(part["functionResponse"]).get("id")): part
        for tool in tools.values()
        for part in parts_of(tool.get("result"))
        if "functionResponse" in part
    }
    yield from chat_messages("user", [*returned.values()])


def _entry(step: Step, session: _Session, key: str) -> Entry:
    reply = [session.messages[node.name] for node in step.reply]
    above = session.messages.get(reply[0].parent or "")
    counts = next((found for one in reversed(reply) if (found := mapping(one.said.get("tokens")))), {})
    return entry(
        reply[0].line,
        first_text(reply[0].said.get("model")) or "",
        step.messages,
        key=key,
        request_id=step.call,
        lacks=LACKS,
        reply=session.written(step.reply)[0],
        usage=_usage(counts),
        started_at=above.at if above else None,
        ended_at=seconds(reply[-1].said.get("timestamp")),
        lineage=step.lineage,
    )


def _usage(said: JsonObject) -> Usage:
    """The counts of a call; thoughts are counted apart.  A prompt of no tokens is none that was counted."""
    output = [found for name in ("output", "thoughts") if (found := count(said.get(name))) is not None]
    if not count(said.get("input")):
        return Usage()
    return usage(said.get("input"), sum(output) if output else None, said.get("cached"))
