"""A case in Markdown: the story, the findings in the order in which they are told, before and after."""

from collections.abc import Iterator

from analysis.report.case_document import BeforeAfter, CasePart, Pinned, Shift
from analysis.report.figure_words import known
from analysis.report.markdown_text import as_typed, bullets, cause, numbered, prose, strong, table, value, words
from analysis.report.quotes import Shown
from analysis.report.shape import asked_by, left_out, remark_of

HEADS = ("Before", "After", "Change")


def case_blocks(case: CasePart[Shown]) -> Iterator[str]:
    """The case above its sessions, block by block."""
    facts = [f"{word}{value(one)}" for word, one in asked_by(case)]
    yield " · ".join([*facts, f"written by {value(case.author)}, {words(case.at)}"])
    if case.narrative:
        yield "\n".join(as_typed(case.narrative))
    if case.pinned:
        yield "## Findings"
        yield numbered(map(_pinned, case.pinned))
    if case.before_and_after:
        yield from _compared(case.before_and_after)


def _pinned(one: Pinned[Shown]) -> str:
    named = f"{value(one.name)}, " if one.name else ""
    remark = f" {words(remark_of(one))}" if remark_of(one) else ""
    return (
        f"{strong(one.code, one.words)}: {named}turn {one.turn}, {known(one.tokens)} tokens:"
        f" {prose(one.evidence)}.{remark} Pinned by {value(one.author)}, {words(one.at)}."
    )


def _compared(found: BeforeAfter[Shown]) -> Iterator[str]:
    before, after = found.sizes
    yield "## Before and after"
    yield words(f"Before: {before}. After: {after}.")
    for what, rows in (("Share", found.measures), ("Cause, wasted tokens", found.causes), ("Session", found.sessions)):
        yield table((what, *HEADS), map(_shift, rows)) if rows else ""
    yield words(left_out(found))
    yield bullets(f"Analysed with other settings: {prose(line)}" for line in found.differing)


def _shift(one: Shift[Shown]) -> list[str]:
    what = cause(one.code, "".join(part for part in one.what if isinstance(part, str))) if one.code else prose(one.what)
    return [what, words(one.before), words(one.after), words(one.change)]
