"""Trajectories of mini-swe-agent (``*.traj.json``, formats 1 and 1.1): one transcript with the response of every call.

A request is what stands before its reply, without the notes of the agent.  Does not read trajectories that kept no
responses and no ``info``: those are plain transcripts.
"""

from collections.abc import Iterator, Sequence

from analysis.formats import jsontext, shape
from analysis.formats.base import Problems, Progress
from analysis.formats.bodies import response
from analysis.formats.calls import dig, entry, first_text, mapping, objects
from analysis.formats.grouping import Entry, grouped
from analysis.formats.times import seconds
from analysis.formats.transcript import is_assistant, key_of_run, sent, steps
from analysis.model.session import Json, JsonObject, Log, Mark

name = "mini-swe-agent"
title = "mini-swe-agent trajectories (.traj.json, formats 1 and 1.1)"
looks_for = "an object with trajectory_format mini-swe-agent, or with info.mini_version and messages"
limitations: tuple[str, ...] = (
    "requests are put together from the transcript; the tool of format 1.1 is not in the file",
    "times are those of the responses, in whole seconds",
)

NEVER_SENT = ("exit",)  # what the agent notes at the end


def sniff(head: bytes) -> bool:
    """Yes by the name of the format, or by the version that the agent notes."""
    return any(_is_ours(shape.value(record, "trajectory_format"), record) for record in shape.opening(head))


def _is_ours(named: Json, record: jsontext.Fields) -> bool:
    return str(named).startswith("mini-swe-agent") or "mini_version" in shape.inner(record, "info")


def read(data: bytes, file: str, source: str, progress: Progress | None = None) -> Log:
    """Parse a trajectory; raise FormatError where no model replied in it."""
    problems = Problems(file)
    entries: list[Entry] = []
    runs: dict[str, Sequence[JsonObject]] = {}
    for line, record in jsontext.records(data, problems, progress):
        said = {key: jsontext.decode(raw) for key, raw in record.items()}
        entries += _entries(line, said, file, runs)
    if not entries:
        raise problems.refusal("no reply of a model in it", title)
    return Log(grouped(entries, file, source, name), problems.listed())


def _entries(line: int, said: dict[str, Json], file: str, runs: dict[str, Sequence[JsonObject]]) -> Iterator[Entry]:
    messages = [one for one in objects(said.get("messages")) if one.get("role") not in NEVER_SENT]
    history = [sent(message) for message in messages]
    config = mapping(dig(said.get("info"), "config", "model"))
    version = first_text(dig(said.get("info"), "mini_version"))
    key = key_of_run(first_text(said.get("instance_id")) or file, history, runs)
    lacks = [*_lacks(history)]
    for step in steps(history):
        extra = mapping(messages[step.position].get("extra"))
        answer = mapping(extra.get("response"))
        parts = response(answer or None)
        yield entry(
            line,
            parts.model or first_text(config.get("model_name")) or "",
            step.messages,
            key=key,
            request_id=parts.request_id or f"{key} message {step.position}",
            template_kwargs=mapping(dig(config, "model_kwargs", "extra_body", "chat_template_kwargs")),
            lacks=lacks,
            reply=parts.reply or step.reply,
            usage=parts.usage,
            prompt_ids=parts.prompt_ids,
            output_ids=parts.output_ids,
            started_at=seconds(answer.get("created")),
            ended_at=seconds(extra.get("timestamp")),
            replica=first_text(answer.get("provider")),
            server_version=parts.server_version,
            client=f"mini-swe-agent {version}" if version else None,
        )


def _lacks(history: list[JsonObject]) -> Iterator[Mark]:
    yield "reconstructed"
    if any(is_assistant(message) and message.get("tool_calls") for message in history):
        yield "no_tools"
