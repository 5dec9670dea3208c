"""Chats of Qwen Code (``~/.qwen/projects/*/chats/*.jsonl``): a tree of JSON lines in the parts of Google's API.

Every reply becomes a request with what stands before it on its branch.  Does not count what its telemetry says of the
same calls again.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from analysis.formats import jsontext, shape
from analysis.formats.base import Problems, Progress
from analysis.formats.calls import count, entry, first_text, mapping, objects, usage
from analysis.formats.gemini_parts import MODEL, chat_messages, parts_of
from analysis.formats.grouping import Entry, grouped
from analysis.formats.times import seconds
from analysis.formats.tree import Node, Step, steps
from analysis.formats.zero_counts import without_doubtful_zeros
from analysis.model.session import JsonObject, Log, Mark, Usage

name = "qwen-code"
title = "Qwen Code chats (~/.qwen/projects/*/chats, JSON lines)"
looks_for = "lines with uuid, sessionId and a message of parts, or with systemPayload"
limitations: tuple[str, ...] = (
    "requests are put together from the chat: the system prompt and the tools are not in it",
    "a call is taken to start when the line before it was written",
    "a cached count of 0 is unknown where a model has no other: Qwen Code writes 0 for what a server does not say",
)

LACKS: tuple[Mark, ...] = ("no_system", "no_tools", "reconstructed")
REPLY, COMPRESSION, BOOTSTRAP = "assistant", "chat_compression", "agent_bootstrap"
COMPRESSED = "behind a compression of the history"
NEVER_SENT = ("realtime_message", "code_mode_tool_result")


def sniff(head: bytes) -> bool:
    """Yes to lines of the tree with parts, or with what only this client writes beside them."""
    return any(
        "uuid" in record
        and "sessionId" in record
        and ("systemPayload" in record or "parts" in shape.inner(record, "message"))
        for record in shape.opening(head)
    )


def read(data: bytes, file: str, source: str, progress: Progress | None = None) -> Log:
    """Parse a chat; raise FormatError where no model replied in it."""
    problems = Problems(file)
    chats: dict[str, _Chat] = {}
    for line, record in jsontext.records(data, problems, progress):
        said = {key: jsontext.decode(raw) for key, raw in record.items()}
        key = first_text(said.get("sessionId")) or file
        chats.setdefault(key, _Chat(key)).add(said, line, problems)
    entries = [one for chat in chats.values() for one in chat.entries()]
    if not entries:
        raise problems.refusal("no reply of a model in it", title)
    return Log(grouped(without_doubtful_zeros(entries), file, source, name), problems.listed())


@dataclass(frozen=True, slots=True)
class _Line:
    """A line that holds messages: those that it becomes, and what is said of a reply."""

    number: int
    messages: tuple[JsonObject, ...]
    at: float | None
    model: str | None
    counts: JsonObject
    version: str | None
    note: str | None


@dataclass(slots=True)
class _Chat:
    """The lines of a session under its key."""

    key: str
    nodes: dict[str, Node] = field(default_factory=dict)
    lines: dict[str, _Line] = field(default_factory=dict)
    _last: dict[str | None, str] = field(default_factory=dict)

    def add(self, said: JsonObject, number: int, problems: Problems) -> None:
        """Take in a line; one that was written twice counts once."""
        own = first_text(said.get("uuid"))
        if own is None:
            problems.count("no uuid", number, "a line without an id of its own: its place is not known, left out.")
            return
        if own in self.nodes:
            return
        agent = first_text(said.get("agentId")) if said.get("isSidechain") is True else None
        strand = f"agent {agent}" if agent is not None else None
        before = self._last.get(strand)
        parent = first_text(said.get("parentUuid")) if "parentUuid" in said else before
        lost = parent is not None and parent not in self.nodes
        if lost:
            problems.count("cut", number, "the line that this one continues is not in the log: its history is cut off.")
        messages = _messages(said)
        if messages:
            self.lines[own] = _line(said, number, messages)
        self.nodes[own] = Node(
            own,
            None if said.get("subtype") == COMPRESSION else before if lost else parent,
            float(len(self.nodes)),
            call=own if said.get("type") == REPLY and messages and "forkedFrom" not in said else None,
            strand=strand,
            follows=parent or before,
            answers=frozenset(_answers(said)),
            cut=lost,
        )
        self._last[strand] = own

    def written(self, nodes: Sequence[Node]) -> tuple[JsonObject, ...]:
        """Lines as chat messages."""
        return tuple(one for node in nodes if node.name in self.lines for one in self.lines[node.name].messages)

    def entries(self) -> Iterator[Entry]:
        """The calls of the chat."""
        for step in steps(self.nodes.values(), self.written):
            yield self._entry(step, self.lines[step.call])

    def _entry(self, step: Step, reply: _Line) -> Entry:
        asked = [self.lines[node.name] for node in step.lines if node.name in self.lines]
        return entry(
            reply.number,
            reply.model or "",
            step.messages,
            key=self.key,
            request_id=step.call,
            lacks=(*LACKS, *(("truncated",) if step.cut else ())),
            reply=reply.messages[-1],
            usage=_usage(reply.counts),
            started_at=asked[-1].at if asked else None,
            ended_at=reply.at,
            note=next((line.note for line in asked if line.note), None),
            lineage=step.lineage,
            client=f"qwen-code {reply.version}" if reply.version else None,
        )


def _line(said: JsonObject, number: int, messages: tuple[JsonObject, ...]) -> _Line:
    return _Line(
        number,
        messages,
        seconds(said.get("timestamp")),
        first_text(said.get("model")),
        mapping(said.get("usageMetadata")),
        first_text(said.get("version")),
        COMPRESSED if said.get("subtype") == COMPRESSION else None,
    )


def _messages(said: JsonObject) -> tuple[JsonObject, ...]:
    """What a line adds to a conversation; a compression and the start of a sub-agent hold a whole history."""
    payload, kind = mapping(said.get("systemPayload")), said.get("subtype")
    if said.get("type") == "system":
        held = {COMPRESSION: "compressedHistory", BOOTSTRAP: "history"}.get(str(kind), "")
        return tuple(one for content in objects(payload.get(held)) for one in _of_content(content))
    if kind in NEVER_SENT:
        return ()
    return _of_content(mapping(said.get("message")))


def _of_content(content: JsonObject) -> tuple[JsonObject, ...]:
    parts = content.get("parts")
    return chat_messages(MODEL if content.get("role") == MODEL else "user", parts) if parts_of(parts) else ()


def _answers(said: JsonObject) -> Iterator[str]:
    for part in parts_of(mapping(said.get("message")).get("parts")):
        if found := first_text(mapping(part.get("functionResponse")).get("id")):
            yield found


def _usage(said: JsonObject) -> Usage:
    """The counts of a call; a prompt of no tokens is none that was counted."""
    prompt, output = said.get("promptTokenCount"), said.get("candidatesTokenCount")
    return usage(prompt, output, said.get("cachedContentTokenCount")) if count(prompt) else Usage()
