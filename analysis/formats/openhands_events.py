"""Event streams of OpenHands: a list of events, an event a file, or ``history`` in a row of an evaluation.

Requests are put together from the events; those of the SDK with ``return_token_ids`` carry the ids of every prompt.
Does not read completion logs, which hold the requests as they were sent.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from analysis.formats import jsontext, openhands_sdk, openhands_v0, shape
from analysis.formats.base import FormatError, Problems, Progress
from analysis.formats.bodies import response
from analysis.formats.calls import dig, entry, first_text, objects
from analysis.formats.grouping import Entry, grouped
from analysis.formats.jsontext import Fields
from analysis.formats.openhands_history import Call, Event, calls
from analysis.model.session import Json, JsonObject, Log, Mark, Usage

name = "openhands-events"
title = "OpenHands event streams: trajectories, events of the SDK (a folder of event-*.json), evaluation rows"
looks_for = "events with kind, source and timestamp, or actions and observations with source, or a history of them"
limitations: tuple[str, ...] = (
    "requests are put together from the events, without the lines that OpenHands adds to results of tools",
    "give the folder of a conversation: base_state.json has the counts, a cached count of zero there says nothing",
    "tools of the SDK are stored without their parameters: the turns are marked",
    "a call begins with the event before its reply; the times are local, without a zone",
)

FOLDERS = re.compile(r"(^|/)(events|event_cache)$")  # of a conversation
_NUMBER = re.compile(r"(?:event-)?(\d+)")


Found: TypeAlias = tuple[int, int, JsonObject]  # an event: the number of its file or its place there, its line, and it


@dataclass(slots=True)
class _Stream:
    """The events of one conversation, and the file where the first one stands."""

    file: str
    events: list[Found] = field(default_factory=list)


def sniff(head: bytes) -> bool:
    """Yes to events of either generation, a history of them, or the state beside them."""
    return any(_is_ours(record) for record in shape.opening(head)[:4])


def _is_ours(record: Fields) -> bool:
    if _is_event(record) or openhands_sdk.is_state(record):
        return True
    return "trajectory" not in record and any(_is_event(one) for one in _flat(shape.value(record, "history"))[:4])


def _is_event(said: JsonObject | Fields) -> bool:
    return openhands_sdk.is_event(said) or openhands_v0.is_event(said)


def read(data: bytes, file: str, source: str, progress: Progress | None = None) -> Log:
    """Parse the events in one file."""
    return read_together([(file, data)], source, progress)


def read_together(files: Sequence[tuple[str, bytes]], source: str, progress: Progress | None = None) -> Log:
    """Parse the events of all files, a folder of single events as one session.

    Raise FormatError where no model replied in them.
    """
    streams: dict[str, _Stream] = {}
    usages: dict[str, Usage] = {}
    models: dict[str, str | None] = {}
    noted = {file: Problems(file) for file, _data in files}
    for file, data in files:
        records = [
            (line, {key: jsontext.decode(raw) for key, raw in record.items()})
            for line, record in jsontext.records(data, noted[file], progress)
        ]
        for _line, said in records:
            if openhands_sdk.is_state(said):
                usages |= openhands_sdk.usages(said)
                models[_conversation(file, source)] = openhands_sdk.model(said)
        for key, event in _placed(file, records, source):
            streams.setdefault(key, _Stream(file)).events.append(event)
    sessions = [
        session
        for key, stream in streams.items()
        for session in grouped([*_entries(key, stream.events, models.get(key), usages)], stream.file, source, name)
    ]
    if not sessions:
        raise FormatError(f"{files[0][0]}: no reply of a model in these events. Whymiss reads {title}.")
    return Log(tuple(sessions), tuple(problem for one in noted.values() for problem in one.listed()))


def _placed(file: str, records: list[tuple[int, dict[str, Json]]], source: str) -> Iterator[tuple[str, Found]]:
    """The events of a file, each with the key of its conversation."""
    folder, _slash, base = file.rpartition("/")
    found = _NUMBER.match(base)
    number = int(found[1]) if found else 0
    own = [(line, said) for line, said in records if _is_event(said)]
    alone = len(own) == 1 or folder.endswith("event_cache")
    for line, said in own:
        yield _conversation(file, source) if alone else file, (number, line, said)
    for line, said in records:
        key = first_text(said.get("instance_id")) or f"{file}:{line}"
        for place, one in enumerate(_flat(said.get("history"))):
            yield key, (place, line, one)


def _conversation(file: str, source: str) -> str:
    """The key of a conversation that lies in a folder, in which its events have one of their own."""
    return FOLDERS.sub("", file.rpartition("/")[0]) or source


def _flat(history: Json) -> list[dict[str, Json]]:
    """Events of a history; older ones hold pairs of an action and its observation."""
    listed = history if isinstance(history, list) else []
    return objects([event for one in listed for event in (one if isinstance(one, list) else [one])])


def _entries(key: str, found: Sequence[Found], model: str | None, usages: dict[str, Usage]) -> Iterator[Entry]:
    events: dict[str, Event] = {}
    lines: dict[str, int] = {}
    for place, (_number, line, said) in enumerate(sorted(found, key=lambda one: one[:2])):
        event_id = first_text(said.get("id")) or f"place {place}"
        if event_id not in events and _is_event(said):
            reader = openhands_sdk if openhands_sdk.is_event(said) else openhands_v0
            events[event_id], lines[event_id] = reader.event(said, event_id), line
    listed = list(events.values())
    if all(event_id.isdecimal() for event_id in events):
        listed.sort(key=lambda event: int(event.event_id))
    head = next((event for event in listed if event.tools is not None), None)
    for call in calls(listed):
        model = first_text(dig(call.first.answer, "model")) or model
        yield _entry(key, lines[call.first.event_id], call, head, model or "", usages)


def _entry(key: str, line: int, call: Call, head: Event | None, model: str, usages: dict[str, Usage]) -> Entry:
    parts = response(call.first.answer)
    response_id = call.first.response_id or ""
    lacks: tuple[Mark, ...] = ("no_system", "no_tools") if head is None else head.lacks
    return entry(
        line,
        model,
        call.messages,
        key=key,
        tools=(head.tools if head else None) or (),
        request_id=response_id,
        lacks=("reconstructed", *lacks),
        reply=parts.reply or call.reply,
        usage=usages.get(response_id, parts.usage),
        prompt_ids=call.prompt_ids if call.prompt_ids is not None else parts.prompt_ids,
        output_ids=call.output_ids if call.output_ids is not None else parts.output_ids,
        started_at=call.asked_at,
        ended_at=call.first.at,
        server_version=parts.server_version,
    )
