"""Which field of the request a place in a rendered prompt belongs to.

Template text that introduces a field (``<think>``, ``<tool_call>`` with the name's key) counts as that field, since
it stands or falls with it; all other text that came from no field is ``template``.
"""

from bisect import bisect_right
from collections.abc import Iterable

from analysis.model.prompt import TEMPLATE, Attribution, Segment, Span

MARKUP = "<[{("


def segments(text: str, fields: Iterable[Span]) -> tuple[Span, ...]:
    """Join the fields of one tool call and extend every field over the template text that introduces it.

    The result is sorted and does not overlap.  ``offset`` of an extended span is negative at its start: its first
    character is that far before the field's own first character; a tool call counts from its introduction.
    """
    result: list[Span] = []
    for span in sorted(fields, key=lambda span: span.start):
        last = result[-1] if result else None
        floor = last.stop if last else 0
        if span.stop <= floor:
            continue
        if last and last.path == span.path and _is_call(span.path):
            result[-1] = Span(last.start, span.stop, last.path, last.offset)
            continue
        lead = _introduction(text[floor : span.start], own_line=span.path.endswith(".role"))
        offset = 0 if _is_call(span.path) else span.offset - lead
        result.append(Span(span.start - lead, span.stop, span.path, offset))
    return tuple(result)


def segment_of(attribution: Attribution, token: int) -> Segment:
    """The segment of a token: where its first character stands, or the field it reaches into from template text."""
    starts = attribution.token_starts
    if token >= len(starts):
        return Segment(TEMPLATE, None)
    start = int(starts[token])
    stop = int(starts[token + 1]) if token + 1 < len(starts) else len(attribution.text)
    index = bisect_right(attribution.spans, start, key=lambda span: span.start) - 1
    for span in attribution.spans[max(0, index) : index + 2]:
        if span.start <= start < span.stop or start < span.start < stop:
            return Segment(span.path, max(0, span.offset + max(start, span.start) - span.start))
    return Segment(TEMPLATE, None)


def _is_call(path: str) -> bool:
    return ".tool_calls[" in path


def _introduction(gap: str, own_line: bool) -> int:
    """How many characters at the end of this template text introduce the field behind it.

    The rest of the field's own line where it starts with punctuation, and the line before where it is markup: that
    line never introduces a role, which stands in the first line of its message.
    """
    before, newline, line = gap.rpartition("\n")
    if line and line.lstrip()[:1].isalnum():
        return 0
    lead = len(line)
    if newline and not own_line:
        marker = before.rpartition("\n")[2]
        if marker.strip()[:1] in tuple(MARKUP):
            lead += len(marker) + 1
    return lead
