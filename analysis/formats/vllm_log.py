"""vLLM's own server log with --enable-log-requests: prompts as it wrote them, their ids and request bodies at DEBUG.

Does not know usage or replies: vLLM logs neither, so what was cached is unknown.
"""

import re
from collections.abc import Iterator
from dataclasses import replace

from msgspec import Raw
from msgspec.json import encode

from analysis.formats.base import FormatError, Problems, Progress
from analysis.formats.calls import first_text
from analysis.formats.grouping import Entry, grouped
from analysis.formats.jsontext import Fields, decode
from analysis.formats.pairs import Pairs
from analysis.formats.salts import fingerprint
from analysis.formats.vllm_lines import Call, Lines, lines
from analysis.model.session import Log, Mark, Request, Turn

name = "vllm-log"
title = "vLLM server logs with --enable-log-requests: prompts in INFO lines until 0.11, in DEBUG lines since"
looks_for = "lines of vLLM's logger that speak of requests, or of its engine"
limitations: tuple[str, ...] = (
    "no usage: what the server cached is unknown",
    "vLLM's times have no year: only those that docker, kubectl or journald put in front of a line are read",
    "a prompt without its request body is read as text: causes name tokens, not fields of a message, and a cache salt"
    " is not known",
    "prompts cut by --max-log-len are marked as truncated, their ids left out",
)

PATHS = {
    "ChatCompletionRequest": "/v1/chat/completions",
    "CompletionRequest": "/v1/completions",
    "ResponsesRequest": "/v1/responses",
    "AnthropicMessagesRequest": "/v1/messages",
}
RENDERED = ("chatcmpl", "resp", "msg")  # request ids of prompts that a chat template has made
REMEDY = (
    "Start the server with VLLM_LOGGING_LEVEL=DEBUG and --enable-log-requests, without --max-log-len; or record its"
    " traffic with whymiss record, which keeps usage as well."
)
_LINE = re.compile(
    rb'^[^{"\n]{0,200}?(?:INFO|DEBUG)\S{0,20} \d\d-\d\d \d\d:\d\d:\d\d[^{"\n]{0,120}?\.py:\d{1,6}\]\S{0,20} '
    rb"(?:Received request \S+: |Request \S+ (?:details|JSON body): |Generated response \S+"
    rb"|(?:Engine \d+: )?Avg prompt throughput|vLLM API server version|Initializing a V\d LLM engine)",
    re.MULTILINE,
)


def sniff(head: bytes) -> bool:
    """Yes to a line of vLLM's logger that speaks of a request or of the engine."""
    return b".py:" in head and _LINE.search(head) is not None


def read(data: bytes, file: str, source: str, progress: Progress | None = None) -> Log:
    """Parse a whole log; raise FormatError where no prompt is in it."""
    problems = Problems(file)
    found = lines(data, problems, progress)
    entries = list(_entries(found, problems))
    if not entries:
        first = next((f" First problem: line {one.line}: {one.message}" for one in problems.listed()), "")
        seen = f"{len(found.calls):,} requests in it, none with its prompt" if found.calls else "no request in it"
        raise FormatError(f"{file}: a vLLM log with {seen}. {REMEDY}{first}")
    if bare := len(found.calls) - len(entries):
        problems.add(None, f"{bare:,} of {len(found.calls):,} requests are logged without their prompt. {REMEDY}")
    return Log(grouped(entries, file, source, name), problems.listed())


def _entries(found: Lines, problems: Problems) -> Iterator[Entry]:
    cut, with_body = found.cut_at(), _with_bodies(found, problems)
    for call in found.calls:
        is_cut = cut is not None and any(one is not None and len(one) == cut for one in (call.text, call.prompt_ids))
        entry = with_body.get(call.line)
        if entry is None:
            entry = _of_text(call, is_cut, found.body_of(call) or {})
            if is_cut:
                problems.count("cut", call.line, f"a prompt that is cut to {cut:,} characters and ids (--max-log-len).")
        if entry is None:
            continue
        turn = entry.turn
        model = call.lora or turn.request.model or found.model or ""
        request = replace(turn.request, model=model, skips_cache=turn.request.skips_cache or call.skips_cache)
        yield replace(
            entry,
            turn=replace(
                turn,
                request_id=call.request_id,
                request=request,
                prompt_ids=None if is_cut else call.prompt_ids,
                output_ids=call.output_ids,
                started_at=call.at,
            ),
        )


def _with_bodies(found: Lines, problems: Problems) -> dict[int, Entry]:
    """The calls whose request body was logged, by their line; what a body lacks is said by the call's other lines."""
    of_bodies = Problems(problems.file)
    pairs = Pairs(of_bodies)
    for call in found.calls:
        if (body := found.body_of(call)) is not None and (record := _record(body)) is not None:
            pairs.take(call.line, record)
    entries = {entry.turn.line: entry for entry in pairs.entries()}
    problems.take(of_bodies, "request body", but=("usage",))
    return entries


def _record(body: Fields) -> Fields | None:
    kind = first_text(decode(body["request_type"])) if "request_type" in body else None
    if kind is not None and kind not in PATHS:
        return None
    path = {"path": Raw(encode(PATHS[kind]))} if kind is not None else {}
    return {"request": Raw(encode(body)), **path}


def _of_text(call: Call, is_cut: bool, body: Fields) -> Entry | None:
    """A call by its prompt alone: rendered text, or ids where a client sent ids; None where it is not whole ids."""
    prompt = call.text if call.text or is_cut else call.prompt_ids  # of a prompt of ids the text may be empty
    if prompt is None:
        return None
    request = Request(
        kind="completion",
        model="",
        prompt=prompt,
        salt=fingerprint(decode(body["cache_salt"])) if "cache_salt" in body else None,
        add_special_tokens=False if call.request_id.startswith(RENDERED) else None,
    )
    completeness: frozenset[Mark] = frozenset(["truncated"] if is_cut else [])
    return Entry(Turn(0, call.line, call.request_id, request, completeness=completeness), None)
