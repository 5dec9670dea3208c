"""The triage desk below its filters: what the listed sessions were lost to, by cause and by day, and their table."""

from collections.abc import Sequence
from dataclasses import replace

import pandas as pd
import streamlit as st

from analysis.report.words import counted
from app import cause_table, desk_frame, desk_state, places, state, visitors
from app.day_view import by_day
from app.desk_actions import actions
from app.desk_address import LOOKS, MOST_COMPARED, ORDERS, Asked
from app.desk_table import by_keyboard, table
from app.how_to_read import LOST_TO, how_to_read
from app.row_list import Heard, row_list

LEGEND = (
    "Wasted tokens: lost, computed again because earlier text changed, and missed, unchanged and computed again all the"
    " same. Wasted seconds and cost need a prefill rate and a price of the model: see Prices."
)
UNREPORTED = (
    "The server did not say what it reused, so the hit rate and what was missed are unknown. Start vLLM with"
    " `--enable-prompt-tokens-details`; streams need `stream_options.include_usage` as well."
)
NOT_ONE = "No session is listed."
NEEDED = {"seconds": "the prefill rate of its model", "cost": "the price of its model"}  # to sort by it


def of_samples_only(frame: pd.DataFrame) -> None:
    """Say that these are samples, for as long as nothing else is here."""
    if len(frame) and set(frame.source) <= {path.name for path in places.sample_logs()}:
        add = " **Add logs** reads your own." if visitors.may_write() else ""
        st.caption(f"These are samples, to look around in.{add}")


def listed(frame: pd.DataFrame, asked: Asked, causes: pd.DataFrame) -> pd.DataFrame:
    """The sessions that pass every filter, the worst first."""
    keys = cause_table.with_cause(causes, asked.cause)
    return desk_frame.ordered(desk_frame.filtered(frame, asked, keys, desk_state.zone(asked)), asked.order)


def what_it_was_lost_to(frame: pd.DataFrame, asked: Asked, causes: pd.DataFrame) -> Asked:
    """Show the causes or the days of what is listed, in full: each without the filter that a click on it sets."""
    if causes.empty:
        return asked
    with st.expander("What it was lost to", expanded=True):
        looks = list(LOOKS)
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            look = st.segmented_control(
                "What it was lost to",
                looks,
                default=asked.look,
                required=True,
                format_func=LOOKS.__getitem__,
                key=desk_state.field("look"),
                label_visibility="collapsed",
            )
            how_to_read(LOST_TO)
        asked = replace(asked, look=look or asked.look)
        if asked.look == "days":
            return _days(frame, asked, causes)
        others = listed(frame, replace(asked, cause=()), causes)
        ranked = cause_table.ranked(causes, others)
        if ranked.empty:
            st.write("Nothing: no cause stands in these sessions." if len(others) else NOT_ONE)
        elif (code := cause_table.table(ranked)) is not None:
            desk_state.go(replace(asked, cause=(code,)))
    return asked


def _days(frame: pd.DataFrame, asked: Asked, causes: pd.DataFrame) -> Asked:
    every = listed(frame, replace(asked, since=None, until=None), causes)
    if every.empty:
        st.write(NOT_ONE)
        return asked
    by, day = by_day(asked, every, desk_state.zone(asked))
    asked = replace(asked, by=by)
    if day is not None and (asked.since, asked.until) != (day, day):
        desk_state.go(replace(asked, since=day, until=day))
    return asked


def sessions(shown: pd.DataFrame, asked: Asked, everything: int) -> None:
    """The table with what can be done with its rows; a click opens a session."""
    if shown.empty:
        none = f"None of {counted(everything, 'session')} passes the filters and the search."
        st.info(f"{none} **Clear filters**, above, lists all of them.")
        return
    if not shown.known_turns.any():
        st.info(UNREPORTED)
    if asked.order in NEEDED and shown[desk_frame.SORTED_BY[asked.order]].isna().all():
        st.caption(f"No session here has known {ORDERS[asked.order]}: give {NEEDED[asked.order]} in Prices.")
    above = st.container()
    clicked, ticked = table(shown, desk_state.zone(asked))
    if clicked is not None:
        opened(clicked)
    with above:
        actions(ticked, shown.session_key.tolist(), opened, lambda keys: _compare(asked, keys))
        row_list(
            by_keyboard(shown),
            "Sessions by keyboard",
            "rows_sessions",
            Heard(desk_state.go_to, desk_state.tick, lambda keys: _aim_at(asked, keys)),
            ticked,
        )
    st.caption(LEGEND)


def opened(session_key: int) -> None:
    """Go to the page of a session."""
    state.open_session(session_key)
    st.switch_page("../pages/session.py", query_params={"session": str(session_key)})


def _aim_at(asked: Asked, session_keys: Sequence[int]) -> None:
    """Have the run that follows compare sessions, where there are several."""
    if len(session_keys) > 1:
        desk_state.aim(_side_by_side(asked, session_keys))


def _compare(asked: Asked, session_keys: Sequence[int]) -> None:
    desk_state.go(_side_by_side(asked, session_keys))


def _side_by_side(asked: Asked, session_keys: Sequence[int]) -> Asked:
    return replace(asked, compare=tuple(session_keys[:MOST_COMPARED]))
