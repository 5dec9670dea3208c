"""The steps of an ATIF trajectory (versions 1.4 to 1.7) as the calls of a model, each with what stood before it.

After a step that managed the context the history is another one than the steps hold: requests are then marked as cut
off.  Does not read files, nor what a trajectory refers to.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field

from analysis.formats.bodies import ids
from analysis.formats.calls import count, entry, first_text, mapping, objects, usage
from analysis.formats.grouping import Entry
from analysis.formats.times import seconds
from analysis.model.session import Json, JsonObject, Mark, Usage

COMBINED = "a step stands for several calls: what each of them had cached is unknown."


@dataclass(slots=True)
class _History:
    """The messages so far; ``managed`` says that the agent has put others in their place."""

    messages: list[JsonObject] = field(default_factory=list)
    managed: bool = False


def entries(said: JsonObject, line: int, key: str, lineage: str | None) -> Iterator[Entry]:
    """The calls of a trajectory in their order.  Steps that were copied from another one are history alone."""
    agent, history = mapping(said.get("agent")), _History()
    steps = objects(said.get("steps"))
    named = first_text(said.get("trajectory_id"), said.get("session_id")) or key
    tools = objects(agent.get("tool_definitions"))
    lacks = frozenset(_lacks(steps, tools))
    client = " ".join(filter(None, [first_text(agent.get("name")), first_text(agent.get("version"))]))
    for step in steps:
        if is_call(step):
            metrics = mapping(step.get("metrics"))
            yield entry(
                line,
                first_text(step.get("model_name"), agent.get("model_name")) or "",
                tuple(history.messages),
                key=key,
                tools=tools,
                request_id=f"{named} step {step.get('step_id')}",
                template_kwargs=_template_kwargs(step),
                lacks=lacks | ({"truncated"} if history.managed else set()),
                reply=_reply(step),
                usage=_usage(step, metrics),
                prompt_ids=ids(metrics.get("prompt_token_ids")),
                output_ids=ids(metrics.get("completion_token_ids")),
                started_at=seconds(step.get("timestamp")),
                note=COMBINED if is_combined(step) else None,
                lineage=lineage,
                client=client or None,
            )
        _append(step, history)


def is_call(step: JsonObject) -> bool:
    """Whether a model was called for this step: not where it was copied, nor where an agent acted without one."""
    return step.get("source") == "agent" and not step.get("is_copied_context") and step.get("llm_call_count") != 0


def is_combined(step: JsonObject) -> bool:
    """Whether a step stands for more than one call."""
    return (count(step.get("llm_call_count")) or 0) > 1


def references(said: JsonObject) -> Iterator[JsonObject]:
    """What the observations of a trajectory refer to: trajectories of its sub-agents."""
    for step in objects(said.get("steps")):
        for result in objects(mapping(step.get("observation")).get("results")):
            yield from objects(result.get("subagent_trajectory_ref"))


def _template_kwargs(step: JsonObject) -> JsonObject:
    effort = step.get("reasoning_effort")
    return {} if effort is None else {"reasoning_effort": effort}


def _usage(step: JsonObject, metrics: JsonObject) -> Usage:
    if is_combined(step):
        return Usage()
    return usage(metrics.get("prompt_tokens"), metrics.get("completion_tokens"), metrics.get("cached_tokens"))


def _append(step: JsonObject, history: _History) -> None:
    """Put a step, and what came of it, into the history."""
    results = objects(mapping(step.get("observation")).get("results"))
    if step.get("source") == "agent":
        history.messages += [_reply(step), *(one for result in results for one in _result(result))]
    elif step.get("source") == "system" and results:
        history.managed = True  # an event of the agent, not a text for the model
    elif step.get("source") in ("system", "user"):
        history.messages.append({"role": step.get("source"), "content": _content(step.get("message"))})


def _reply(step: JsonObject) -> JsonObject:
    message: dict[str, Json] = {"role": "assistant", "content": _content(step.get("message"))}
    if reasoning := first_text(step.get("reasoning_content")):
        message["reasoning"] = reasoning
    if calls := objects(step.get("tool_calls")):
        message["tool_calls"] = [_call(call) for call in calls]
    return message


def _call(call: JsonObject) -> JsonObject:
    function = {"name": call.get("function_name"), "arguments": json.dumps(call.get("arguments") or {})}
    return {"id": call.get("tool_call_id"), "type": "function", "function": function}


def _result(result: JsonObject) -> Iterator[JsonObject]:
    """The answer of a tool; what came of an action that was no tool call is told as a user would."""
    content, call_id = _content(result.get("content")), first_text(result.get("source_call_id"))
    if call_id is not None:
        yield {"role": "tool", "tool_call_id": call_id, "content": content}
    elif content:
        yield {"role": "user", "content": content}


def _content(value: Json) -> Json:
    """A text, or parts of texts and images."""
    return [_part(part) for part in objects(value)] if isinstance(value, list) else value if value is not None else ""


def _part(part: JsonObject) -> JsonObject:
    if part.get("type") != "image":
        return part
    return {"type": "image_url", "image_url": {"url": first_text(mapping(part.get("source")).get("path")) or ""}}


def _lacks(steps: list[dict[str, Json]], tools: list[dict[str, Json]]) -> Iterator[Mark]:
    yield "reconstructed"
    if not steps or steps[0].get("source") != "system":
        yield "no_system"
    if not tools and any(step.get("tool_calls") for step in steps):
        yield "no_tools"
