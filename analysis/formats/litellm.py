"""Logs of the LiteLLM proxy: StandardLoggingPayload objects, and rows of the table LiteLLM_SpendLogs.

Calls that LiteLLM answered from its own cache went to no model; failed calls and those that are no chat are no turns.
Does not read rows without prompts as turns: LiteLLM stores them only on demand, and cut.
"""

from collections.abc import Iterator

from msgspec.json import encode

from analysis.formats import jsontext, shape
from analysis.formats.base import Problems, Progress
from analysis.formats.bodies import response
from analysis.formats.calls import count, dig, entry, first_text, mapping, objects, template_kwargs, usage
from analysis.formats.credentials import as_replica
from analysis.formats.grouping import Entry, grouped
from analysis.formats.sharing import Sharing
from analysis.formats.stored import Data
from analysis.formats.times import seconds
from analysis.model.session import Json, JsonObject, Log, Mark, Usage

name = "litellm"
title = "LiteLLM proxy logs: StandardLoggingPayload and LiteLLM_SpendLogs rows"
looks_for = "objects with call_type beside messages or spend"
limitations: tuple[str, ...] = (
    "rows of SpendLogs hold prompts only with store_prompts_in_spend_logs, each text cut at 2,048 characters",
    "calls answered from LiteLLM's own cache are left out",
    "prompts that were blacked out (turn_off_message_logging) are marked; nothing is said of their tokens",
)

CHATS = frozenset({"", "completion", "acompletion", "text_completion", "atext_completion", "anthropic_messages"})
CUT = "litellm_truncated"  # what LiteLLM writes where it cuts a text
REDACTED = "redacted-by-litellm"


def sniff(head: bytes) -> bool:
    """Yes to objects that LiteLLM's own fields stand in."""
    return any(
        "call_type" in one and bool({"messages", "spend", "model_group"} & one.keys()) for one in shape.opening(head)
    )


def read(data: Data, file: str, source: str, progress: Progress | None = None) -> Log:
    """Parse a whole log; raise FormatError where no record is a call with its prompt."""
    problems = Problems(file)
    entries: list[Entry] = []
    sharing = Sharing()
    for line, record in jsontext.records(data, problems, progress):
        said = {key: jsontext.decode(raw) for key, raw in record.items()}
        if (why := _no_turn(said)) is not None:
            problems.count(why, line, f"{why}: no turn.")
            continue
        entries += _entries(line, said, problems, sharing)
    if not entries:
        raise problems.refusal("no call with its prompt in it", title)
    return Log(grouped(entries, file, source, name), problems.listed())


def _no_turn(said: JsonObject) -> str | None:
    """Why a record is no call to a model; None where it is one."""
    if said.get("cache_hit") in (True, "True", "true"):
        return "answered from LiteLLM's own cache"
    if said.get("status") == "failure" or dig(said.get("metadata"), "status") == "failure":
        return "the call failed"
    kind = said.get("call_type")
    return None if (first_text(kind) or "") in CHATS else f"call_type {str(kind)[:40]} is no chat"


def _entries(line: int, said: dict[str, Json], problems: Problems, sharing: Sharing) -> Iterator[Entry]:
    sent = mapping(said.get("proxy_server_request"))
    asked = mapping(sent.get("body")) or sent
    messages = _messages(said.get("messages")) or _messages(asked.get("messages"))
    if not messages:
        problems.count("no prompt", line, "no prompt stored. Set store_prompts_in_spend_logs in LiteLLM.")
        return
    parameters = {**asked, **mapping(said.get("model_parameters"))}
    answer = mapping(said.get("response"))
    parts = response(answer)
    yield entry(
        line,
        first_text(answer.get("model"), said.get("model"), said.get("model_group")) or "",
        sharing.once(messages),
        key=_session(said),
        trace=_trace(said),
        tools=sharing.once(objects(parameters.get("tools"))),
        request_id=first_text(said.get("id"), said.get("request_id"), parts.request_id),
        template_kwargs=template_kwargs(parameters),
        salt=first_text(parameters.get("cache_salt"), dig(parameters, "extra_body", "cache_salt")),
        lacks=_lacks(messages, parameters, said),
        reply=parts.reply,
        usage=_usage(said, answer, parts.usage),
        prompt_ids=parts.prompt_ids,
        output_ids=parts.output_ids,
        started_at=seconds(said.get("startTime")),
        ended_at=seconds(said.get("endTime")),
        first_token_at=seconds(said.get("completionStartTime")),
        replica=as_replica(first_text(said.get("model_id"), said.get("api_base"))),
        server_version=parts.server_version,
    )


def _messages(value: Json) -> list[dict[str, Json]]:
    if isinstance(value, str) and value and value.lstrip()[:1] not in ("[", "{"):
        return [{"role": "user", "content": value}]  # what LiteLLM puts there in place of a blacked out prompt
    return objects(value)


def _session(said: JsonObject) -> str | None:
    """The session that a client named."""
    wanted = mapping(dig(said.get("metadata"), "requester_metadata"))
    return first_text(None if "spend" in said else said.get("session_id"), wanted.get("session_id"))


def _trace(said: JsonObject) -> str | None:
    """A trace, which LiteLLM makes up for each call where a client gives none; the session of a row is its trace."""
    return first_text(said.get("session_id") if "spend" in said else None, said.get("trace_id"))


def _lacks(messages: list[dict[str, Json]], parameters: JsonObject, said: JsonObject) -> Iterator[Mark]:
    text = encode(messages)
    if REDACTED.encode() in text:
        yield "redacted"
    if CUT.encode() in text:
        yield "truncated"
    if "spend" in said and not parameters and any(message.get("tool_calls") for message in messages):
        yield "no_tools"


def _usage(said: JsonObject, answer: JsonObject, own: Usage) -> Usage:
    """The usage of the response, else the counts that LiteLLM keeps beside it."""
    if own.prompt_tokens is not None:
        return own
    kept = mapping(dig(said.get("metadata"), "usage_object"))
    cached = dig(kept, "prompt_tokens_details", "cached_tokens")
    prompt = kept.get("prompt_tokens") if count(kept.get("prompt_tokens")) is not None else said.get("prompt_tokens")
    return usage(prompt, said.get("completion_tokens"), cached)
