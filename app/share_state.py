"""What sharing needs of a browser session: the key of the labels in a report, and the last report that was made."""

import secrets
from collections.abc import Callable, Sequence
from zlib import crc32

import streamlit as st

from analysis.report.document import Report
from analysis.report.quotes import Quote
from app import state

LABELS = "report_labels"
REPORT = "report_made"


def report_key(about: str) -> bytes:
    """The random key of the labels in reports about something: kept while this browser session lasts, nowhere else."""
    key: bytes = st.session_state.setdefault(f"{LABELS}_{about}", secrets.token_bytes(32))
    return key


def made(about: str, written: int, make: Callable[[], Report[Quote]]) -> Report[Quote]:
    """The report about something, which is not made anew while nothing of it changes.

    ``written`` stands for what people wrote about it.  One report is kept, the last.
    """
    wanted = (state.stamp(), about, written)
    kept: tuple[object, Report[Quote]] | None = st.session_state.get(REPORT)
    if kept is None or kept[0] != wanted:
        kept = (wanted, make())
        st.session_state[REPORT] = kept
    return kept[1]


def written_about(session_keys: Sequence[int]) -> int:
    """A number that changes with every note and label of these sessions."""
    kept = state.repository()
    marks = kept.desk.marks()
    notes = [(one.key, one.last.number) for key in session_keys for one in kept.annotations.of_session(key)]
    return crc32(repr(([marks.get(key) for key in session_keys], notes)).encode())
