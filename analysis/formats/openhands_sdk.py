"""Events of the OpenHands SDK, told by their ``kind``, and what its state says of the calls.

Token events follow the reply they belong to.  Tools are stored without their parameters: they cannot be written as they
were sent.  Does not read the calls that a condenser made: their requests are no events.
"""

from analysis.formats.bodies import ids
from analysis.formats.calls import count, dig, first_text, mapping, objects, usage
from analysis.formats.openhands_history import Condensed, Event
from analysis.formats.times import seconds
from analysis.model.session import Json, JsonObject, Mark, Usage

RESULTS = ("content", "output", "text", "message", "error")  # fields of an observation, newer ones first
STATE = ("persistence_dir", "execution_status", "agent_status", "stats")


def is_event(said: JsonObject) -> bool:
    """Whether an object is an event: of a kind, from somebody, at a time."""
    return all(key in said for key in ("kind", "source", "timestamp", "id"))


def is_state(said: JsonObject) -> bool:
    """Whether an object is the state of a conversation, which lies beside its events."""
    return "agent" in said and "workspace" in said and any(key in said for key in STATE)


def model(state: JsonObject) -> str | None:
    """The model of the agent, by the name that LiteLLM knows it under."""
    return first_text(dig(state, "agent", "llm", "model"))


def usages(state: JsonObject) -> dict[str, Usage]:
    """The counts of every call by the id of its response.

    A cached count that a server did not say was stored as a zero: zeros say nothing.
    """
    found: dict[str, Usage] = {}
    for metrics in mapping(dig(state, "stats", "usage_to_metrics")).values():
        for one in objects(mapping(metrics).get("token_usages")):
            cached = count(one.get("cache_read_tokens")) or None
            if (response_id := first_text(one.get("response_id"))) is not None:
                found[response_id] = usage(one.get("prompt_tokens"), one.get("completion_tokens"), cached)
    return found


def event(said: JsonObject, event_id: str) -> Event:
    """An event as what it adds to a history."""
    kind = first_text(said.get("kind"))
    at, parent = seconds(said.get("timestamp")), first_text(said.get("parent_id"))
    if kind == "TokenEvent":
        prompt_ids, output_ids = ids(said.get("prompt_token_ids")), ids(said.get("response_token_ids"))
        return Event(event_id, at, parent, prompt_ids=prompt_ids, output_ids=output_ids)
    if kind == "Condensation":
        return Event(event_id, at, parent, condensed=_condensed(said))
    if kind == "SystemPromptEvent":
        given = objects(said.get("tools"))
        tools = tuple(tool for tool in given if "function" in tool)
        lacks: tuple[Mark, ...] = ("no_tools",) if len(tools) < len(given) else ()
        content = _content([said.get("system_prompt"), said.get("dynamic_context")])
        return Event(event_id, at, parent, {"role": "system", "content": content}, tools=tools, lacks=lacks)
    return Event(event_id, at, parent, _message(kind, said), first_text(said.get("llm_response_id")))


def _message(kind: str | None, said: JsonObject) -> JsonObject | None:
    if kind == "MessageEvent":
        told = mapping(said.get("llm_message"))
        content = _content([*_parts(told.get("content")), *_parts(said.get("extended_content"))])
        return {"role": first_text(told.get("role")) or "user", "content": content, **_reasoning(told)}
    if kind == "ActionEvent":
        thought = _content(_parts(said.get("thought")))
        calls: list[Json] = [_call(mapping(said.get("tool_call")))]
        return {"role": "assistant", "content": thought or None, "tool_calls": calls, **_reasoning(said)}
    if kind == "CondensationSummaryEvent":
        return {"role": "user", "content": first_text(said.get("summary")) or ""}
    if (call_id := first_text(said.get("tool_call_id"))) is None:
        return None
    result = {"role": "tool", "tool_call_id": call_id, "name": first_text(said.get("tool_name"))}
    return {**result, "content": _result(said)}


def _result(said: JsonObject) -> Json:
    """What a tool, its refusal or its failure says to the model."""
    if (reason := first_text(said.get("rejection_reason"))) is not None:
        return f"Action rejected: {reason}"
    if (error := first_text(said.get("error"))) is not None:
        return error
    observation = mapping(said.get("observation"))
    held = next((observation[key] for key in RESULTS if observation.get(key)), "")
    return _content([*_parts(held), *_parts(said.get("extended_content"))])


def _call(said: JsonObject) -> JsonObject:
    """A tool call in OpenAI's form, which older events hold already."""
    function = mapping(said.get("function")) or said
    called = {"name": first_text(function.get("name")) or "", "arguments": function.get("arguments") or ""}
    return {"id": said.get("id"), "type": "function", "function": called}


def _reasoning(said: JsonObject) -> dict[str, Json]:
    reasoning = first_text(said.get("reasoning_content"))
    return {"reasoning": reasoning} if reasoning is not None else {}


def _parts(value: Json) -> list[Json]:
    return list(value) if isinstance(value, list) else [value]


def _content(parts: list[Json]) -> Json:
    """Texts and images in OpenAI's form; one text is a text."""
    made: list[Json] = []
    for part in parts:
        held = part if isinstance(part, dict) else {"text": part}
        if (text := first_text(held.get("text"))) is not None:
            made.append({"type": "text", "text": text})
        images = held.get("image_urls")
        made += [{"type": "image_url", "image_url": {"url": url}} for url in images] if isinstance(images, list) else []
    only = made[0] if len(made) == 1 else {"text": ""} if not made else {}
    return only["text"] if isinstance(only, dict) and "text" in only else made


def _condensed(said: JsonObject) -> Condensed:
    listed = said.get("forgotten_event_ids")
    gone = frozenset(str(one) for one in listed) if isinstance(listed, list) else frozenset()
    return Condensed(gone, first_text(said.get("summary")), count(said.get("summary_offset")))
