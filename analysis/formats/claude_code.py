"""Sessions of Claude Code (``~/.claude/projects/**``): one JSON line a content block, sub-agents in files of their own.

Every reply becomes a request with what stands before it on its branch.  Does not know the system prompt, the tools and
what the client attaches; those are in no log of it.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from analysis.formats import jsontext, shape
from analysis.formats.base import FormatError, Problems, Progress
from analysis.formats.calls import count, entry, first_text, mapping, objects
from analysis.formats.claude_lines import Line, Transcript
from analysis.formats.grouping import Entry, by_first_turn, grouped
from analysis.formats.jsontext import Fields
from analysis.formats.message_pairs import counted
from analysis.formats.tree import Step, steps
from analysis.formats.zero_counts import without_doubtful_zeros
from analysis.model.session import Json, Log, Mark, Problem, Usage

name = "claude-code"
title = "Claude Code sessions (~/.claude/projects, JSON lines; a folder with its subagents is read together)"
looks_for = "lines with uuid and isSidechain or a message of Anthropic's, without parts"
limitations: tuple[str, ...] = (
    "requests are put together from the transcript: system prompt, tools, reminders and attached files are not in it",
    "a call is taken to start when the line before it was written",
    "a cached count of 0 is unknown where a model has no other: Claude Code may write 0 for what a server does not say",
)

LACKS: tuple[Mark, ...] = ("no_system", "no_tools", "reconstructed")
# What a file of a project may hold without a message: the type of a line, and a field that it has.
NOTES = {
    "summary": "leafUuid",
    "file-history-snapshot": "messageId",
    "queue-operation": "operation",
    "started": "agentId",
    "result": "agentId",
}
SUBAGENTS = "/subagents/"
WANTED = frozenset(
    [
        *("type", "subtype", "uuid", "parentUuid", "logicalParentUuid", "sessionId", "agentId", "isSidechain"),
        *("isCompactSummary", "isApiErrorMessage", "isAbortedMidStream", "compactMetadata", "forkedFrom"),
        *("supersedesUuids", "retractedMessageUuids", "timestamp", "version", "message", "name", "input", "output"),
    ]
)


def sniff(head: bytes) -> bool:
    """Yes to lines of a session, to notes beside one, and to neither where any line is another tool's."""
    opening = shape.opening(head)
    if any("systemPayload" in record or "parts" in shape.inner(record, "message") for record in opening):
        return False
    return any(_is_ours(record) for record in opening)


def _is_ours(record: Fields) -> bool:
    names = record.keys()
    if "uuid" in names and ("isSidechain" in names or "content" in shape.inner(record, "message")):
        return True
    listed = objects(shape.value(record, "entries"))[:1]
    if any("fullPath" in one for one in listed) or {"agentType", "spawnDepth"} <= names:
        return True  # the list of sessions, what is said of a sub-agent
    return NOTES.get(str(shape.value(record, "type"))) in names


def read(data: bytes, file: str, source: str, progress: Progress | None = None) -> Log:
    """Parse one file of a session."""
    return read_together([(file, data)], source, progress)


def read_together(files: Sequence[tuple[str, bytes]], source: str, progress: Progress | None = None) -> Log:
    """Parse the files of a project; raise FormatError where no model replied in them."""
    noted = {file: Problems(file) for file, _data in files}
    transcripts: dict[str, Transcript] = {}
    for file, data in sorted(files, key=_is_of_agent):
        for line, record in jsontext.records(data, noted[file], progress):
            said = {key: jsontext.decode(raw) for key, raw in record.items() if key in WANTED}
            key = _key(said, file)
            transcripts.setdefault(key, Transcript(key)).add(said, file, line, noted[file])
    reader = _Reader(noted)
    made = [(one, entries) for one in _by_end(transcripts.values()) if (entries := [*reader.entries(one)])]
    if not made:
        raise FormatError(f"{files[0][0]}: no reply of a model in it. Whymiss reads {title}.")
    sessions = [
        session
        for one, entries in made
        for session in grouped(without_doubtful_zeros(entries, reader.counting), one.files, source, name)
    ]
    problems: list[Problem] = [problem for one in noted.values() for problem in one.listed()]
    return Log(by_first_turn(sessions), tuple(problems))


def _is_of_agent(file: tuple[str, bytes]) -> bool:
    """Whether a file is a sub-agent's; some continue lines of the session, which is then read before them."""
    return file[0].rpartition("/")[2].startswith("agent-")


def _key(said: dict[str, Json], file: str) -> str:
    """The session: that of the folder in which a sub-agent lies, else the line's own."""
    folder, inside, _rest = f"/{file}".partition(SUBAGENTS)
    return (folder.rpartition("/")[2] if inside else "") or first_text(said.get("sessionId")) or file


def _by_end(transcripts: Iterable[Transcript]) -> list[Transcript]:
    """Sessions by their last time: what another one copied from a session belongs to that which ended first."""
    return sorted(transcripts, key=lambda one: max((line.at or 0.0 for line in one.lines.values()), default=0.0))


@dataclass(slots=True)
class _Reader:
    """Makes the calls of sessions, each once.  ``counting`` are the models that count what their cache holds."""

    noted: dict[str, Problems]
    counting: set[str] = field(default_factory=set)
    _seen: set[str] = field(default_factory=set)

    def entries(self, session: Transcript) -> Iterator[Entry]:
        """The calls of a session."""
        for step in steps(session.nodes.values(), session.written, session.moved, session.retracted):
            reply = [session.lines[node.name] for node in step.reply]
            problems = self.noted[reply[0].file]
            if reply[0].message_id is None:
                problems.count("no id", reply[0].number, "a reply without a message id: taken as a call of its own.")
            elif step.call in self._seen:
                problems.count("copied", reply[0].number, "copied from another session: counted there, not again.")
                continue
            self._seen.add(step.call)
            yield self._entry(step, reply, session)

    def _entry(self, step: Step, reply: list[Line], session: Transcript) -> Entry:
        first, last = reply[0], reply[-1]
        asked = [session.lines[node.name] for node in step.lines if node.name in session.lines]
        notes = dict.fromkeys(line.note for line in (*asked, *reply) if line.note)
        model = first_text(first.message.get("model")) or ""
        return entry(
            first.number,
            model,
            step.messages,
            key=session.key,
            request_id=step.call,
            lacks=(*LACKS, *(("truncated",) if step.cut else ())),
            reply=session.written(step.reply)[-1],
            usage=self._usage(reply, model),
            started_at=asked[-1].at if asked else None,
            ended_at=last.at,
            note="; ".join(notes) or None,
            lineage=step.lineage,
            client=f"claude-code {first.version}" if first.version else None,
        )

    def _usage(self, reply: list[Line], model: str) -> Usage:
        """The counts of a call: those of its last line, on which they are complete; all of them 0 are none."""
        said = next((found for line in reversed(reply) if (found := mapping(line.message.get("usage")))), {})
        usage = counted(said)
        if count(said.get("cache_creation_input_tokens")) or usage.cached_tokens:
            self.counting.add(model)
        return usage if usage.prompt_tokens else Usage()
