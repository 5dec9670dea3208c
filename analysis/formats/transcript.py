"""One growing transcript, expanded into the requests that must have been sent: each is what stands before a reply.

Does not know what a transcript leaves out: the system prompt, the tools and whatever the client sent besides.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from analysis.model.session import JsonObject

FIELDS = frozenset(
    [
        "role",
        "content",
        "name",
        "tool_calls",
        "tool_call_id",
        "reasoning",
        "reasoning_content",
        "thinking",
        "function_call",
    ]
)


class Step(NamedTuple):
    """One call: the messages of its request, its reply, and the position of the reply in the transcript (from 0)."""

    messages: tuple[JsonObject, ...]
    reply: JsonObject
    position: int


def steps(messages: Sequence[JsonObject], is_reply: Callable[[JsonObject], bool] | None = None) -> Iterator[Step]:
    """The calls of a transcript in their order; requests share the message objects.

    ``is_reply`` tells the replies where a role does not.

    An assistant's message right at the front, or behind another one, was not asked for and is history: a greeting, a
    piece of a reply that the client split.

    >>> [len(step.messages) for step in steps([{"role": "user"}, {"role": "assistant"}, {"role": "user"}])]
    [1]
    """
    history = tuple(messages)
    for position, message in enumerate(history):
        if position and (is_reply or is_assistant)(message) and not is_assistant(history[position - 1]):
            yield Step(history[:position], message, position)


def key_of_run(key: str, messages: Sequence[JsonObject], runs: dict[str, Sequence[JsonObject]]) -> str:
    """The session key of a transcript whose own ``key`` may name a task: another run of it has another number.

    ``runs`` are the transcripts so far by the key of their run; one that begins with all of an earlier one is that one,
    grown.
    """
    named, number = key, 1
    while named in runs and not (len(messages) > len(runs[named]) and messages[: len(runs[named])] == runs[named]):
        number += 1
        named = f"{key} (run {number})"
    runs[named] = messages
    return named


def is_assistant(message: JsonObject) -> bool:
    """Whether a model wrote this message."""
    return message.get("role") == "assistant"


def sent(message: JsonObject) -> JsonObject:
    """A message with the fields that an API takes, without what a tool notes beside them."""
    return {key: value for key, value in message.items() if key in FIELDS and (value is not None or key == "content")}
