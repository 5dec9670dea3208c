"""The lines of one Claude Code session as a tree of messages in Anthropic's form.

A reply is one line per content block with the same message id.  Lines of the client itself (attachments, progress,
system notes) hold the tree together and say nothing.  Does not make requests of it.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby

from analysis.formats.anthropic_blocks import chat_messages
from analysis.formats.base import Problems
from analysis.formats.calls import dig, first_text, mapping, objects
from analysis.formats.times import seconds
from analysis.formats.tree import Moved, Node
from analysis.model.session import Json, JsonObject

KEY = re.compile(r"[\w.:@/+=-]+")  # an id; "[trimmed]" and the like stand for many lines and are none
SYNTHETIC = "<synthetic>"  # the model of what the client wrote itself
BOUNDARY = "compact_boundary"
RETRACTING = ("supersedesUuids", "retractedMessageUuids")
NOTES = {"isCompactSummary": "behind a compaction", "isAbortedMidStream": "broken off by the client"}


@dataclass(frozen=True, slots=True)
class Line:
    """A line that holds a message: where it stands and what it says; ``message`` is Anthropic's.

    ``note`` is what is to be said of the call that the line is part of.
    """

    file: str
    number: int
    role: str
    message: JsonObject
    message_id: str | None
    at: float | None
    version: str | None
    note: str | None


@dataclass(slots=True)
class Transcript:
    """A session under its key, filled line by line."""

    key: str
    nodes: dict[str, Node] = field(default_factory=dict)
    lines: dict[str, Line] = field(default_factory=dict)
    moved: list[Moved] = field(default_factory=list)
    retracted: set[str] = field(default_factory=set)
    _kept: dict[str, list[str]] = field(default_factory=dict)  # lines kept by a compaction, by that before them
    _kept_at: dict[str, float] = field(default_factory=dict)
    _last: dict[tuple[str, str | None], str] = field(default_factory=dict)
    _num_chains: int = 0

    def add(self, said: JsonObject, file: str, number: int, problems: Problems) -> None:
        """Take in a line; one that was written twice counts once."""
        self.retracted |= {name for listed in RETRACTING for name in _texts(said.get(listed))}
        name, line = key(said.get("uuid")), _line(said, file, number)
        if said.get("isApiErrorMessage") is True:
            problems.count("failed", number, "the call failed and counts as no turn.")
            line = None
        if name is None and line is not None:
            problems.count("no key", number, "a message without an id of its own: its place is not known, left out.")
        if name is None or name in self.nodes:
            return
        node = self._node(name, said, line, file)
        if node.cut:
            problems.count("cut", number, "the line that this one continues is not in the log: its history is cut off.")
        if line is not None:
            self.lines[name] = line
        self.nodes[name] = node
        self._last[file, node.strand] = name

    @property
    def files(self) -> str:
        """The files that hold its messages, that of the session first."""
        names = [*dict.fromkeys(line.file for line in self.lines.values())]
        return " + ".join(names if len(names) < 3 else (names[0], f"{len(names) - 1:,} more"))

    def written(self, nodes: Sequence[Node]) -> tuple[JsonObject, ...]:
        """Lines as chat messages: what one side says in a row is one message, as the client sends it."""
        said = [self.lines[node.name] for node in nodes if node.name in self.lines]
        runs = groupby(said, key=lambda line: (line.role, line.message_id))
        return tuple(message for (role, _id), run in runs for message in chat_messages(_merged(role, [*run])))

    def _node(self, name: str, said: JsonObject, line: Line | None, file: str) -> Node:
        place = float(len(self.nodes))
        if said.get("subtype") == BOUNDARY:
            self._keep(place, mapping(said.get("compactMetadata")))
        strand = self._strand(said)
        before = self._last.get((file, strand))
        parent, cut = self._parent(name, said, before)
        return Node(
            name,
            parent,
            self._kept_at.get(name, place),
            call=None if "forkedFrom" in said else self._call(name, parent, line),
            strand=strand,
            follows=first_text(said.get("logicalParentUuid"), said.get("parentUuid"), before),
            answers=frozenset(_answers(line)),
            cut=cut,
        )

    def _call(self, name: str, parent: str | None, line: Line | None) -> str | None:
        """The call that a reply belongs to: that of its message id, without one that of the reply before it."""
        if line is None or line.role != "assistant" or line.message.get("model") == SYNTHETIC:
            return None
        before = self.lines.get(parent or "")
        continues = before is not None and before.role == "assistant" and before.message_id is None
        return line.message_id or (self.nodes[parent].call if parent and continues else None) or name

    def _parent(self, name: str, said: JsonObject, before: str | None) -> tuple[str | None, bool]:
        """The line that this one continues, and whether that is lost; before it stands then the line above."""
        if said.get("isCompactSummary") is True:
            kept = self._kept.get(str(said.get("parentUuid")))
            return (kept[-1] if kept else None), False
        if "parentUuid" not in said:
            return before, False
        parent = first_text(said.get("parentUuid"))
        kept = self._kept.get(parent or "", [])
        if kept and name not in kept:
            return kept[-1], False
        if kept and kept.index(name):
            return kept[kept.index(name) - 1], False
        lost = parent is not None and parent not in self.nodes
        return (before if lost else parent), lost

    def _keep(self, place: float, compaction: JsonObject) -> None:
        """Note which lines a compaction keeps, and behind which line."""
        segment, listed = mapping(compaction.get("preservedSegment")), mapping(compaction.get("preservedMessages"))
        anchor = first_text(listed.get("anchorUuid"), segment.get("anchorUuid"))
        kept = _texts(listed.get("uuids")) or _texts([segment.get("headUuid"), segment.get("tailUuid")])
        if anchor is None or not kept:
            return
        self._kept[anchor] = kept
        self._kept_at |= dict.fromkeys(kept, place - 0.5)
        self.moved.append(Moved(place, kept[0], anchor))

    def _strand(self, said: JsonObject) -> str | None:
        """The sub-agent that a line belongs to; older versions wrote them among the lines of the session."""
        if said.get("isSidechain") is not True:
            return None
        if (agent := first_text(said.get("agentId"))) is not None:
            return f"agent {agent}"
        above = self.nodes.get(first_text(said.get("parentUuid")) or "")
        if above is not None and above.strand is not None:
            return above.strand
        self._num_chains += said.get("parentUuid", "") is None or not self._num_chains
        return f"side-chain-{self._num_chains}"


def key(value: Json) -> str | None:
    """An id that stands for one thing; None where the value is none, or a placeholder."""
    found = first_text(value)
    return found if found is not None and KEY.fullmatch(found) else None


def _line(said: JsonObject, file: str, number: int) -> Line | None:
    """The message of a line; None where it has none.  Older versions wrote uses of tools on lines of their own."""
    kind = str(said.get("type"))
    message = mapping(said.get("message"))
    if kind == "tool_use":
        message = {"content": [{"type": "tool_use", "name": said.get("name"), "input": said.get("input")}]}
    elif kind == "tool_result":
        message = {"content": [{"type": "tool_result", "content": said.get("output")}]}
    elif kind not in ("user", "assistant") or "content" not in message:
        return None
    role = "assistant" if kind in ("assistant", "tool_use") else "user"
    return Line(
        file,
        number,
        role,
        message,
        key(message.get("id")) if role == "assistant" else None,
        seconds(said.get("timestamp")),
        first_text(said.get("version")),
        next((note for mark, note in NOTES.items() if said.get(mark) is True), None),
    )


def _answers(line: Line | None) -> Iterator[str]:
    if line is not None and line.role == "user":
        yield from (found for block in objects(line.message.get("content")) if (found := key(block.get("tool_use_id"))))


def _merged(role: str, lines: list[Line]) -> JsonObject:
    contents = [dig(line.message, "content") for line in lines]
    if len(contents) == 1:
        return {"role": role, "content": contents[0]}
    return {"role": role, "content": [block for content in contents for block in _blocks(content)]}


def _blocks(content: Json) -> list[dict[str, Json]]:
    return objects(content) if isinstance(content, list) else [{"type": "text", "text": first_text(content) or ""}]


def _texts(value: Json) -> list[str]:
    return [str(item) for item in value if isinstance(item, str)] if isinstance(value, list) else []
