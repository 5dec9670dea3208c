"""The messages of one Gemini CLI session as a tree: later records repeat, take back and rewrite earlier ones.

A reply holds its calls of tools together with what these returned.  Does not count calls.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby

from analysis.formats.calls import first_text, mapping, objects
from analysis.formats.gemini_parts import MODEL, chat_messages, parts_of
from analysis.formats.times import seconds
from analysis.formats.tree import Node
from analysis.model.session import Json, JsonObject

REWIND, UPDATE, SUBAGENT = "$rewindTo", "$set", "subagent"
SENT = ("user", "gemini")


@dataclass(slots=True)
class Message:
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
class Session:
    """The messages of a session; ``_chain`` names those that a request would hold now."""

    key: str | None = None
    kind: str | None = None
    messages: dict[str, Message] = field(default_factory=dict)
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
        if name in self.messages and name in self._chain:
            self.messages[name].said = said
            return
        while name in self.messages:
            name += "'"
        last = next(reversed(self.messages), None)
        self.messages[name] = Message(name, line, said, self._chain[-1] if self._chain else None, last, copied)
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
    tools = {_id(tool): tool for said in run for tool in objects(said.get("toolCalls"))}
    said = [part for said in run for part in parts_of(said.get("content"))]
    own = [part for part in said if not ("functionCall" in part and _id(part["functionCall"]) in tools)]
    calls = [
        mapping({"functionCall": {key: tool.get(key) for key in ("id", "name", "args")}}) for tool in tools.values()
    ]
    yield from chat_messages(MODEL, [*own, *calls])
    returned = {
        _id(part["functionResponse"]): part
        for tool in tools.values()
        for part in parts_of(tool.get("result"))
        if "functionResponse" in part
    }
    yield from chat_messages("user", [*returned.values()])


def _id(held: Json) -> str | None:
    return first_text(mapping(held).get("id"))
