"""Log formats: one file each, listed in one tuple, and exactly one says yes to a file."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from analysis.formats import (
    anthropic_messages,
    atif,
    cassette,
    claude_code,
    cline,
    codex,
    gemini_cli,
    har,
    inspect_ai,
    langfuse,
    langsmith,
    litellm,
    mini_swe_agent,
    openai_batch,
    openai_chat,
    openhands_calls,
    openhands_events,
    otlp,
    plain_transcripts,
    qwen_code,
    responses_api,
    sagemaker,
    swe_agent,
    vllm_log,
    vllm_render,
)
from analysis.formats.base import (
    HEAD_BYTES,
    FilesRead,
    Format,
    FormatError,
    Progress,
    SpanningFormat,
    StreamingFormat,
    UnknownFormat,
)
from analysis.formats.containers import as_text
from analysis.formats.stored import Data, head_of, whole
from analysis.model.session import Log

FORMATS: tuple[Format, ...] = (
    openai_chat,
    anthropic_messages,
    claude_code,
    gemini_cli,
    qwen_code,
    responses_api,
    openai_batch,
    litellm,
    mini_swe_agent,
    swe_agent,
    openhands_calls,
    openhands_events,
    inspect_ai,
    codex,
    cline,
    atif,
    otlp,
    langfuse,
    langsmith,
    plain_transcripts,
    vllm_log,
    vllm_render,
    har,
    cassette,
    sagemaker,
)
# Those of FORMATS whose requests lie in several files.
SPANNING: tuple[SpanningFormat, ...] = (
    openai_batch,
    openhands_calls,
    openhands_events,
    claude_code,
    gemini_cli,
    cline,
    atif,
)
# Those of FORMATS that log calls one by one: a session may go on in another file, under its key.
CALL_LOGS: tuple[Format, ...] = (
    openai_chat,
    anthropic_messages,
    responses_api,
    litellm,
    otlp,
    langfuse,
    langsmith,
    vllm_log,
    vllm_render,
    har,
    cassette,
    sagemaker,
)
REMEDY = "Read it as a format of your choice with --format, or write it as JSON lines of requests and responses."
TRIED = " Tried: "  # what follows says of every format why it said no
STREAMING: tuple[StreamingFormat, ...] = (openai_chat, anthropic_messages, responses_api, litellm)  # that read lines


def detect(head: bytes, file: str) -> Format:
    """The one format that says yes to these first bytes; raise UnknownFormat with what was tried."""
    match [candidate for candidate in FORMATS if candidate.sniff(head)]:
        case [only]:
            return only
        case []:
            kind = "binary data" if b"\0" in head else "text"
            tried = "; ".join(f"{known.name} looks for {known.looks_for}" for known in FORMATS)
            raise UnknownFormat(f"{file}: {kind}, and no log that Whymiss reads. {REMEDY}{TRIED}{tried}.")
        case several:
            found = ", ".join(match.name for match in several)
            raise UnknownFormat(f"{file}: could be any of: {found}. Name one with --format.")


def named(name: str) -> Format:
    """The format of this name; raise UnknownFormat with the names there are."""
    for known in FORMATS:
        if known.name == name:
            return known
    raise UnknownFormat(f"no format is called {name!r}; there are: {', '.join(known.name for known in FORMATS)}")


def read_logs(
    files: Sequence[tuple[str, Data]], source: str, log_format: str | None = None, count: FilesRead | None = None
) -> Iterator[tuple[str, Log | FormatError]]:
    """The logs of a source, each with the name of its file; the error where a file is refused.

    Files of a format that spans several are read together, after all others.  ``count`` is told how far it is.
    """
    count = FilesRead() if count is None else count
    together: dict[str, list[tuple[str, bytes]]] = {}
    for name, data in files:
        text = as_text(data)
        try:
            known = chosen(text, name, log_format)
            if any(known.name == spanning.name for spanning in SPANNING):
                together.setdefault(known.name, []).append((name, whole(text)))
                continue
            found: Log | FormatError = read_as(known, text, name, source, count.within)
        except FormatError as error:
            found = error
        count.end(len(data))
        yield name, found
    for spanning in SPANNING:
        if pieces := together.get(spanning.name):
            yield pieces[0][0], _read_together(spanning, pieces, source, count)


def _read_together(
    spanning: SpanningFormat, pieces: Sequence[tuple[str, bytes]], source: str, count: FilesRead
) -> Log | FormatError:
    within = replace(count)
    count.end(sum(len(data) for _name, data in pieces), len(pieces))
    try:
        return spanning.read_together(pieces, source, within.within_together)
    except FormatError as error:
        return error


def read_as(known: Format, text: Data, file: str, source: str, progress: Progress | None) -> Log:
    """Read a log of this format, from the disk where the format can; ``source`` names the server history it is part of.

    Raises FormatError where there is no request in it at all.
    """
    for streaming in STREAMING:
        if streaming.name == known.name:
            return streaming.read(text, file, source, progress)
    return known.read(whole(text), file, source, progress)


def chosen(text: Data, file: str, log_format: str | None) -> Format:
    """The format of this name, or the one that says yes; raise FormatError where the file is empty or there is none."""
    head = head_of(text, HEAD_BYTES)
    if not head.strip() and not whole(text).strip():
        raise FormatError(f"{file}: the file is empty. Point Whymiss at a log with at least one request.")
    return named(log_format) if log_format else detect(head, file)
