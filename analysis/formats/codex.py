"""Rollouts of the Codex CLI (``rollout-*.jsonl``), and the event stream of ``codex exec --json``.

A request is the history when it was sent.  The built-in tools are in no rollout, instructions in newer ones only.
Does not read the reasoning of hosted models: it is encrypted.
"""

from collections.abc import Iterator

from analysis.formats import jsontext, shape, wrapper
from analysis.formats.base import Problems, Progress
from analysis.formats.calls import dig, entry, first_text, mapping, objects, usage
from analysis.formats.grouping import Entry, grouped
from analysis.formats.response_items import chat_tool
from analysis.formats.rollout import Call, Rollout, parent
from analysis.formats.times import seconds
from analysis.formats.zero_counts import without_doubtful_zeros
from analysis.model.session import Json, JsonObject, Log, Mark

name = "codex"
title = "Codex CLI rollouts (rollout-*.jsonl) and codex exec --json"
looks_for = "lines with a payload and the type session_meta, response_item or event_msg, or thread.started"
limitations: tuple[str, ...] = (
    "the built-in tools are in no rollout, the instructions only in newer ones",
    "reasoning of hosted models is encrypted; web search and other tools of a hosted API are left out",
    "codex exec --json gives the tokens of whole turns, of all their calls together, and no requests",
    "0 in every call of a model is taken as not reported: Codex writes 0 where a server says nothing",
    "calls are told by their token counts: rollouts of versions that wrote none are not read",
)

STREAM = ("thread.started", "turn.completed")
ABORTED = "a turn was aborted: a call of it without usage counts as no turn."
SUMS = "turn.completed has the tokens of a whole turn, of all its calls together: one call is not told from another."


def sniff(head: bytes) -> bool:
    """Yes to lines of a rollout, or the beginning of an event stream."""
    return any(wrapper.is_rollout(record) or _opens_stream(record) for record in shape.opening(head))


def _opens_stream(record: jsontext.Fields) -> bool:
    return "thread_id" in record and shape.value(record, "type") == "thread.started"


def read(data: bytes, file: str, source: str, progress: Progress | None = None) -> Log:
    """Parse a rollout; raise FormatError where no model was called in it."""
    problems, rollout = Problems(file), Rollout()
    for line, record in jsontext.records(data, problems, progress):
        said = {key: jsontext.decode(raw) for key, raw in record.items()}
        kind, at = first_text(said.get("type")) or "", seconds(said.get("timestamp"))
        if kind == "thread.started":
            rollout.read(line, "session_meta", {"id": said.get("thread_id")}, at)
        elif kind in STREAM:
            rollout.read(line, "event_msg", said, at)
        else:
            rollout.read(line, kind, mapping(said.get("payload")), at)
    calls = rollout.calls()
    if not calls:
        raise problems.refusal("no call of a model in it", title)
    if rollout.aborted_line is not None:
        problems.add(rollout.aborted_line, ABORTED)
    if summed := next((call for call in calls if call.turn), None):
        problems.add(summed.line, SUMS)
    return Log(
        grouped(without_doubtful_zeros([*_entries(calls, rollout.meta, file)]), file, source, name), problems.listed()
    )


def _entries(calls: list[Call], meta: JsonObject, file: str) -> Iterator[Entry]:
    key, lineage = _key(meta, file)
    client = " ".join(filter(None, [first_text(meta.get("originator")), first_text(meta.get("cli_version"))]))
    tools = [*_tools(meta.get("dynamic_tools"))]
    for call in calls:
        head = [*_system(meta, call.context)]
        counts = call.counts
        yield entry(
            call.line,
            first_text(call.context.get("model")) or "",
            (*head, *call.messages),
            key=key,
            tools=tools,
            request_id=f"{first_text(meta.get('id')) or file} line {call.line}",
            template_kwargs=_template_kwargs(call.context),
            lacks=_lacks(call, bool(head)),
            reply=call.reply,
            usage=usage(counts.get("input_tokens"), counts.get("output_tokens"), counts.get("cached_input_tokens")),
            started_at=call.started_at,
            ended_at=call.ended_at,
            note="all calls of a turn together" if call.turn else None,
            lineage=lineage,
            client=client or None,
        )


def _key(meta: JsonObject, file: str) -> tuple[str, str | None]:
    """The session, and the lineage of a sub-agent in the session of its parent."""
    own, above = first_text(meta.get("id")), first_text(parent(meta))
    if above is None:
        return own or file, None
    whole = first_text(meta.get("session_id"))
    who = first_text(meta.get("agent_nickname"), meta.get("agent_path"), own) or "of another thread"
    return (whole if whole and whole != own else above), f"sub-agent {who}"


def _system(meta: JsonObject, context: JsonObject) -> Iterator[JsonObject]:
    held = context.get("base_instructions") or meta.get("base_instructions")
    text = first_text(held) or first_text(dig(held, "text"))
    if text is not None:
        yield {"role": "system", "content": text}


def _tools(given: Json) -> Iterator[JsonObject]:
    """The tools that a client brought, those of a namespace one by one."""
    for tool in objects(given) or [mapping(given)]:
        if inner := objects(tool.get("tools")):
            yield from _tools(inner)
        elif first_text(tool.get("name")):
            yield chat_tool({**tool, "type": "function", "parameters": tool.get("inputSchema")})


def _template_kwargs(context: JsonObject) -> JsonObject:
    effort = first_text(context.get("effort"), dig(context, "collaboration_mode", "settings", "reasoning_effort"))
    return {"reasoning_effort": effort} if effort is not None else {}


def _lacks(call: Call, has_system: bool) -> Iterator[Mark]:
    yield "reconstructed"
    yield "no_tools"
    if not has_system:
        yield "no_system"
    if call.cut or not call.messages:
        yield "truncated"
