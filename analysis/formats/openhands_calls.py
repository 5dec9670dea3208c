"""Completion logs of OpenHands (``log_completions``): one JSON file a call, the calls of a conversation in one folder.

Where the model has no tool calling of its own, OpenHands writes the tools into the text: ``messages`` are what was sent
and ``raw_response`` is what came back, while ``raw_messages`` are from before that and ``response`` from after it.
Does not read the event stream of a conversation, which lies elsewhere.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from analysis.formats import jsontext, shape
from analysis.formats.base import FormatError, Problems, Progress
from analysis.formats.bodies import response
from analysis.formats.calls import count, dig, entry, first_text, mapping, objects, template_kwargs, usage
from analysis.formats.grouping import Entry, first_of_user, grouped
from analysis.formats.response_items import chat_messages, chat_tool
from analysis.formats.times import seconds
from analysis.model.session import Json, JsonObject, Log, Mark, Usage

name = "openhands-calls"
title = "OpenHands completion logs (log_completions): one JSON file a call"
looks_for = "an object with messages or input, kwargs, and a response or latency_sec"
limitations: tuple[str, ...] = (
    "the files of a conversation are read together: give their folder",
    "newer logs hold the tools without their parameters: their turns are marked",
    "calls of the Responses API are read as chat messages",
)

SENT = "messages"


@dataclass(frozen=True, slots=True)
class _Call:
    """A call and the file it stands in.  ``of_agent``: it was given tools."""

    file: str
    entry: Entry
    of_agent: bool


def sniff(head: bytes) -> bool:
    """Yes to a call with the arguments that went to LiteLLM beside its messages."""
    return any(_is_ours(record) for record in shape.opening(head))


def _is_ours(record: jsontext.Fields) -> bool:
    asked, known = {"messages", "input"} & record.keys(), {"response", "latency_sec"} & record.keys()
    return "kwargs" in record and bool(asked) and bool(known)


def read(data: bytes, file: str, source: str, progress: Progress | None = None) -> Log:
    """Parse the calls in one file."""
    return read_together([(file, data)], source, progress)


def read_together(files: Sequence[tuple[str, bytes]], source: str, progress: Progress | None = None) -> Log:
    """Parse the calls of all files, each folder a session; raise FormatError where no call was answered."""
    calls: list[_Call] = []
    shared: dict[bytes, Json] = {}
    noted = {file: Problems(file) for file, _data in files}
    for file, data in files:
        for line, record in jsontext.records(data, noted[file], progress):
            said = _decoded(record, shared)
            if (why := _no_turn(said)) is not None:
                noted[file].count(why, line, f"{why}: no turn.")
                continue
            given = mapping(said.get("kwargs")).get("tools") or said.get("tools") or said.get("fncall_messages")
            calls.append(_Call(file, _entry(line, said, file), bool(given)))
    if not calls:
        raise FormatError(f"{files[0][0]}: no call with an answer in it. Whymiss reads {title}.")
    folders: dict[str, list[_Call]] = {}
    for call in sorted(calls, key=lambda call: (call.entry.turn.ended_at or 0.0, call.file)):
        folders.setdefault(call.file.rpartition("/")[0], []).append(call)
    sessions = [
        session
        for folder, logged in folders.items()
        for session in grouped([*_keyed(logged, folder or source)], logged[0].file, source, name)
    ]
    return Log(tuple(sessions), tuple(problem for one in noted.values() for problem in one.listed()))


def _decoded(record: jsontext.Fields, shared: dict[bytes, Json]) -> dict[str, Json]:
    """A record, its messages decoded once where they were sent again; those that were not sent are not decoded."""
    said = {key: None if key == "raw_messages" else jsontext.decode(raw) for key, raw in record.items() if key != SENT}
    try:
        items = [bytes(item) for item in jsontext.items(record[SENT])] if SENT in record else []
    except ValueError:
        items = []
    for item in items:
        if item not in shared:
            shared[item] = jsontext.decode(item)
    return {**said, SENT: [shared[item] for item in items]}


def _no_turn(said: JsonObject) -> str | None:
    """Why a record is no call that was answered; None where it is one."""
    if not objects(said.get("messages")) and not said.get("input"):
        return "no messages"
    return None if mapping(said.get("response")) else "the call failed"


def _entry(line: int, said: dict[str, Json], file: str) -> Entry:
    kwargs, answer = mapping(said.get("kwargs")), mapping(said.get("raw_response") or said.get("response"))
    parts = response(answer)
    tools, lacks = _tools(said, kwargs)
    given = said.get("input")
    items = [{"role": "user", "content": given}] if isinstance(given, str) else objects(given)
    replies = tuple(chat_messages(objects(answer.get("output"))))
    ended, took = seconds(said.get("timestamp")), said.get("latency_sec")
    return entry(
        line,
        first_text(kwargs.get("model"), answer.get("model"), dig(said.get("response"), "model")) or "",
        (*_instructions(said), *(objects(said.get("messages")) or chat_messages(items))),
        key=first_text(dig(kwargs, "extra_body", "metadata", "session_id"), dig(kwargs, "metadata", "session_id")),
        tools=tools,
        request_id=parts.request_id or file,
        template_kwargs=template_kwargs(kwargs),
        salt=first_text(dig(kwargs, "extra_body", "cache_salt")),
        lacks=lacks,
        reply=parts.reply or (replies[-1] if replies else None),
        usage=_usage(mapping(said.get("response"))),
        prompt_ids=parts.prompt_ids,
        output_ids=parts.output_ids,
        started_at=ended - took if ended and isinstance(took, int | float) and 0 <= took < ended else None,
        ended_at=ended,
        server_version=parts.server_version,
    )


def _instructions(said: JsonObject) -> Iterator[JsonObject]:
    """The system text of a call of the Responses API."""
    if (text := first_text(said.get("instructions"))) is not None and "input" in said:
        yield {"role": "system", "content": text}


def _tools(said: JsonObject, kwargs: JsonObject) -> tuple[list[JsonObject], tuple[Mark, ...]]:
    """The tools that were sent, and what is missing of them.

    ``tools`` are those of the agent: newer logs drop the sent ones for them, though they lack the parameters.
    """
    sent = [chat_tool(tool) for tool in objects(kwargs.get("tools"))]
    if sent or any(key in said for key in ("raw_messages", "fncall_messages")):
        return sent, ()
    own = [chat_tool(tool) for tool in objects(said.get("tools"))]
    return (own, ()) if all("function" in tool for tool in own) else ([], ("no_tools",))


def _usage(answer: JsonObject) -> Usage:
    """The usage of a response of either API, which a response that was not converted may lack."""
    counts = mapping(answer.get("usage"))
    if count(counts.get("prompt_tokens")) is not None or "input_tokens" not in counts:
        return response(answer).usage
    cached = dig(counts, "input_tokens_details", "cached_tokens")
    return usage(counts.get("input_tokens"), counts.get("output_tokens"), cached)


@dataclass(slots=True)
class _Folder:
    """The conversations of a folder so far, by what the user asked first."""

    key: str
    current: str
    openings: dict[str, str] = field(default_factory=dict)

    def conversation(self, call: _Call) -> str:
        """The conversation that a call is part of; one without tools (a summary, a title) is made for the last."""
        if call.of_agent:
            opened = f"{self.key} {len(self.openings) + 1}" if self.openings else self.key
            self.current = self.openings.setdefault(first_of_user(call.entry.turn.request), opened)
        return self.current


def _keyed(calls: Sequence[_Call], key: str) -> Iterator[Entry]:
    """The calls of a folder, in the order of their times, with the key of their session.

    A folder is one session, unless several conversations were logged into it, as happens where nobody names folders.
    """
    folder = _Folder(key, key)
    for call in calls:
        known = call.entry.key is not None
        yield call.entry if known else Entry(call.entry.turn, folder.conversation(call))
