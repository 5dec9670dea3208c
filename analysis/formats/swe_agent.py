"""Trajectories of SWE-agent (``*.traj``): every step with the messages that were sent, in older ones the history alone.

Knows the tokens of a whole run only, so usage and cached tokens of a turn are unknown.
"""

from collections.abc import Iterator

from analysis.formats import jsontext, shape
from analysis.formats.base import Problems, Progress
from analysis.formats.calls import dig, entry, first_text, objects
from analysis.formats.grouping import Entry, grouped
from analysis.formats.transcript import sent, steps
from analysis.model.session import Json, JsonObject, Log, Mark

name = "swe-agent"
title = "SWE-agent trajectories (.traj)"
looks_for = "an object with a trajectory of steps that have an action and an observation"
limitations: tuple[str, ...] = (
    "tokens are counted for the whole run only: what a turn had cached is unknown",
    "no times: turns stand in their order; tools are not in the file",
    "trajectories without query are put together from the history",
)


def sniff(head: bytes) -> bool:
    """Yes to an object whose trajectory is a list of steps."""
    return any(_is_ours(record) for record in shape.opening(head)[:1])


def _is_ours(record: jsontext.Fields) -> bool:
    """Of an object that is longer than the first bytes only its names are known."""
    if "trajectory" not in record or "trajectory_format" in record:
        return False
    found = objects(shape.value(record, "trajectory"))
    return "observation" in found[0] if found else "history" in record or "environment" in record


def read(data: bytes, file: str, source: str, progress: Progress | None = None) -> Log:
    """Parse a trajectory; raise FormatError where no model replied in it."""
    problems = Problems(file)
    entries: list[Entry] = []
    for line, record in jsontext.records(data, problems, progress):
        said = {key: jsontext.decode(raw) for key, raw in record.items()}
        entries += _entries(line, said, file)
    if not entries:
        raise problems.refusal("no step with a reply of a model in it", title)
    return Log(grouped(entries, file, source, name), problems.listed())


def _entries(line: int, said: dict[str, Json], file: str) -> Iterator[Entry]:
    taken = objects(said.get("trajectory"))
    model = first_text(dig(said.get("replay_config"), "agent", "model", "name")) or ""
    tools: tuple[Mark, ...] = ("no_tools",) if any("tool_calls" in one for one in taken) else ()
    queries = [objects(one.get("query")) for one in taken]
    if any(queries):
        for number, (step, query) in enumerate(zip(taken, queries, strict=True), 1):
            if query and first_text(step.get("response")) is not None:
                reply: JsonObject = {"role": "assistant", "content": step["response"], **_calls(step)}
                messages = [sent(message) for message in query]
                yield entry(line, model, messages, key=file, request_id=f"step {number}", reply=reply, lacks=tools)
        return
    history = [sent(message) for message in objects(said.get("history"))]
    for turn in steps(history):
        request_id = f"message {turn.position}"
        yield entry(
            line,
            model,
            turn.messages,
            key=file,
            request_id=request_id,
            reply=turn.reply,
            lacks=("reconstructed", *tools),
        )


def _calls(step: JsonObject) -> JsonObject:
    calls = objects(step.get("tool_calls"))
    return {"tool_calls": calls} if calls else {}
