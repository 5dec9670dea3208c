"""The calls of one conversation of Cline: which messages were sent, what was counted, by what model, and when.

Does not read files: it takes the objects in them.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, pairwise

from analysis.formats.anthropic_blocks import chat_messages
from analysis.formats.calls import count, dig, entry, first_text, mapping, objects, usage
from analysis.formats.grouping import Entry
from analysis.formats.times import seconds
from analysis.formats.transcript import is_assistant
from analysis.model.session import Json, JsonObject, Mark

INTERRUPTED = "[Response interrupted by"  # stands in place of a reply that was stopped: no call that ended


@dataclass(slots=True)
class Conversation:
    """The messages of a conversation; ``shown`` is what Cline showed of it: of a task the counts are there."""

    file: str
    key: str
    messages: list[dict[str, Json]] = field(default_factory=list)
    shown: list[dict[str, Json]] = field(default_factory=list)
    system: str | None = None
    lineage: str | None = None


@dataclass(frozen=True, slots=True)
class Noted:
    """What was noted of one call.  ``prompt`` has the cached tokens in it; ``cut`` are messages that were not sent."""

    prompt: int | None = None
    cached: int | None = None
    output: int | None = None
    model: str = ""
    started_at: float | None = None
    cut: tuple[int, int] | None = None


def entries(conversation: Conversation) -> list[Entry]:
    """The calls in their order."""
    noted = _noted(conversation)
    chats, lacks = [_chat(message) for message in conversation.messages], frozenset(_lacks(conversation))
    return [
        _entry(conversation, chats, position, noted.get(position, Noted()), lacks)
        for position in _replies(conversation.messages, noted)
    ]


def _replies(messages: Sequence[JsonObject], noted: Mapping[int, Noted]) -> Iterator[int]:
    """Positions of the replies: those with counts, else what a model said behind a user."""
    for position, message in enumerate(messages):
        behind_user = not is_assistant(messages[position - 1])
        if position and is_assistant(message) and (position in noted or (behind_user and not _is_interrupted(message))):
            yield position


def _entry(
    conversation: Conversation,
    chats: list[tuple[JsonObject, ...]],
    position: int,
    noted: Noted,
    lacks: frozenset[Mark],
) -> Entry:
    before, reply = conversation.messages[position - 1 : position + 1]
    first, last = noted.cut or (position, position - 1)
    sent = [*chats[: min(first, position)], *chats[last + 1 : position]]
    system: list[JsonObject] = [{"role": "system", "content": conversation.system}] if conversation.system else []
    return entry(
        position + 1,
        noted.model,
        (*system, *chain.from_iterable(sent)),
        key=conversation.key,
        request_id=f"{conversation.key} message {position}",
        lacks=lacks,
        reply=chats[position][-1],
        usage=usage(noted.prompt, noted.output, noted.cached),
        started_at=noted.started_at or seconds(before.get("ts")),
        ended_at=seconds(reply.get("ts")),
        lineage=conversation.lineage,
    )


def _lacks(conversation: Conversation) -> Iterator[Mark]:
    yield "reconstructed"
    if conversation.system is None:
        yield "no_system"
    if any(_has_calls(message) for message in conversation.messages):
        yield "no_tools"


def _has_calls(message: JsonObject) -> bool:
    return any(block.get("type") == "tool_use" for block in objects(message.get("content")))


def _is_interrupted(message: JsonObject) -> bool:
    said = message.get("content")
    texts = [said] if isinstance(said, str) else [block.get("text") for block in objects(said)]
    return any(INTERRUPTED in str(text) for text in texts)


def _beside(messages: Sequence[dict[str, Json]]) -> dict[int, Noted]:
    """What newer files note at a reply itself."""
    found = {}
    for position, message in enumerate(messages):
        metrics = mapping(message.get("metrics"))
        tokens = mapping(metrics.get("tokens"))
        prompt, output, cached = (
            count(tokens.get(old) if tokens else metrics.get(new))
            for old, new in (("prompt", "inputTokens"), ("completion", "outputTokens"), ("cached", "cacheReadTokens"))
        )
        model = first_text(dig(message.get("modelInfo"), "id"), dig(message.get("modelInfo"), "modelId"))
        if is_assistant(message) and position and (prompt or model):
            found[position] = Noted(prompt, cached, output, model or "")
    return found


def _noted(conversation: Conversation) -> dict[int, Noted]:
    """What is known of the calls, by the position of each reply.

    A request that was shown names the message that stood last when it began; where it does not, replies follow in
    their order.
    """
    found, last = _beside(conversation.messages), 0
    for index, shown in _shown(conversation.shown):
        after = last if index is None else index
        places = range(max(after, 0) + 1, len(conversation.messages))
        position = next((at for at in places if is_assistant(conversation.messages[at])), None)
        if position is None:
            continue
        beside, last = found.get(position, Noted()), position
        if beside.prompt is not None:
            shown = replace(beside, started_at=shown.started_at, cut=shown.cut)
        found[position] = replace(shown, model=shown.model or beside.model)
    return found


def _shown(shown: Sequence[dict[str, Json]]) -> Iterator[tuple[int | None, Noted]]:
    """The calls that came to an end as a user saw them, each with the position of the last message before it.

    Some providers count cached tokens apart from the others: told by a sum that is more than the whole.
    """
    starts = [at for at, one in enumerate(shown) if one.get("say") == "api_req_started"]
    calls = [shown[start:stop] for start, stop in pairwise([*starts, len(shown)])]
    told = [mapping(call[0].get("text")) for call in calls]
    apart = any(
        (count(one.get("cacheReads")) or 0) + (count(one.get("cacheWrites")) or 0) > (count(one.get("tokensIn")) or 0)
        for one in told
    )
    for call, one in zip(calls, told, strict=True):
        counts = usage(one.get("tokensIn"), None, one.get("cacheReads"), created=one.get("cacheWrites"), apart=apart)
        if not counts.prompt_tokens:
            continue
        index = call[0].get("conversationHistoryIndex")
        cuts = [cut for beside in call if (cut := _cut(beside.get("conversationHistoryDeletedRange")))]
        yield (
            index if type(index) is int else None,
            Noted(
                counts.prompt_tokens,
                counts.cached_tokens,
                count(one.get("tokensOut")),
                first_text(*(dig(beside.get("modelInfo"), "modelId") for beside in call)) or "",
                seconds(call[0].get("ts")),
                cuts[-1] if cuts else None,
            ),
        )


def _cut(value: Json) -> tuple[int, int] | None:
    """The first and the last message that were not sent."""
    first, last = (count(one) for one in value) if isinstance(value, list) and len(value) == 2 else (None, None)
    return None if first is None or last is None or first > last else (first, last)


def _chat(message: JsonObject) -> tuple[JsonObject, ...]:
    """A message of blocks as those that are sent."""
    content = message.get("content")
    blocks: Json = [_block(block) for block in objects(content)] if isinstance(content, list) else content
    return chat_messages({"role": message.get("role"), "content": blocks}) or ({"role": message.get("role")},)


def _block(block: dict[str, Json]) -> dict[str, Json]:
    """Files as their text, results that are no parts as their JSON."""
    content = block.get("content")
    if block.get("type") == "file":
        return {"type": "text", "text": content}
    if isinstance(content, list) and not any("type" in one for one in objects(content)):
        return {**block, "content": json.dumps(content, ensure_ascii=False)}
    return block
