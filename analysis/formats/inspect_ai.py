"""Logs of Inspect (``.eval`` and ``.json``): every call to a model in the events of its samples.

The raw request, where the log has it, is what was sent: on the way there Inspect moves system texts, merges messages
and writes arguments.  Does not read what Inspect answered from its own cache, nor attempts that failed.
"""

from dataclasses import replace

from analysis.formats import jsontext, shape
from analysis.formats.base import Problems, Progress
from analysis.formats.bodies import response
from analysis.formats.calls import dig, entry, first_text, mapping, template_kwargs
from analysis.formats.grouping import Entry, grouped
from analysis.formats.inspect_archive import is_archive, is_sample, samples
from analysis.formats.inspect_bodies import InspectBodies
from analysis.formats.inspect_samples import ModelCall, model_calls
from analysis.formats.times import seconds
from analysis.formats.totals import settled
from analysis.model.session import Json, JsonObject, Log, Usage

name = "inspect"
title = "Inspect evaluation logs (.eval and .json)"
looks_for = "an archive of _journal/, samples/ and header.json, or an object with eval and samples"
limitations: tuple[str, ...] = (
    "where the raw call was not logged (log_model_api), requests are written as Inspect writes them for OpenAI",
    "counts are those of Inspect: a version that leaves out a cached count of zero says nothing",
    "attempts that failed or were retried are no turns",
)


def sniff(head: bytes) -> bool:
    """Yes to an archive of samples, to a log that has them in it, and to a sample."""
    return is_archive(head) or any(_is_ours(record) for record in shape.opening(head)[:1])


def _is_ours(record: jsontext.Fields) -> bool:
    return ("eval" in record and bool({"samples", "plan"} & record.keys())) or is_sample(record)


def read(data: bytes, file: str, source: str, progress: Progress | None = None) -> Log:
    """Parse a log; raise FormatError where no sample of it has a call to a model."""
    problems, bodies = Problems(file), InspectBodies()
    entries: list[Entry] = []
    for number, sample in enumerate(samples(data, file, problems, progress), 1):
        key = first_text(sample.get("uuid"))
        if key is None:
            key = f"{first_text(sample.get('id')) or number} epoch {first_text(sample.get('epoch'))} of {file}"
        for place, call in enumerate(model_calls(sample), 1):
            if (why := _no_turn(call.event)) is not None:
                problems.count(why, number, f"{why}: no turn.")
            else:
                entries.append(_entry(number, key, f"{key} call {place}", call, bodies))
    if not entries:
        raise problems.refusal("no sample with a call to a model in it", title)
    return Log(grouped(entries, file, source, name), problems.listed())


def _no_turn(event: JsonObject) -> str | None:
    """Why an event is no call that was answered; None where it is one."""
    if event.get("cache") == "read":
        return "answered from Inspect's own cache"
    if event.get("error") or dig(event.get("output"), "error"):
        return "the call failed"
    return "the call was not finished" if event.get("pending") else None


def _entry(number: int, key: str, call_id: str, call: ModelCall, bodies: InspectBodies) -> Entry:
    event, output = call.event, mapping(call.event.get("output"))
    parts = response(call.response)
    asked = bodies.raw(call.request, call.response) or bodies.own(call.messages, event)
    began, ended, took = seconds(event.get("timestamp")), seconds(event.get("completed")), output.get("time")
    if began is not None and ended is not None and isinstance(took, int | float) and took >= 0:
        began = max(began, ended - took)  # it may have waited for a connection, or for the next attempt
    return entry(
        number,
        first_text(call.request.get("model"), output.get("model"), event.get("model")) or "",
        asked.messages,
        key=key,
        tools=asked.tools,
        request_id=first_text(event.get("uuid"), call.response.get("id")) or call_id,
        template_kwargs=template_kwargs(call.request or mapping(event.get("config"))),
        salt=first_text(call.request.get("cache_salt"), dig(call.request, "extra_body", "cache_salt")),
        reply=asked.reply,
        usage=counted(output.get("usage"), parts.usage),
        prompt_ids=parts.prompt_ids,
        output_ids=parts.output_ids,
        started_at=began,
        ended_at=ended,
        server_version=parts.server_version,
        lineage=call.lineage,
    )


def counted(said: Json, raw: Usage) -> Usage:
    """The counts of Inspect, which newer versions give without the cached tokens: the total tells.

    ``raw`` is the usage of the response as it came: it may say that the server reports no cached tokens at all.
    """
    told = mapping(said)
    counts = settled(
        told.get("input_tokens"),
        told.get("output_tokens"),
        told.get("input_tokens_cache_read"),
        created=told.get("input_tokens_cache_write"),
        total=told.get("total_tokens"),
        apart=True,
    )
    unsaid = counts.cached_basis == "omitted" and raw.cached_basis == "disabled"
    return replace(counts, cached_basis="disabled") if unsaid else counts
