"""Calls found in traces, as entries: those told twice once, those that failed not at all, sub-agents as lineages.

The formats of tracing tools bring every span with the call that it is; what follows from their tree is decided here.
Does not read any tool's words.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from msgspec.json import encode

from analysis.formats.base import Problems
from analysis.formats.calls import dig, entry, first_text, template_kwargs
from analysis.formats.grouping import Entry
from analysis.formats.sharing import Sharing
from analysis.formats.spans import NESTED, Branch, SpanTree
from analysis.formats.totals import Counts
from analysis.model.session import JsonObject, Mark, Usage

CUT = b"truncated due to size exceeding limit"  # what Langfuse's clients put in place of what was too large
REDACTED = b"__REDACTED__"  # what OpenInference puts in place of what was to be hidden


@dataclass(frozen=True, slots=True, eq=False)
class Call:
    """One call of a model; ``parameters`` are the fields of its request, ``lacks`` what the log says it leaves out.

    ``counts`` are those that ``usage`` was made of, where other calls of the log may settle what they mean.
    ``is_text``: the prompt was kept as one text, from which neither system prompt nor tools can be told.
    """

    model: str = ""
    messages: Sequence[JsonObject] = ()
    reply: JsonObject | None = None
    tools: Sequence[JsonObject] = ()
    usage: Usage = field(default_factory=Usage)
    counts: Counts | None = None
    parameters: JsonObject = field(default_factory=dict)
    lacks: frozenset[Mark] = frozenset()
    is_text: bool = False
    request_id: str | None = None
    replica: str | None = None
    server_version: str | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Span:
    """One span of a log: ``call`` is None where no model was called.  Times are seconds since the epoch."""

    span_id: str
    parent_id: str | None
    line: int
    key: str | None
    call: Call | None = None
    agent: str | None = None
    failed: bool = False
    started_at: float | None = None
    ended_at: float | None = None
    first_token_at: float | None = None

    @property
    def branch(self) -> Branch:
        """The span as a part of its tree."""
        call = self.call
        counts = None if call is None else (call.usage.prompt_tokens, call.usage.output_tokens)
        return Branch(self.span_id, self.parent_id, counts, self.agent, bool(call and call.messages))


def entries(spans: Sequence[Span], problems: Problems, no_prompt: str) -> Iterator[Entry]:
    """The calls of a file; ``no_prompt`` is the remedy where a log holds calls without their messages."""
    known = _by_id(_settled(spans), problems)
    sharing = Sharing()
    tree = SpanTree({span_id: span.branch for span_id, span in known.items()})
    repeats = tree.repeats()
    lineages = tree.lineages(repeats)
    for span_id, span in known.items():
        call = span.call
        if call is None or span_id in repeats:
            continue
        if span.failed and not _was_served(call):
            problems.count("failed", span.line, "the call failed and counts as no turn.")
        elif not call.messages:
            problems.count("no prompt", span.line, f"a call without its messages counts as no turn: {no_prompt}")
        else:
            _remark(span, call, lineages.get(span_id), problems)
            once = replace(call, messages=sharing.once(call.messages), tools=sharing.once(call.tools))
            yield _entry(span, once, lineages.get(span_id))


def _by_id(spans: Iterable[Span], problems: Problems) -> dict[str, Span]:
    """The spans by their ids, the last one of each."""
    known: dict[str, Span] = {}
    for span in spans:
        before = known.get(span.span_id)
        if before is not None and before.call is not None:
            problems.count("id", span.line, "a call whose id another one in the log has: only the last of them counts.")
        known[span.span_id] = span
    return known


def _settled(spans: Sequence[Span]) -> Iterator[Span]:
    """The spans; whether a prompt includes its cached tokens is settled once per model, by any call that shows it."""
    calls = [span.call for span in spans if span.call is not None]
    apart = {call.model for call in calls if call.counts is not None and call.counts.shows_apart}
    for span in spans:
        call = span.call
        if call is None or call.counts is None or call.model not in apart:
            yield span
        else:
            yield replace(span, call=replace(call, usage=call.counts.usage(others_apart=True)))


def _was_served(call: Call) -> bool:
    """Whether a call that ended in an error had an answer: a prompt alone may have been counted by the tracing tool."""
    return call.usage.prompt_tokens is not None and (call.reply is not None or call.usage.cached_tokens is not None)


def _entry(span: Span, call: Call, lineage: str | None) -> Entry:
    parameters = call.parameters
    return entry(
        span.line,
        call.model,
        call.messages,
        key=span.key,
        tools=call.tools,
        request_id=call.request_id or span.span_id,
        template_kwargs=template_kwargs(parameters),
        salt=first_text(parameters.get("cache_salt"), dig(parameters, "extra_body", "cache_salt")),
        lacks=completeness(call),
        reply=call.reply,
        usage=call.usage,
        started_at=span.started_at,
        ended_at=span.ended_at,
        first_token_at=span.first_token_at,
        replica=call.replica,
        server_version=call.server_version,
        lineage=lineage,
    )


def completeness(call: Call) -> frozenset[Mark]:
    """What is lacking of a call, also what only its messages show."""
    text = encode(call.messages)
    found: set[Mark] = set(call.lacks)
    if REDACTED in text:
        found.add("redacted")
    if CUT in text:
        found.add("truncated")
    if call.is_text:
        found |= {"no_system"} if call.tools else {"no_system", "no_tools"}
    told = (*call.messages, *((call.reply,) if call.reply else ()))
    if not call.tools and any(message.get("tool_calls") or message.get("role") == "tool" for message in told):
        found.add("no_tools")
    return frozenset(found)


def _remark(span: Span, call: Call, lineage: str | None, problems: Problems) -> None:
    if lineage == NESTED:
        problems.count(
            NESTED,
            span.line,
            "a call stands within another call that counts other tokens: both are turns. If one of them only wraps the"
            " other, switch off one of the two instrumentations.",
        )
    if call.usage.prompt_tokens is None:
        problems.count("usage", span.line, "a call carries no usage, so cached tokens are unknown here.")
