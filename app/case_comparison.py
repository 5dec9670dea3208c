"""Two sets of sessions held against each other, as figures and tables."""

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from analysis.model.baseline import Baseline, Moved
from analysis.report.baseline import held_against
from analysis.report.figure_words import percent
from analysis.report.words import IN_WORDS, counted
from app.note_text import as_line


def comparison(before: Baseline, after: Baseline, num_sessions: tuple[int, int]) -> None:
    """What moved from one set to the other: the shares, the causes, and sessions that are in both."""
    found = held_against(before, after)
    sizes = [
        f"{counted(number, 'session')}, {counted(one.whole.num_turns, 'turn')}"
        for number, one in zip(num_sessions, (before, after), strict=True)
    ]
    st.caption(f"Before: {sizes[0]} · after: {sizes[1]}")
    with st.container(horizontal=True, gap="small"):
        for one in found.measures:
            _measure(one)
    for line in found.settings:
        st.caption(as_line(f"Analysed with other settings: {line}"))
    if found.causes:
        st.dataframe(
            causes_moved(found.causes), hide_index=True, alt="Wasted tokens of every cause before and after",
            column_config={"Cause": st.column_config.TextColumn(width=230, pinned=True)},
        )  # fmt: skip
    else:
        st.caption("No cause wasted more or less than before.")
    if found.sessions:
        frame = sessions_moved(found.sessions)
        st.dataframe(frame, hide_index=True, alt="Sessions in both sets whose share moved, the worst first")


def _measure(share: Moved) -> None:
    """A share of both sets, in percent, and how far they lie apart."""
    st.metric(
        share.name.capitalize(),
        f"{percent(share.before)} → {percent(share.after)}",
        delta=None if share.change is None else f"{share.change:+.1f} percentage points",
        delta_color="off" if not share.change else "normal",
        border=True,
    )


def sessions_moved(sessions: Sequence[Moved]) -> pd.DataFrame:
    """The shares of sessions that are in both sets, in percent; their change in percentage points."""
    return pd.DataFrame(
        {
            "Session in both sets": [one.name for one in sessions],
            "Before, %": [one.before for one in sessions],
            "After, %": [one.after for one in sessions],
            "Change": [one.change for one in sessions],
        }
    ).round(1)


def causes_moved(causes: Sequence[Moved]) -> pd.DataFrame:
    """Wasted tokens by cause, those that cost most more first."""
    frame = pd.DataFrame(
        {
            "Cause": [one.name for one in causes],
            "In words": [IN_WORDS.get(one.name, "") for one in causes],
            "Wasted before": [one.before for one in causes],
            "Wasted after": [one.after for one in causes],
            "Change": [one.change for one in causes],
        }
    )
    return frame.astype(dict.fromkeys(("Wasted before", "Wasted after", "Change"), "Int64"))
