"""Sessions under one system text and set of tools, found by the phrases in them: which of them a text sums up.

Does not walk the sessions: a phrase leads to those that have it, and only sessions that a summary can stand for have
their phrases looked up.
"""

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import islice

SHINGLE = 5  # words in a row that two texts must share to be about the same thing
SHARED_SHINGLES = 2


@dataclass(slots=True, eq=False)
class Told:
    """The phrases of one session in the order they came up, and how many messages its last request had."""

    session_id: str
    num_messages: int = 0
    _phrases: dict[str, None] = field(default_factory=dict)
    _unread: list[str] = field(default_factory=list)
    _among: list["Cousins"] = field(default_factory=list)

    def goes_on(self, texts: Iterable[str], num_messages: int, cousins: "Cousins") -> None:
        """Take the texts that a turn adds; ``cousins`` have the system text and tools of this turn."""
        self._unread += texts
        self.num_messages = num_messages
        if cousins.joined_by(self):
            self._among.append(cousins)
        if num_messages > 1:
            for one in self._among:
                one.grown[self.session_id] = self

    def phrases(self, start: int) -> list[str]:
        """All phrases but the first ``start``, each once."""
        for text in self._unread:
            self._phrases.update(dict.fromkeys(shingles(text)))
        self._unread.clear()
        return [*islice(self._phrases, start, None)]


@dataclass(slots=True, eq=False)
class Cousins:
    """The sessions that had one system text and set of tools, in the order they came to it."""

    grown: dict[str, Told] = field(default_factory=dict)
    _sessions: list[Told] = field(default_factory=list)
    _places: dict[str, int] = field(default_factory=dict)
    _num_read: dict[str, int] = field(default_factory=dict)
    _holders: dict[str, list[int]] = field(default_factory=dict)

    def joined_by(self, told: Told) -> bool:
        """Whether this session is new among them."""
        if told.session_id in self._places:
            return False
        self._places[told.session_id] = len(self._sessions)
        self._sessions.append(told)
        return True

    def summed_up(self, text: str, num_messages: int) -> str | None:
        """The session that shares most phrases with the text and has more messages; None where it shares too few."""
        self._read_on()
        found: Counter[int] = Counter()
        for phrase in shingles(text):
            found.update(self._holders.get(phrase, ()))
        fitting = [
            (-shared, place)
            for place, shared in found.items()
            if shared >= SHARED_SHINGLES and self._sessions[place].num_messages > num_messages
        ]
        return self._sessions[min(fitting)[1]].session_id if fitting else None

    def _read_on(self) -> None:
        for session_id, told in self.grown.items():
            num_read = self._num_read.get(session_id, 0)
            new = told.phrases(num_read)
            for phrase in new:
                self._holders.setdefault(phrase, []).append(self._places[session_id])
            self._num_read[session_id] = num_read + len(new)
        self.grown.clear()


def shingles(text: str) -> set[str]:
    """The phrases of a text: so many words in a row, whatever their case and what stands between them."""
    words = re.findall(r"[^\W_]+", text.lower())[:4000]
    return {" ".join(words[index : index + SHINGLE]) for index in range(len(words) - SHINGLE + 1)}
