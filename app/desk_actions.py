"""What can be done with ticked sessions: open the one, compare several, mark them all."""

from collections.abc import Callable, Sequence

import streamlit as st

from analysis.model.record import SessionRecord
from analysis.pipeline.record import figures
from analysis.report.words import counted, described, fields, summary, verdict
from app import visitors
from app.desk_address import MOST_COMPARED
from app.marks_view import mark_form
from app.plain import plain

HINT = "Click a row to open the session. Tick rows on the left to compare or mark several."


def actions(ticked: Sequence[int], open_one: Callable[[int], None], compare: Callable[[Sequence[int]], None]) -> None:
    """The buttons for what is ticked; without anything, how to get there."""
    if not ticked:
        st.caption(HINT)
        return
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.markdown(f"**{counted(len(ticked), 'session')} ticked**", width="content")
        if len(ticked) == 1:
            if st.button("Open", type="primary"):
                open_one(ticked[0])
        else:
            many = len(ticked) > MOST_COMPARED
            if st.button(
                "Compare", type="primary", disabled=many, help=f"At most {MOST_COMPARED} sessions." if many else None
            ):
                compare(ticked)
        if visitors.may_write():
            mark_form(ticked)


def in_short(record: SessionRecord) -> None:
    """A session in plain words, and folded what an engineer asks next."""
    with st.container(border=True):
        st.markdown(f"**{plain(record.session_id)}**: {plain(verdict(figures(record)))}")
        with st.expander("For engineers"):
            for line in engineers(record):
                st.text(line)


def engineers(record: SessionRecord) -> list[str]:
    """Sums by cause, and of the turn that lost most where it parts and with which evidence."""
    lines = [line for line in [summary(record)] if line]
    worst = max(
        (turn for turn in record.turns if turn.account or turn.divergence),
        key=lambda turn: (turn.account.lost + (turn.account.missed or 0) if turn.account else 0, -turn.turn),
        default=None,
    )
    if worst is None:
        return lines or ["Nothing is known of its tokens."]
    if worst.divergence is not None:
        found = worst.divergence
        lines.append(f"Turn {worst.turn} parts at token {found.token:,} (block {found.block:,}), {described(found)}.")
        lines += [line for line in [fields(found)] if line]
    lines += [f"{cause.code} ({cause.confidence}): {cause.evidence} Fix: {cause.fix}" for cause in worst.causes]
    return lines or ["No turn parts from the turn before it."]
