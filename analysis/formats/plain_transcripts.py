"""Plain transcripts: arrays of messages as JSON or JSON lines, ShareGPT, tau-bench, multi-turn benchmark files.

Every reply becomes a request with the messages before it.  Knows no usage, so what the server cached is unknown.
"""

from collections.abc import Iterator, Sequence

from analysis.formats import jsontext, shape, wrapper
from analysis.formats.base import Problems, Progress
from analysis.formats.calls import dig, entry, first_text, objects
from analysis.formats.cline import is_history
from analysis.formats.grouping import Entry, grouped
from analysis.formats.times import seconds
from analysis.formats.transcript import key_of_run, sent, steps
from analysis.model.session import Json, JsonObject, Log, Mark

name = "transcript"
title = "plain transcripts: messages arrays (JSON, JSON lines), ShareGPT, tau-bench, vLLM multi-turn benchmark"
looks_for = "an array of messages with role, or objects with messages, conversations, traj or simulations"
limitations: tuple[str, ...] = (
    "requests are put together from the transcript: what a client sent besides is not known",
    "no usage: what the server cached is unknown",
    "no times: turns stand in the order of the file",
)

HOLDERS = ("messages", "conversations", "conversation", "traj", "trajectory")
KEYS = ("session_id", "conversation_id", "id", "task_id", "instance_id")
ROLES = {"human": "user", "gpt": "assistant", "chatgpt": "assistant", "bing": "assistant", "bard": "assistant"}
OTHERS = shape.OTHERS - {"conversations", "traj", "simulations", "trajectory"}


def sniff(head: bytes) -> bool:
    """Yes to messages outside of a request, in an object without another tool's fields."""
    records = shape.opening(head)
    if is_history(records) or any(OTHERS & record.keys() or wrapper.api(record) is not None for record in records):
        return False
    first = {key: shape.value(record, key) for record in records[:1] for key in record}
    held = _conversations(first)
    return _is_message(first) or any(_is_message(message) for _key, messages in held for message in messages[:1])


def read(data: bytes, file: str, source: str, progress: Progress | None = None) -> Log:
    """Parse a whole file; raise FormatError where no model replied in it."""
    problems = Problems(file)
    loose: list[dict[str, Json]] = []
    entries: list[Entry] = []
    runs: dict[str, Sequence[JsonObject]] = {}
    for line, record in jsontext.records(data, problems, progress):
        said = {key: jsontext.decode(raw) for key, raw in record.items()}
        if _is_message(said):
            loose.append(said)
        elif not (conversations := _conversations(said)):
            problems.count("no messages", line, "left out: no messages in it.")
        else:
            for key, messages in conversations:
                entries += _entries(line, key_of_run(key or f"{file}:{line}", messages, runs), messages, said)
    if loose:
        entries += _entries(1, file, loose, {})
    if not entries:
        raise problems.refusal("no reply of a model in it, so nothing to compare", title)
    return Log(grouped(entries, file, source, name), problems.listed())


def _entries(line: int, key: str, messages: list[dict[str, Json]], said: JsonObject) -> Iterator[Entry]:
    history = [sent(_renamed(message)) for message in messages]
    tools = objects(said.get("tools"))
    for step in steps(history):
        yield entry(
            line,
            first_text(said.get("model"), dig(said.get("info"), "model")) or "",
            step.messages,
            key=key,
            tools=tools,
            request_id=f"{key} message {step.position}",
            lacks=_lacks(history, tools),
            reply=step.reply,
            ended_at=seconds(messages[step.position].get("timestamp")),
        )


def _lacks(history: list[JsonObject], tools: list[dict[str, Json]]) -> Iterator[Mark]:
    yield "reconstructed"
    if history[0].get("role") not in ("system", "developer"):
        yield "no_system"
    if not tools and any(message.get("tool_calls") or message.get("role") == "tool" for message in history):
        yield "no_tools"


def _conversations(said: JsonObject) -> list[tuple[str | None, list[dict[str, Json]]]]:
    """The conversations in an object, each with its key."""
    if simulations := objects(said.get("simulations")):
        return [one for simulation in simulations for one in _conversations(simulation)]
    messages = next((found for holder in HOLDERS if (found := objects(said.get(holder)))), [])
    named = [first_text(said.get(key)) for key in KEYS]
    key = next((one for one in named if one is not None), None)
    trial = first_text(said.get("trial"))
    system = first_text(said.get("system"))
    if messages and system is not None and not any(_role(message) == "system" for message in messages):
        messages = [{"role": "system", "content": system}, *messages]
    return [(f"{key}-{trial}" if key and trial else key, messages)] if messages and _is_message(messages[0]) else []


def _is_message(said: JsonObject) -> bool:
    return ("role" in said and ("content" in said or "tool_calls" in said)) or ("from" in said and "value" in said)


def _role(message: JsonObject) -> str:
    role = str(message.get("role") or message.get("from") or "")
    return ROLES.get(role, role)


def _renamed(message: dict[str, Json]) -> JsonObject:
    """A message of ShareGPT in OpenAI's words; others as they are."""
    if "role" in message:
        return message
    return {"role": _role(message), "content": message.get("value")}
