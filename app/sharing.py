"""Reports out of the store: of a session, of a case, of a list of sessions, with what people wrote about each.

Of many sessions only those that are told turn by turn are read with their tokens.
"""

from collections.abc import Sequence
from dataclasses import replace
from importlib import metadata
from itertools import zip_longest

from analysis.model.annotation import Case
from analysis.model.desk import Mark
from analysis.model.record import SessionRecord
from analysis.report.building import Subject, most_told, ranked, report_of
from analysis.report.document import Report
from analysis.report.quotes import Quote
from app import notes_state, state
from app.reporting import report_of_session, subject

MOST_SHARED = 200  # sessions of one report


def of_session(record: SessionRecord, session_key: int) -> Report[Quote]:
    """The report of one session."""
    whole = state.session_with_runs(session_key) or record
    placed = notes_state.placed(record, session_key)
    return report_of_session(whole, state.full_ids(session_key), state.token_bytes, placed)


def of_sessions(session_keys: Sequence[int]) -> Report[Quote]:
    """The report of several sessions, those that wasted most told turn by turn; one that is gone is left out."""
    return _report(session_keys, None)


def of_case(case: Case) -> Report[Quote]:
    """The report of a case with its sessions."""
    return _report(of_all_sides(case), case)


def of_all_sides(case: Case) -> list[int]:
    """The sessions of a case, those of every side in turn: where only some are told, each side is."""
    sides = [[one.session_key for one in case.sessions if one.side == side] for side in ("before", "after", None)]
    return [key for row in zip_longest(*sides) for key in row if key is not None]


def _report(session_keys: Sequence[int], case: Case | None) -> Report[Quote]:
    subjects = _subjects(session_keys[:MOST_SHARED])
    left_out = max(0, len(session_keys) - MOST_SHARED)
    return report_of(subjects, state.token_bytes, metadata.version("whymiss"), (), case, left_out)


def _subjects(session_keys: Sequence[int]) -> list[Subject]:
    found = [(key, record) for key in session_keys if (record := state.session(key)) is not None]
    marks = state.repository().desk.marks()
    several = ranked(
        replace(subject(record, {}), labels=marks.get(key, Mark()).labels, key=key) for key, record in found
    )
    told = most_told([one.figures for one in several])
    return [_with_tokens(one) if at < told else one for at, one in enumerate(several)]


def _with_tokens(one: Subject) -> Subject:
    """A session as it is told turn by turn: with its tokens, its map and its notes."""
    assert one.key is not None
    whole = state.session_with_runs(one.key) or one.record
    ids = state.repository().full_ids(one.key)
    return replace(one, record=whole, full_ids=ids, placed=notes_state.placed(one.record, one.key))
