"""Why tokens of a turn were missed or lost: the causes with their evidence, and what the server did before it."""

import pandas as pd
import streamlit as st

from analysis.model.finding import Cause
from analysis.model.record import SessionRecord, TurnRecord
from analysis.report.words import cause_headline
from app import state
from app.browser_words import in_browser
from app.plain import plain

SURE = {"certain": "certain", "likely": "likely", "possible": "possible: the log does not decide it"}


def gap(record: SessionRecord, session_key: int, turn: TurnRecord) -> None:
    """The cards of a turn's causes in their order; where tokens were missed, the requests since the previous turn."""
    for cause in turn.causes:
        card(cause)
    if not turn.causes or turn.account is None or not turn.account.missed:
        return
    previous = next((one for one in record.turns if turn.previous and one.turn == turn.previous.turn), None)
    if previous is None or previous.ended_at is None or turn.started_at is None:
        return
    between = state.repository().between(session_key, previous.ended_at, turn.started_at)
    title = f"What the server did in the {turn.started_at - previous.ended_at:,.0f} s before ({len(between)} requests)"
    with st.expander(title):
        if between.empty:
            st.write("No other request of this log was served in that time.")
        else:
            st.dataframe(_timeline(between, previous.ended_at), hide_index=True, alt="Requests since the previous turn")


def card(cause: Cause) -> None:
    """One cause in words: how sure it is, what proves it, what cures it and what that saves; its code comes last."""
    with st.container(border=True):
        tokens = "approximate, by text" if cause.tokens is None else f"{cause.tokens:,} tokens"
        hidden = " · hidden behind the first" if cause.hidden else ""
        meant = " · deliberate, no fault" if cause.deliberate else ""
        st.markdown(f"**{plain(cause_headline(cause.code))}** · {SURE[cause.confidence]} · {tokens}{hidden}{meant}")
        st.text(cause.evidence)
        st.markdown(f"**Fix:** {plain(in_browser(cause.fix))}")
        saves = "" if cause.recovers is None else f" · undoing it saves {cause.recovers:,} computed tokens on this turn"
        st.caption(plain(f"{cause.code}{saves}"))


def _timeline(between: pd.DataFrame, since: float) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "Seconds after": (between.started_at - since).round(1),
            "Session": between.session_id,
            "Turn": between.turn,
            "Prompt tokens": between.prompt_tokens.astype("Int64"),
            "Cached": between.cached_tokens.astype("Int64"),
            "Computed": (between.prompt_tokens - between.cached_tokens).astype("Int64"),
        }
    )
