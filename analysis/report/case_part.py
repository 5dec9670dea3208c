"""A case as a report says it: what people wrote, what they pinned, and two sets of its sessions side by side.

Every word of a person, and every text of a log that was kept in a pinned finding, is a quote.
"""

from collections.abc import Mapping, Sequence

from analysis.model.annotation import Case, PinnedFinding, Side
from analysis.model.baseline import Comparison, Moved
from analysis.model.finding import Cause
from analysis.model.record import SessionRecord, TurnRecord
from analysis.report.baseline import baseline_of, held_against
from analysis.report.case_document import BeforeAfter, CasePart, Pinned, Shift
from analysis.report.cleaning import code_of
from analysis.report.figure_words import UNKNOWN, percent
from analysis.report.quotes import Quote
from analysis.report.speech import evidence_of, name, spoken
from analysis.report.words import counted, in_words
from analysis.report.written import moment

MOST_SHIFTS = 20  # causes, and sessions that are in both sets


def case_part(case: Case, records: Mapping[int, SessionRecord]) -> CasePart[Quote]:
    """The case; ``records`` are its sessions by their keys, cleaned, in the order of the report."""
    text = case.text
    return CasePart(
        title=Quote(text.title, "title"),
        ticket=name(text.ticket, "ticket") if text.ticket else None,
        customer=name(text.customer, "customer") if text.customer else None,
        narrative=Quote(text.narrative, "narrative") if text.narrative else None,
        author=name(case.last.author, "author"),
        at=moment(case.last.at),
        pinned=tuple(_pinned(one, records) for one in case.pinned),
        before_and_after=_before_and_after(case, records),
    )


def still_there(pinned: PinnedFinding, record: SessionRecord | None) -> TurnRecord | None:
    """The turn in which the present analysis finds what was pinned; None where it does not."""
    finding = pinned.finding
    found = [
        turn
        for turn in (record.turns if record else ())
        if turn.request_id == finding.request_id and any(cause.code == finding.code for cause in turn.causes)
    ]
    return min(found, key=lambda turn: abs(turn.turn - finding.turn), default=None)


def held(before: Sequence[SessionRecord], after: Sequence[SessionRecord]) -> Comparison:
    """Two sets held against each other."""
    return held_against(baseline_of(before), baseline_of(after))


def sets_of(case: Case, records: Mapping[int, SessionRecord]) -> tuple[list[SessionRecord], list[SessionRecord]]:
    """The sessions of a case that stand for before, and for after."""

    def of(side: Side) -> list[SessionRecord]:
        keys = [one.session_key for one in case.sessions if one.side == side]
        return [records[key] for key in keys if key in records]

    return of("before"), of("after")


def size_of(records: Sequence[SessionRecord]) -> str:
    """How large a set is."""
    return f"{counted(len(records), 'session')}, {counted(sum(len(one.turns) for one in records), 'turn')}"


def _pinned(pinned: PinnedFinding, records: Mapping[int, SessionRecord]) -> Pinned[Quote]:
    """A pinned finding, with the evidence as it was when it was pinned."""
    finding = pinned.finding
    record = records.get(finding.session_key)
    turn = still_there(pinned, record)
    number = list(records).index(finding.session_key) + 1 if record else None
    code = code_of(finding.code)
    segment = next((one.segment for one in (turn.causes if turn else ()) if one.code == finding.code), None)
    kept = Cause(code, "certain", segment, finding.tokens, None, finding.evidence, "")
    return Pinned(
        code=code,
        words=in_words(code),
        session=number,
        name=name(record.session_id, "session") if record else None,
        turn=turn.turn if turn else finding.turn,
        tokens=finding.tokens,
        evidence=evidence_of(kept),
        is_found=turn is not None,
        author=name(pinned.author, "author"),
        at=moment(pinned.at),
    )


def _before_and_after(case: Case, records: Mapping[int, SessionRecord]) -> BeforeAfter[Quote] | None:
    before, after = sets_of(case, records)
    if not before or not after:
        return None
    found = held(before, after)
    return BeforeAfter(
        sizes=(size_of(before), size_of(after)),
        measures=tuple(_share(one, (one.name.capitalize(),)) for one in found.measures),
        causes=tuple(map(_cause, found.causes[:MOST_SHIFTS])),
        sessions=tuple(_share(one, (name(one.name, "session"),)) for one in found.sessions[:MOST_SHIFTS]),
        differing=tuple(spoken(line, "setting") for line in found.settings),
        more_causes=max(0, len(found.causes) - MOST_SHIFTS),
        more_sessions=max(0, len(found.sessions) - MOST_SHIFTS),
    )


def _share(one: Moved, what: tuple[str | Quote, ...]) -> Shift[Quote]:
    change = UNKNOWN if one.change is None else f"{one.change:+.1f} percentage points"
    return Shift(what, percent(one.before), percent(one.after), change)


def _cause(one: Moved) -> Shift[Quote]:
    code = code_of(one.name)
    before, after = (UNKNOWN if it is None else f"{it:,.0f}" for it in (one.before, one.after))
    return Shift((in_words(code),), before, after, f"{one.change or 0:+,.0f}", code)
