"""Logs whose lines name the line that they continue: what stood before every call, and which branch it is on.

A session that was rewound has branches, one that was compacted begins anew: the request of a call is the way from its
reply back to such a beginning.  Does not know what the lines say, nor how they become messages.
"""

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import takewhile

from analysis.formats.branches import lineages
from analysis.model.session import JsonObject


@dataclass(frozen=True, slots=True)
class Node:
    """A line and the one that it continues; with a ``parent`` of None a conversation begins.

    ``place`` orders the lines of a session.  ``call`` is the call whose reply, or a part of it, the line is.
    ``answers`` are the ids of the tool calls whose results the line brings: results of calls that ran side by side
    each continue their own call, and all of them are sent.  ``follows`` is the line that stood last where a
    conversation began anew.  ``strand`` names a sub-agent, None is the session's own conversation.  ``cut`` says that
    the line which this one continues is lost.
    """

    name: str
    parent: str | None
    place: float
    call: str | None = None
    strand: str | None = None
    follows: str | None = None
    answers: frozenset[str] = frozenset()
    cut: bool = False


@dataclass(frozen=True, slots=True)
class Moved:
    """From a place on, a line continues another one than before: a compaction keeps it behind its summary."""

    place: float
    name: str
    parent: str


@dataclass(frozen=True, slots=True)
class Step:
    """A call: the lines of its reply, the lines since the reply before it, and its request as messages.

    ``cut`` says that a line of the request is lost.
    """

    call: str
    reply: tuple[Node, ...]
    lines: tuple[Node, ...]
    messages: tuple[JsonObject, ...]
    lineage: str | None
    cut: bool


Written = Callable[[Sequence[Node]], tuple[JsonObject, ...]]  # lines in a row as messages


def steps(
    nodes: Collection[Node], written: Written, moved: Sequence[Moved] = (), retracted: Collection[str] = ()
) -> Iterator[Step]:
    """The calls of a session by their place.  ``retracted`` are lines of replies that were taken back."""
    tree = _Tree({node.name: node for node in nodes}, written, moved)
    found = {call: tree.before(call, tree.epoch(call)) for call in tree.replies}
    taken_back = {call for call, reply in tree.replies.items() if any(node.name in retracted for node in reply)}
    named = lineages(
        {call: (reply[0].strand, reply[0].place, reply[-1].place) for call, reply in tree.replies.items()},
        {call: tree.continued(call) for call in tree.replies},
        taken_back,
    )
    for call, reply in tree.replies.items():
        before = found[call]
        yield Step(call, tuple(reply), before.lines, before.messages, named[call], before.cut)


@dataclass(frozen=True, slots=True)
class _Before:
    """What stood before a call: the call replied to last, the lines since then, all of it as messages."""

    call: str | None
    lines: tuple[Node, ...]
    messages: tuple[JsonObject, ...]
    cut: bool


@dataclass(slots=True)
class _Tree:
    nodes: dict[str, Node]
    written: Written
    moved: Sequence[Moved]
    replies: dict[str, list[Node]] = field(init=False)
    _results: dict[str, list[Node]] = field(default_factory=dict)  # by the call that asked for them
    _known: dict[tuple[str, int], _Before] = field(default_factory=dict)
    _said: dict[str, tuple[JsonObject, ...]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.replies = {}
        for node in sorted(self.nodes.values(), key=lambda node: node.place):
            if node.call is not None:
                self.replies.setdefault(node.call, []).append(node)
            asked = self.nodes.get(node.parent) if node.parent and node.answers else None
            if asked is not None and asked.call is not None:
                self._results.setdefault(asked.call, []).append(node)

    def epoch(self, call: str) -> int:
        """How many lines were moved before a call."""
        return sum(one.place < self.replies[call][0].place for one in self.moved)

    def before(self, call: str, epoch: int) -> _Before:
        """What stood before a call as of an epoch; built from the oldest call on, as chains are long."""
        ways: list[tuple[str, str | None, list[Node], bool]] = []
        at: str | None = call
        seen: set[str] = set()
        while at is not None and at not in seen and (at, epoch) not in self._known:
            seen.add(at)
            earlier, lines, cut = self._way(at, epoch)
            at_circle = earlier in seen
            ways.append((at, None if at_circle else earlier, lines, cut or at_circle))
            at = earlier
        for at, earlier, lines, cut in reversed(ways):
            self._known[at, epoch] = self._built(at, earlier, lines, cut, epoch)
        return self._known[call, epoch]

    def continued(self, call: str) -> str | None:
        """The call that this one comes after, over the beginnings of conversations; None where there is none."""
        before = self._known[call, self.epoch(call)]
        if before.call is not None:
            return before.call
        top = before.lines[0] if before.lines else self.replies[call][0]
        seen: set[str] = set()
        at = self.nodes.get(top.follows or "")
        while at is not None and at.name not in seen:
            if at.call is not None:
                return at.call
            seen.add(at.name)
            at = self.nodes.get(at.parent or at.follows or "")
        return None

    def _way(self, call: str, epoch: int) -> tuple[str | None, list[Node], bool]:
        """The lines from a call back to the reply before it, the oldest first; whether one of them is lost."""
        lines: list[Node] = []
        seen: set[str] = set()
        node = self.replies[call][0]
        cut = node.cut
        while True:
            seen.add(node.name)
            name = next((one.parent for one in reversed(self.moved[:epoch]) if one.name == node.name), node.parent)
            above = self.nodes.get(name or "")
            if above is None or above.name in seen:
                return None, lines[::-1], cut or name is not None
            if above.call not in (None, call):
                return above.call, lines[::-1], cut
            if above.call is None:
                lines.append(above)
            node, cut = above, cut or above.cut

    def _built(self, call: str, earlier: str | None, lines: list[Node], cut: bool, epoch: int) -> _Before:
        history: tuple[JsonObject, ...] = ()
        if earlier is not None:
            lines = self._with_results(earlier, lines, self.replies[call][0].place)
            known = self._known.get((earlier, epoch))
            cut = cut or known is None or known.cut
            history = (*(known.messages if known else ()), *self._reply(earlier))
        return _Before(earlier, tuple(lines), (*history, *self.written(lines)), cut)

    def _with_results(self, earlier: str, lines: list[Node], place: float) -> list[Node]:
        """The lines behind a reply with the results of its other tool calls, in the order in which they came."""
        answered = {answer for node in lines for answer in node.answers}
        first = list(takewhile(lambda node: node.answers, lines))
        rest = lines[len(first) :]
        for node in self._results.get(earlier, ()):
            if node.place < place and not node.answers & answered:
                answered |= node.answers
                first.append(node)
        return [*sorted(first, key=lambda node: node.place), *rest]

    def _reply(self, call: str) -> tuple[JsonObject, ...]:
        if call not in self._said:
            self._said[call] = self.written(self.replies[call])
        return self._said[call]
