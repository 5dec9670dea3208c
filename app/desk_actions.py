"""What can be done with ticked sessions: open the one, compare several, mark them all."""

from collections.abc import Callable, Sequence

import streamlit as st

from analysis.core.account import computed_again
from analysis.model.record import SessionRecord
from analysis.pipeline.record import figures
from analysis.report.verdict import verdict
from analysis.report.words import counted, described, fields, summary
from app import state, visitors
from app.browser_words import in_browser
from app.desk_address import MOST_COMPARED
from app.how_to_read import SESSIONS, how_to_read
from app.marks_view import mark_form
from app.plain import LONGEST_TITLE, cut, plain
from app.remedy_view import what_to_do
from app.share_view import share_sessions

HINT = "Click a row to open it (keyboard: j); tick rows to compare, share or mark them."


def actions(
    ticked: Sequence[int],
    listed: Sequence[int],
    open_one: Callable[[int], None],
    compare: Callable[[Sequence[int]], None],
) -> None:
    """The buttons for what is ticked; a report is of all that are listed where none is.

    They are always there, so that ticking a row does not move the table.
    """
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        if st.button("Open", disabled=len(ticked) != 1):
            open_one(ticked[0])
        most = f"From two to {MOST_COMPARED} sessions side by side."
        if st.button("Compare", disabled=not 2 <= len(ticked) <= MOST_COMPARED, help=most):
            compare(ticked)
        if st.button("Share", help="One report of the ticked sessions, or of all that are listed where none is."):
            share_sessions(ticked or listed)
        if visitors.may_write():
            mark_form(ticked)
        with st.popover("In plain words", icon=":material/chat:", width="content", disabled=len(ticked) != 1):
            if len(ticked) == 1 and (record := state.session(ticked[0])) is not None:
                _in_plain_words(record)
        how_to_read(SESSIONS)
        st.caption(f"{counted(len(ticked), 'session')} ticked." if ticked else HINT, width="content")


def _in_plain_words(record: SessionRecord) -> None:
    """The verdict on a session and what is to be done about it, and folded what an engineer asks next."""
    sums = figures(record)
    st.markdown(f"**{plain(cut(record.session_id, LONGEST_TITLE))}**")
    st.markdown(plain(verdict(sums)))
    what_to_do(record, sums)
    with st.expander("For engineers"):
        for line in engineers(record):
            st.text(line)


def engineers(record: SessionRecord) -> list[str]:
    """Sums by cause, and of the turn that lost most where it parts and with which evidence."""
    lines = [line for line in [summary(record)] if line]
    worst = max(
        (turn for turn in record.turns if turn.account or turn.divergence),
        key=lambda turn: (computed_again(turn.account), -turn.turn),
        default=None,
    )
    if worst is None:
        return lines or ["Nothing is known of its tokens."]
    if worst.divergence is not None:
        found = worst.divergence
        lines.append(f"Turn {worst.turn} parts at token {found.token:,} (block {found.block:,}), {described(found)}.")
        lines += [line for line in [fields(found)] if line]
    lines += [
        f"{cause.code} ({cause.confidence}): {cause.evidence} Fix: {in_browser(cause.fix)}" for cause in worst.causes
    ]
    return lines or ["No turn parts from the turn before it."]
