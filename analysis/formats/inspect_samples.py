"""The calls to models in one sample of an Inspect log, with what the log stores apart put back.

Texts that lie in attachments, messages and raw calls that lie in pools; which agent made a call.  Does not say what a
request was in the words of an API.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice

from msgspec.json import encode

from analysis.formats.calls import first_text, mapping, objects
from analysis.model.session import Json, JsonObject

ATTACHED = ("attachment://", "tc://")  # the second is that of older logs
MOST_MESSAGES = 1 << 17  # of one call: references may repeat a pool
OWN_SPANS = frozenset({"tool", "scorer", "subtask", "agent"})  # what calls models for itself
POOLED = ("message_pool", "messages"), ("call_pool", "calls")  # in the sample, later in its events_data


@dataclass(frozen=True, slots=True, eq=False)
class ModelCall:
    """A call to a model: its event, and messages and raw request as they were before they were stored apart.

    ``lineage`` names the sub-agent, tool or scorer that made it; None is the sample's own conversation.
    """

    event: JsonObject
    messages: tuple[JsonObject, ...]
    request: JsonObject
    response: JsonObject
    lineage: str | None


def model_calls(sample: JsonObject) -> Iterator[ModelCall]:
    """The calls of a sample in the order of its events, those that went to no server included."""
    texts = _Texts(mapping(sample.get("attachments")))
    pools = [_pool(sample, names, texts) for names in POOLED]
    events = objects(sample.get("events"))
    spans = {str(event.get("id")): event for event in events if event.get("event") == "span_begin"}
    for event, nested in _flat(events, None):
        call = mapping(event.get("call"))
        request = {key: texts.each(value) for key, value in mapping(call.get("request")).items()}
        if (sent := _referenced(call.get("call_refs"), pools[1])) is not None:
            request[first_text(call.get("call_key")) or "messages"] = sent
        inputs = _referenced(event.get("input_refs"), pools[0])
        yield ModelCall(
            event={**event, "tools": texts.restored(event.get("tools")), "output": texts.restored(event.get("output"))},
            messages=tuple(objects(texts.each(event.get("input")) if inputs is None else inputs)),
            request=request,
            response=mapping(texts.restored(mapping(call.get("response")))),
            lineage=nested or _lineage(first_text(event.get("span_id")), spans),
        )


def _flat(events: list[dict[str, Json]], nested: str | None) -> Iterator[tuple[JsonObject, str | None]]:
    """Events of models; those that older logs nest in the event of a tool or a subtask have its name."""
    for event in events:
        kind = event.get("event")
        if kind == "model":
            yield event, nested
        elif kind in ("tool", "subtask"):
            name = first_text(event.get("function"), event.get("name")) or kind
            yield from _flat(objects(event.get("events")), f"{name} {first_text(event.get('id')) or ''}".strip())


def _lineage(span_id: str | None, spans: dict[str, dict[str, Json]]) -> str | None:
    """The innermost span that calls models for itself; an agent that is called by none is the sample's own."""
    passed: list[JsonObject] = []
    seen: set[str] = set()
    while span_id is not None and span_id in spans and span_id not in seen:
        seen.add(span_id)
        if first_text(spans[span_id].get("type")) in OWN_SPANS:
            passed.append(spans[span_id])
        span_id = first_text(spans[span_id].get("parent_id"))
    if not passed or (len(passed) == 1 and passed[0].get("type") == "agent"):
        return None
    return f"{first_text(passed[0].get('name')) or passed[0].get('type')} {str(passed[0].get('id'))[:8]}"


def _pool(sample: JsonObject, names: tuple[str, str], texts: "_Texts") -> list[Json]:
    old, new = names
    held = sample.get(old) or mapping(sample.get("events_data")).get(new)
    return [texts.restored(one) for one in held] if isinstance(held, list) else []


def _referenced(refs: Json, pool: list[Json]) -> list[Json] | None:
    """The members of a pool that half-open ranges name; None where there are no ranges."""
    if not isinstance(refs, list):
        return None
    ranges = [one for one in refs if isinstance(one, list) and len(one) == 2 and all(type(end) is int for end in one)]
    return list(islice((said for start, stop in ranges for said in pool[max(start, 0) : max(stop, 0)]), MOST_MESSAGES))


@dataclass(slots=True)
class _Texts:
    """Puts texts back.  Values that come again are the same object again, so a session costs what is new in it."""

    attachments: dict[str, Json]
    _shared: dict[bytes, Json] = field(default_factory=dict)

    def each(self, value: Json) -> Json:
        """A value restored, of a list each item shared."""
        return [self._item(item) for item in value] if isinstance(value, list) else self.restored(value)

    def _item(self, item: Json) -> Json:
        key = encode(item)
        if key not in self._shared:
            self._shared[key] = self.restored(item)
        return self._shared[key]

    def restored(self, value: Json) -> Json:
        """A value with the texts of its attachments in it."""
        if isinstance(value, str):
            found = next((mark for mark in ATTACHED if value.startswith(mark)), None)
            return value if found is None else self.attachments.get(value[len(found) :], value)
        if isinstance(value, list):
            return [self.restored(item) for item in value]
        if isinstance(value, dict):
            return {key: self.restored(item) for key, item in value.items()}
        return value
