"""Events of OpenHands before its SDK: actions and observations, with the response of the model in their metadata.

The body of a response is repeated in every action and observation that came of it.  Does not write what OpenHands makes
of an event when it sends it: lines about the exit of a command, and the texts of microagents.
"""

from analysis.formats.calls import count, dig, first_text, mapping, objects
from analysis.formats.openhands_history import Condensed, Event
from analysis.formats.times import seconds
from analysis.model.session import Json, JsonObject

NEVER_SENT = frozenset({"recall", "change_agent_state", "null", "condensation_request", "loop_recovery"})


def is_event(said: JsonObject) -> bool:
    """Whether an object is an action or an observation, with the fields that stand beside one."""
    beside = ("source" in said or "cause" in said) and ("timestamp" in said or "id" in said)
    return beside and (("action" in said and "args" in said) or ("observation" in said and "content" in said))


def event(said: JsonObject, event_id: str) -> Event:
    """An action or observation as what it adds to a history."""
    at = seconds(said.get("timestamp"))
    kind, args = first_text(said.get("action")), mapping(said.get("args"))
    if kind == "condensation":
        return Event(event_id, at, condensed=_condensed(args))
    if kind == "system":
        tools = tuple(tool for tool in objects(args.get("tools")) if "function" in tool)
        system: JsonObject = {"role": "system", "content": first_text(args.get("content")) or ""}
        return Event(event_id, at, message=system, tools=tools, lacks=() if tools else ("no_tools",))
    metadata = mapping(said.get("tool_call_metadata"))
    if kind is None:
        return Event(event_id, at, message=_observed(said, metadata))
    answer = mapping(metadata.get("model_response"))
    if (response_id := first_text(answer.get("id"))) is not None:
        return Event(event_id, at, message=_replied(kind, args, answer), response_id=response_id, answer=answer)
    if kind == "message" and said.get("source") == "agent":
        return Event(event_id, at, message=_told("assistant", args), response_id=f"message {event_id}")
    return Event(event_id, at, message=_told("user", args) if kind == "message" else None)


def _told(role: str, args: JsonObject) -> JsonObject:
    text = first_text(args.get("content")) or ""
    images = args.get("image_urls")
    urls = [one for one in images if isinstance(one, str)] if isinstance(images, list) else []
    if not urls:
        return {"role": role, "content": text}
    pictures: list[Json] = [{"type": "image_url", "image_url": {"url": url}} for url in urls]
    return {"role": role, "content": [{"type": "text", "text": text}, *pictures]}


def _replied(kind: str, args: JsonObject, answer: JsonObject) -> JsonObject:
    """The reply as the history holds it: the end of a task is sent again as what the agent said, not as a call."""
    choices = objects(answer.get("choices"))
    message = mapping(choices[0].get("message")) if choices else {}
    said: JsonObject = {"role": "assistant", "content": message.get("content")}
    if kind == "finish":
        thought = first_text(message.get("content"), args.get("final_thought"), args.get("thought"))
        return {**said, "content": thought or ""}
    calls = objects(message.get("tool_calls"))
    return {**said, "tool_calls": calls} if calls else said


def _observed(said: JsonObject, metadata: JsonObject) -> JsonObject | None:
    """The result of a tool; what came without a call is told as the user; states of the agent are not sent."""
    kind = first_text(said.get("observation"))
    content = first_text(said.get("content")) or ""
    if (call_id := first_text(metadata.get("tool_call_id"))) is not None:
        function = first_text(metadata.get("function_name"))
        return {"role": "tool", "tool_call_id": call_id, "name": function, "content": content}
    if kind in NEVER_SENT or str(kind).startswith("agent_state") or not content:
        return None
    return {"role": "user", "content": content}


def _condensed(args: JsonObject) -> Condensed:
    """Events are named one by one, or as the first and the last of those that go."""
    listed = args.get("forgotten_event_ids")
    gone = {str(one) for one in listed} if isinstance(listed, list) else set()
    first, last = count(args.get("forgotten_events_start_id")), count(args.get("forgotten_events_end_id"))
    if first is not None and last is not None and last - first < 1_000_000:
        gone |= {str(number) for number in range(first, last + 1)}
    return Condensed(frozenset(gone), first_text(args.get("summary")), count(dig(args, "summary_offset")))
