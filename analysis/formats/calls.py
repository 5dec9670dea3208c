"""From what a tool's log says of one call to a turn: the one place where any format's findings become an Entry.

A format brings messages, tools, model, usage and times in OpenAI's form; salts become fingerprints here and secrets go
no further.  Does not read any file.
"""

from collections.abc import Iterable, Sequence
from typing import Any, get_args

from analysis.formats.credentials import without_credentials
from analysis.formats.grouping import Entry
from analysis.formats.jsontext import decode
from analysis.formats.salts import fingerprint
from analysis.model.session import CachedBasis, Json, JsonObject, Mark, Request, Turn, Usage

LARGEST_COUNT = 2**31  # tokens: no prompt is that long, and a store column holds no more
MARKS: tuple[Mark, ...] = get_args(Mark)


def entry(
    line: int,
    model: str,
    messages: Iterable[JsonObject],
    *,
    key: str | None = None,
    trace: str | None = None,
    tools: Iterable[JsonObject] = (),
    request_id: str | None = None,
    template_kwargs: JsonObject | None = None,
    salt: str | None = None,
    lacks: Iterable[Mark] = (),
    **said: Any,
) -> Entry:
    """One chat request with what was said of it.

    ``key`` is the session key of the log, None where it has none, ``trace`` the trace it names.  ``lacks`` are the
    marks of what the log leaves out.
    ``said`` are the other fields of a Turn: reply, usage, prompt_ids, output_ids, started_at, ended_at,
    first_token_at, note, replica, server_version, lineage, client.
    """
    request = Request(
        kind="chat",
        model=model,
        messages=tuple(messages),
        tools=tuple(map(without_credentials, tools)),
        template_kwargs=template_kwargs or {},
        salt=fingerprint(salt),
    )
    turn = Turn(0, line, request_id or f"line-{line}", request, completeness=frozenset(lacks), **said)
    return Entry(turn, key, trace=trace)


def usage(
    prompt: Json,
    output: Json = None,
    cached: Json = None,
    *,
    created: Json = None,
    apart: bool = False,
    absent: CachedBasis = "omitted",
) -> Usage:
    """Counts of one call in tokens, the prompt with its cached tokens in it.

    ``apart``: the source counts the prompt without the cached tokens and those newly ``created`` in the cache (as
    Anthropic does), so they are added.  ``absent`` is what a missing cached count means; with no count at all nothing
    was recorded.  A cached count above the prompt is unusable, and not zero.
    """
    num_prompt, num_cached = count(prompt), count(cached)
    if apart and num_prompt is not None:
        num_prompt += (num_cached or 0) + (count(created) or 0)
    if num_prompt is None and num_cached is None:
        return Usage(None, count(output))
    if num_cached is None:
        return Usage(num_prompt, count(output), None, absent)
    if num_prompt is not None and num_cached > num_prompt:
        return Usage(num_prompt, count(output), None, "omitted")
    return Usage(num_prompt, count(output), num_cached, "reported")


def count(value: Json) -> int | None:
    """A number of tokens; None where the value is none that a prompt can have."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return value if type(value) is int and 0 <= value < LARGEST_COUNT else None


def marks(value: Json) -> frozenset[Mark]:
    """The marks of completeness that a log states itself; words that are none are passed over."""
    said = [value] if isinstance(value, str) else value if isinstance(value, Sequence) else ()
    return frozenset(mark for mark in MARKS if mark in said)


def mapping(value: Json) -> dict[str, Json]:
    """The object that a value is, or is the JSON text of; empty where it is neither."""
    if isinstance(value, str) and value.lstrip()[:1] == "{":
        value = _decoded(value)
    return value if isinstance(value, dict) else {}


def objects(value: Json) -> list[dict[str, Json]]:
    """The objects of a list, or of the JSON text of one; what is none is passed over."""
    if isinstance(value, str) and value.lstrip()[:1] == "[":
        value = _decoded(value)
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def dig(value: Json, *path: str) -> Json:
    """The value at the end of a path of field names; None where it breaks off."""
    for step in path:
        value = mapping(value).get(step)
    return value


def template_kwargs(parameters: JsonObject) -> JsonObject:
    """What a chat template is given besides messages and tools, from the fields of a request or its ``extra_body``."""
    kwargs = dig(parameters, "chat_template_kwargs") or dig(parameters, "extra_body", "chat_template_kwargs")
    effort = parameters.get("reasoning_effort")
    return {**({"reasoning_effort": effort} if effort is not None else {}), **mapping(kwargs)}


def text(value: Json) -> str | None:
    """A text that says something, or a number as text."""
    return str(value) if isinstance(value, str | int) and not isinstance(value, bool) and str(value) else None


def first_text(*values: Json) -> str | None:
    """The first of these that is a text."""
    return next((found for value in values if (found := text(value)) is not None), None)


def _decoded(value: str) -> Json:
    try:
        return decode(value.encode())
    except ValueError:
        return None
