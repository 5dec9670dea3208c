"""Sessions: everything in the store, the most wasteful first."""

import streamlit as st

from analysis.report.words import counted
from app import cause_table, problems_view, session_table, state, visitors
from app.log_form import add_logs
from app.plain import plain

if state.needs_samples():
    bar = st.progress(0.0, "First start: analysing the sample sessions")
    state.fill_with_samples(lambda stage, done, total: bar.progress(done / total, f"{done} of {total} {stage}"))
    bar.empty()

title, action = st.columns([5, 1], vertical_alignment="bottom")
title.title("Sessions", anchor=False)
if not visitors.may_write():
    action.caption("Read-only", help=visitors.READING)
elif action.button("Add logs", type="primary", width="stretch"):
    add_logs()
if message := state.said():
    st.success(plain(message))

frame = session_table.sessions()
if frame.empty:
    st.info("No session is stored. Add logs: one JSON request with its response a line, from any proxy before vLLM.")
    problems_view.problems()
    st.stop()

session_table.totals(frame)
causes = cause_table.causes()
picked = None
if not causes.empty:
    with st.expander(f"What it was lost to ({counted(len(causes), 'cause')})", expanded=True):
        picked = cause_table.table(causes)
search = st.text_input("Search", placeholder="session, source or model", label_visibility="collapsed")
among = frame if picked is None else cause_table.with_cause(frame, causes, picked)
if picked is not None:
    st.caption(plain(f"{counted(len(among), 'session')} with {picked}; clear the selection above to see all."))
shown = session_table.matching(among, search)
if shown.empty:
    st.info(f"None of {counted(len(among), 'session')} matches “{plain(search)}”.")
elif (chosen := session_table.table(shown)) is not None:
    state.open_session(chosen)
    st.switch_page("../pages/session.py", query_params={"session": str(chosen)})
st.caption(
    "Click a row to open the session. Wasted tokens: lost, computed again because earlier text changed, and missed,"
    " unchanged and computed again all the same."
)
problems_view.problems()
forgotten = session_table.imports(state.repository().imports(), visitors.may_write())
if forgotten is not None:
    state.forget(forgotten)
    st.rerun()
