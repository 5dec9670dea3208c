"""A case over sample sessions, and its report: for all tests that ask about either."""

from collections.abc import Sequence

from analysis.model.annotation import (
    Anchor,
    Annotation,
    Case,
    CaseSession,
    CaseText,
    CaseVersion,
    Finding,
    PinnedFinding,
    Place,
    Placed,
    Version,
)
from analysis.model.record import SessionRecord
from analysis.pipeline.record import figures
from analysis.report.building import Subject, report_of
from analysis.report.document import Report
from analysis.report.quotes import Quote
from tests.sample_store import record_of

STARTS = ("02", "03", "06")  # keys 1, 2, 3: before, after, neither
TEXT = CaseText("Slow since Monday", "SUP-17", "Acme", "It began with the release.\n\n**Twice** the bill.")


def subject(record: SessionRecord, key: int, labels: Sequence[str] = (), note: str = "") -> Subject:
    """A session as the store has it."""
    ids = {turn.turn: full for turn, full in zip(record.turns, record.full_ids, strict=True) if full is not None}
    written = Annotation(key, key, Anchor("turn", "r", 2), (Version(1, "Bob Ott", 1.75e9, note),))
    placed = (Placed(written, Place(2, 40, 44)),) if note else ()
    return Subject(record, figures(record), ids, placed, labels, key)


def pinned(key: int, session: int, turn: int, author: str = "Ann Lee", evidence: str | None = None) -> PinnedFinding:
    """The last cause of a turn, pinned."""
    found = record_of(STARTS[session - 1]).turns[turn - 1]
    cause = found.causes[-1]
    kept = Finding(session, found.request_id, turn, cause.code, cause.tokens or 0, evidence or cause.evidence)
    return PinnedFinding(key, kept, author, 1.75e9 + key)


def case(text: CaseText = TEXT, pins: Sequence[PinnedFinding] = (), author: str = "Ann Lee") -> Case:
    """A case of these sessions."""
    sessions = tuple(
        CaseSession(key, start, start, side)
        for key, (start, side) in enumerate(zip(STARTS, ("before", "after", None), strict=True), 1)
    )
    return Case(7, (CaseVersion(1, author, 1.75e9, text),), sessions, tuple(pins))


def case_report(about: Case | None = None, labels: Sequence[str] = ("vip",), note: str = "seen by me") -> Report[Quote]:
    """The report of a case; without one, of that whose findings are pinned in another order than they are ranked."""
    about = about or case(pins=(pinned(1, 3, 4), pinned(2, 1, 7)))
    subjects = [subject(record_of(start), key, labels, note) for key, start in enumerate(STARTS, 1)]
    return report_of(subjects, lambda _model, _ids: {}, "0", (), about)
