"""Sessions of Gemini CLI: one JSON object with its messages, since v0.40 JSON lines with rewinds and updates.

Every reply becomes a request with what stands before it on its branch.  Does not know the system prompt and the tools.
"""

from collections.abc import Iterator, Sequence

from analysis.formats import jsontext, shape
from analysis.formats.base import FormatError, Problems, Progress
from analysis.formats.calls import count, entry, first_text, mapping, usage
from analysis.formats.gemini_session import Session
from analysis.formats.grouping import Entry, by_first_turn, grouped
from analysis.formats.times import seconds
from analysis.formats.tree import Step, steps
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


def sniff(head: bytes) -> bool:
    """Yes to a session or the line at the head of one."""
    return shape.has(head, "sessionId", "projectHash")


def read(data: bytes, file: str, source: str, progress: Progress | None = None) -> Log:
    """Parse one file of a session."""
    return read_together([(file, data)], source, progress)


def read_together(files: Sequence[tuple[str, bytes]], source: str, progress: Progress | None = None) -> Log:
    """Parse the sessions of a project; raise FormatError where no model replied in them.

    A session that was resumed is in two files where the first was written by an older version.
    """
    problems = {file: Problems(file) for file, _data in files}
    made: dict[tuple[str | None, str], tuple[str, Entry]] = {}
    for file, data in sorted(files):
        for one in _entries(file, data, problems[file], progress):
            if made.setdefault((one.key, one.turn.request_id), (file, one))[1] is not one:
                problems[file].count("copied", one.turn.line, "also in another file of this session: counted there.")
    if not made:
        raise FormatError(f"{files[0][0]}: no reply of a model in it. Whymiss reads {title}.")
    entries: dict[str, list[Entry]] = {}
    settled = without_doubtful_zeros([one for _file, one in made.values()])
    for (file, _one), one in zip(made.values(), settled, strict=True):
        entries.setdefault(file, []).append(one)
    sessions = [one for file, found in entries.items() for one in grouped(found, file, source, name)]
    return Log(by_first_turn(sessions), tuple(problem for one in problems.values() for problem in one.listed()))


def _entries(file: str, data: bytes, problems: Problems, progress: Progress | None) -> Iterator[Entry]:
    session = Session()
    for line, record in jsontext.records(data, problems, progress):
        session.add({key: jsontext.decode(raw) for key, raw in record.items()}, line)
    folder = file.rpartition("/")[0].rpartition("/")[2] if session.strand else ""
    key = folder or session.key or file
    return (_entry(step, session, key) for step in steps(session.nodes.values(), session.written))


def _entry(step: Step, session: Session, key: str) -> Entry:
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
