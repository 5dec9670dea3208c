"""Conversations of Cline and its kin: ``session.messages.json``, and the older pair of files of a task.

Of a task ``api_conversation_history.json`` has the messages and ``ui_messages.json`` the counts and times: they are
read together where both are in one folder.  Does not know the tools, nor the system prompt of the older files.
"""

from collections.abc import Sequence

from analysis.formats import jsontext, shape
from analysis.formats.base import FormatError, Problems, Progress
from analysis.formats.calls import first_text, objects
from analysis.formats.cline_task import Conversation, entries
from analysis.formats.grouping import grouped
from analysis.formats.jsontext import Fields
from analysis.formats.zero_counts import without_doubtful_zeros
from analysis.model.session import Json, Log, Problem, Session

name = "cline"
title = "Cline conversations: session.messages.json, or api_conversation_history.json with ui_messages.json"
looks_for = (
    "an object with sessionId, messages and system_prompt, or an array of messages with blocks and ts or modelInfo"
)
limitations: tuple[str, ...] = (
    "the tools are in no file, the system prompt in session.messages.json only",
    "api_conversation_history.json and ui_messages.json of a task must be in one folder, or given together",
    "0 in every call of a model is taken as not reported: Cline writes 0 where a server says nothing",
    "texts that Cline cut out of an old message to save room (context_history.json) stand as they first were",
)

HISTORY = "api_conversation_history.json"
COUNTS_ALONE = (
    f"the counts of a task without its messages. Put {HISTORY} beside it in one folder, or give"
    " both with --same-server."
)
_ENVIRONMENT = "<environment_details>"  # what Cline adds to a user's message, before messages had fields of their own


def sniff(head: bytes) -> bool:
    """Yes to a session, and to either file of a task."""
    records = shape.opening(head)
    return bool(records) and (_is_session(records[0]) or _is_ui(records[0]) or is_history(records))


def is_history(records: Sequence[Fields]) -> bool:
    """Whether these are messages that Cline sent: of blocks, with what it notes beside them or writes into them."""
    first = records[0] if records else {}
    blocks = objects(shape.value(first, "content"))
    if "role" not in first or not blocks or not all("type" in block for block in blocks):
        return False
    noted = any({"ts", "modelInfo"} & record.keys() for record in records)
    return noted or any(_ENVIRONMENT in str(block.get("text")) for block in blocks)


def _is_session(record: Fields) -> bool:
    return {"sessionId", "messages", "system_prompt"} <= record.keys()


def _is_ui(record: Fields) -> bool:
    return "ts" in record and shape.value(record, "type") in ("say", "ask") and bool({"say", "ask"} & record.keys())


def read(data: bytes, file: str, source: str, progress: Progress | None = None) -> Log:
    """Parse one file: a session, or the messages of a task without its counts."""
    return read_together([(file, data)], source, progress)


def read_together(files: Sequence[tuple[str, bytes]], source: str, progress: Progress | None = None) -> Log:
    """Parse files, those of one task joined; raise FormatError where there is no reply in them."""
    problems: list[Problem] = []
    found = _conversations(files, source, problems, progress)
    problems += [Problem(one.file, None, COUNTS_ALONE) for one in found if one.shown and not one.messages]
    made = [(one, entries(one)) for one in found]
    counting = {call.turn.request.model for _one, calls in made for call in calls if call.turn.usage.cached_tokens}
    sessions: list[Session] = []
    for one, calls in made:
        sessions += grouped(without_doubtful_zeros(calls, counting), one.file, source, name)
    if not sessions:
        why = COUNTS_ALONE if any(one.shown for one in found) else f"no reply in it. Whymiss reads {title}."
        raise FormatError(f"{files[0][0]}: {why}")
    return Log(tuple(sessions), tuple(problems))


def _conversations(
    files: Sequence[tuple[str, bytes]], source: str, problems: list[Problem], progress: Progress | None
) -> list[Conversation]:
    """The sessions of these files, then the tasks: the files of a task are those of one folder."""
    sessions: list[Conversation] = []
    tasks: dict[str, list[Conversation]] = {}
    for file, data in files:
        noted = Problems(file)
        records = [_said(record) for _line, record in jsontext.records(data, noted, progress)]
        problems += noted.listed()
        sessions += [_session(said, file) for said in records if "messages" in said]
        folder = file.rpartition("/")[0]
        shown = [said for said in records if "role" not in said and "type" in said]
        messages = [said for said in records if "role" in said]
        if shown or messages:
            tasks.setdefault(folder, []).append(Conversation(file, folder or source, messages, shown))
    return [*sessions, *(one for found in tasks.values() for one in _paired(found))]


def _paired(found: Sequence[Conversation]) -> list[Conversation]:
    """The tasks of one folder: counts belong to its only messages, of several to those with Cline's name for them.

    Where a folder has several tasks, each but that one is called by its file.
    """
    histories = [one for one in found if one.messages]
    counts = [one for one in found if one.shown and not one.messages]
    own = histories if len(histories) == 1 else [one for one in histories if one.file.rpartition("/")[2] == HISTORY]
    if own and len(counts) == 1:
        own[0].shown, counts = counts[0].shown, []
    for one in (*histories, *counts):
        one.key = one.key if one in own[:1] else one.file
    return [*histories, *counts]


def _said(record: Fields) -> dict[str, Json]:
    return {key: jsontext.decode(raw) for key, raw in record.items()}


def _session(said: dict[str, Json], file: str) -> Conversation:
    agent = first_text(said.get("agent"))
    return Conversation(
        file,
        first_text(said.get("sessionId")) or file,
        objects(said.get("messages")),
        system=first_text(said.get("system_prompt")),
        lineage=None if agent in (None, "lead") else f"agent {agent}",
    )
