"""Pairs of any API that vLLM serves, in one log: each is read by the API it speaks, and all become one set of turns.

A proxy in front of a server writes what its clients send, and they need not agree on an API.  A render is a turn only
in a log without calls: beside them it is what a client asked before it sent the call that is there as well.
"""

from dataclasses import dataclass, field, replace
from typing import Protocol

from analysis.formats import jsontext, shape, wrapper
from analysis.formats.base import Problems, Progress
from analysis.formats.chat_pairs import ChatPairs
from analysis.formats.grouping import Entry, grouped
from analysis.formats.jsontext import Fields
from analysis.formats.message_pairs import MessagePairs
from analysis.formats.response_pairs import ResponsePairs
from analysis.formats.stored import Data
from analysis.formats.token_pairs import TokenPairs
from analysis.formats.wrapper import Api
from analysis.model.session import Log, Session

FORMATS: dict[Api, str] = {
    "chat": "openai-chat",
    "messages": "anthropic-messages",
    "responses": "openai-responses",
    "tokens": "vllm-render",
    "render": "vllm-render",
}
RENDER = "a render, no call to the model: no turn."


class Reader(Protocol):
    """What reads the pairs of one API."""

    def take(self, line: int, record: Fields) -> None:
        """Read one pair; what is none is a problem."""

    def entries(self) -> list[Entry]:
        """The turns of all pairs that were taken, without their numbers."""


@dataclass(slots=True)
class Pairs:
    """The pairs of one log, whatever API each one speaks."""

    problems: Problems
    _readers: dict[Api, Reader] = field(default_factory=dict)
    _apis: dict[int, Api] = field(default_factory=dict)

    def take(self, line: int, record: Fields, otherwise: Api | None = None) -> bool:
        """Read one record, as ``otherwise`` where it does not say its API; False where there is none to read it as."""
        api = wrapper.api(record) or otherwise
        if api is None:
            return False
        if api not in self._readers:
            self._readers[api] = _reader(api, self.problems)
        self._readers[api].take(line, record)
        self._apis[line] = api
        return True

    def entries(self) -> list[Entry]:
        """The turns of all pairs in the order of their lines, without their numbers."""
        found = {api: reader.entries() for api, reader in self._readers.items()}
        if any(entries for api, entries in found.items() if api != "render"):
            for entry in found.pop("render", ()):
                self.problems.count("render", entry.turn.line, RENDER)
        return sorted((one for entries in found.values() for one in entries), key=lambda entry: entry.turn.line)

    def sessions(self, file: str, source: str, log_format: str | None = None) -> tuple[Session, ...]:
        """The sessions of all pairs; without a format given, each is of the format of its first turn's API."""
        made = grouped(self.entries(), file, source, log_format or "")
        if log_format is not None:
            return made
        return tuple(replace(session, log_format=FORMATS[self._apis[session.turns[0].line]]) for session in made)


def opens_with(head: bytes) -> Api | None:
    """The API of the first call in a file, else that it holds renders; None where a field is another tool's."""
    records = shape.opening(head)
    if any(shape.OTHERS & record.keys() for record in records):
        return None
    found = [api for record in records if (api := wrapper.api(record)) is not None]
    return next((api for api in found if api != "render"), found[0] if found else None)


def read(data: Data, file: str, source: str, own: Api, title: str, progress: Progress | None = None) -> Log:
    """Parse a whole log of pairs, those that do not say their API as ``own``.

    Raise FormatError, with the ``title`` of the format, where no record is a request.
    """
    problems = Problems(file)
    pairs = Pairs(problems)
    for line, record in jsontext.records(data, problems, progress):
        pairs.take(line, record, own)
    sessions = pairs.sessions(file, source)
    if not sessions:
        raise problems.refusal("no request in it that could be read", title)
    return Log(sessions, problems.listed())


def _reader(api: Api, problems: Problems) -> Reader:
    match api:
        case "chat":
            return ChatPairs(problems)
        case "messages":
            return MessagePairs(problems)
        case "responses":
            return ResponsePairs(problems)
        case "tokens" | "render":
            return TokenPairs(problems)
