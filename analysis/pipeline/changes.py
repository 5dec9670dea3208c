"""The changes to a session that a person may try out: by name, one explicit tuple.

Each turns the requests of a session into others, cumulatively: what is restored comes from the turn restored before.
What a change is worth is for the replay to say (what_if).
"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from analysis.causes.fixes import PER_SESSION_TEXT, TEMPLATE_DATE, Sent, with_fields
from analysis.causes.message_fixes import HEAD_ROLES, text_of, with_content
from analysis.causes.restore import restored
from analysis.causes.volatile_text import same_start
from analysis.model.session import Json, JsonObject

Replies = Sequence[JsonObject | None]
Asks = Literal["nothing", "kwarg", "template", "other session"]


@dataclass(frozen=True, slots=True)
class Given:
    """What a change may need beside the session: a template kwarg, or a request of another session."""

    kwarg: tuple[str, Json] | None = None
    other: Sent | None = None


Apply = Callable[[Sequence[Sent], Replies, Given], Sequence[Sent]]


@dataclass(frozen=True, slots=True)
class Change:
    """A named change; ``asks`` says what it needs to be told.  A swapped template changes no request."""

    name: str
    label: str
    apply: Apply
    asks: Asks = "nothing"


def _template_kwarg(sent: Sequence[Sent], replies: Replies, given: Given) -> list[Sent]:
    if given.kwarg is None:
        return list(sent)
    name, value = given.kwarg
    return [with_fields(one, template_kwargs={**one.request.template_kwargs, name: value}) for one in sent]


def _undone(code: str) -> Apply:
    def apply(sent: Sequence[Sent], replies: Replies, given: Given) -> Sequence[Sent]:
        return restored(code, sent, replies, other=given.other) or tuple(sent)

    return apply


def _system_of_turn_1(sent: Sequence[Sent], replies: Replies, given: Given) -> list[Sent]:
    first = sent[0].request.messages[:1]
    if not _headed(sent[0]):
        return list(sent)
    return [
        with_fields(one, messages=(with_content(first[0], one.request.messages[0]), *one.request.messages[1:]))
        if _headed(one)
        else with_fields(one, messages=(*first, *one.request.messages))
        for one in sent
    ]


def _sorted_tools(sent: Sequence[Sent], replies: Replies, given: Given) -> list[Sent]:
    return [with_fields(one, tools=tuple(sorted(one.request.tools, key=_tool_name))) for one in sent]


def _tools_of_turn_1(sent: Sequence[Sent], replies: Replies, given: Given) -> list[Sent]:
    return [with_fields(one, tools=sent[0].request.tools) for one in sent]


def _tool_outputs(sent: Sequence[Sent], replies: Replies, given: Given) -> list[Sent]:
    result = [sent[0]]
    for now in sent[1:]:
        before, messages = result[-1].request.messages, list(now.request.messages)
        for index, (old, new) in enumerate(zip(before, messages, strict=False)):
            if old.get("role") == new.get("role") == "tool":
                messages[index] = with_content(old, new)
        result.append(with_fields(now, messages=tuple(messages)))
    return result


def _line_to_newest(sent: Sequence[Sent], replies: Replies, given: Given) -> list[Sent]:
    """Lines of the system text that do not stand in every turn go to the end of the newest message of the user.

    There they stay: a later turn has every earlier message as it was first sent.
    """
    lines = Counter(line for one in sent for line in set(_system_lines(one)))
    volatile = {line for line, turns in lines.items() if turns < len(sent) and line.strip()}
    result: list[Sent] = []
    for now in sent:
        if not _headed(now) or not volatile:
            result.append(now)
            continue
        head = now.request.messages[0]
        moved = [line for line in _system_lines(now) if line in volatile]
        kept = "\n".join(line for line in _system_lines(now) if line not in volatile)
        messages = [{**head, "content": kept}, *now.request.messages[1:]]
        before = result[-1].request.messages if result else ()
        for index in range(1, min(len(before), len(messages))):
            if messages[index].get("role") == before[index].get("role") == "user":
                messages[index] = with_content(before[index], messages[index])
        newest = max((index for index, one in enumerate(messages) if one.get("role") == "user"), default=0)
        content = messages[newest].get("content")
        if newest >= max(1, len(before)) and isinstance(content, str):
            messages[newest] = {**messages[newest], "content": "\n".join([content, *moved])}
        result.append(with_fields(now, messages=tuple(messages)))
    return result


CHANGES: tuple[Change, ...] = (
    Change("template-kwarg", "Set a template argument in every request", _template_kwarg, "kwarg"),
    Change("template", "Swap the chat template", lambda sent, replies, given: sent, "template"),
    Change("clock", "Freeze the clock of the chat template at turn 1", _undone(TEMPLATE_DATE)),
    Change("system", "Send the system text of turn 1 in every turn", _system_of_turn_1),
    Change("line-to-newest", "Move the changing lines of the system text to the newest user message", _line_to_newest),
    Change(
        "line-last",
        "Move the line about this session to the end of the system text",
        _undone(PER_SESSION_TEXT),
        "other session",
    ),
    Change("sort-tools", "Sort the tools by name", _sorted_tools),
    Change("tools", "Send the tools of turn 1 in every turn", _tools_of_turn_1),
    Change(
        "all-tools", "Send every tool from turn 1 on, in the order of first appearance", _undone("tools/set-changed")
    ),
    Change("reasoning", "Send the reasoning of every reply back", _undone("client/reasoning-dropped")),
    Change("outputs", "Leave every tool output as it was first sent", _tool_outputs),
    Change("salt", "Use the cache_salt of turn 1 in every turn", _undone("key/cache-salt")),
)


def nearest_other(sent: Sent, others: Sequence[Sent]) -> Sent | None:
    """Of requests of other sessions, the one whose system text shares most with this one's without being it."""
    text = _system_text(sent)
    different = [one for one in others if _headed(one) and _system_text(one) != text]
    return max(different, key=lambda one: same_start(_system_text(one), text), default=None)


def _headed(sent: Sent) -> bool:
    messages = sent.request.messages
    return bool(messages) and messages[0].get("role") in HEAD_ROLES and isinstance(messages[0].get("content"), str)


def _system_text(sent: Sent) -> str:
    return text_of(sent.request.messages[0].get("content")) if _headed(sent) else ""


def _system_lines(sent: Sent) -> list[str]:
    return _system_text(sent).split("\n")


def _tool_name(tool: JsonObject) -> str:
    function = tool.get("function")
    return str(function.get("name") if isinstance(function, dict) else tool.get("name"))
