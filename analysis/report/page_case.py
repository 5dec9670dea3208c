"""A case on the page of its report: the story, the findings in the order in which they are told, before and after."""

from collections.abc import Iterator, Sequence

from analysis.report.case_document import BeforeAfter, CasePart, Pinned, Shift
from analysis.report.document import Report, SessionPart
from analysis.report.links import linked_prose, place
from analysis.report.markup import Kind, bare, bullets, cause, number, numbers, paragraph, prose, table, text, value
from analysis.report.quotes import Shown
from analysis.report.shape import asked_by, left_out, remark_of
from analysis.report.written import as_typed


def case_section(report: Report[Shown], case: CasePart[Shown]) -> str:
    """The case above its sessions."""
    facts = [f"{word}{value(one)}" for word, one in asked_by(case)]
    facts.append(f"written by {value(case.author)}, {text(case.at)}")
    story = f'<div class="story">{as_typed(case.narrative)}</div>' if case.narrative else ""
    pins = "".join(_pinned(report.sessions, one) for one in case.pinned)
    findings = f'<h3>Findings</h3><ol class="steps pins">{pins}</ol>' if pins else ""
    return (
        f'<section class="case" aria-labelledby="case"><h2 class="verdict" id="case">{bare(case.title)}</h2>'
        f'<p class="sub">{" · ".join(facts)}</p>{story}{findings}'
        f"{_compared(case.before_and_after) if case.before_and_after else ''}</section>"
    )


def _pinned(parts: Sequence[SessionPart[Shown]], one: Pinned[Shown]) -> str:
    part = next((part for part in parts if part.number == one.session), None)
    where = f"turn {one.turn}"
    if part is not None and any(turn.turn == one.turn for turn in part.turns):
        where = f'<a href="#{place(part, one.turn)}">{where}</a>'
    named = f"{value(one.name)}, " if one.name else ""
    evidence = linked_prose(part, one.evidence) if part is not None else prose(one.evidence)
    return (
        f'<li><p class="what">{cause(one.code, one.words)}</p>'
        f"<p>{named}{where}: {number(one.tokens)} tokens: {evidence}.</p>{paragraph(text(remark_of(one)))}"
        f'<p class="sub">pinned by {value(one.author)}, {text(one.at)}</p></li>'
    )


def _compared(found: BeforeAfter[Shown]) -> str:
    before, after = found.sizes
    shares = table("Shares of the prompt tokens", _heads("Share"), map(_shift, found.measures))
    causes = table("Wasted tokens by cause", _heads("Cause"), map(_shift, found.causes)) if found.causes else ""
    both = "Sessions in both sets, the share that fell most"
    sessions = table(both, _heads("Session"), map(_shift, found.sessions)) if found.sessions else ""
    more = left_out(found)
    settings = bullets(f"Analysed with other settings: {prose(line)}" for line in found.differing)
    return (
        f"<h3>Before and after</h3>{paragraph(text(f'Before: {before}. After: {after}.'))}"
        f"{shares}{causes}{sessions}{paragraph(text(more)) if more else ''}{settings}"
    )


def _heads(what: str) -> list[tuple[str, Kind]]:
    return [(what, "words"), *numbers("Before", "After", "Change")]


def _shift(one: Shift[Shown]) -> list[str]:
    what = cause(one.code, "".join(_words(one))) if one.code else prose(one.what)
    return [what, text(one.before), text(one.after), text(one.change)]


def _words(one: Shift[Shown]) -> Iterator[str]:
    yield from (part for part in one.what if isinstance(part, str))
