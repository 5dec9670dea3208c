"""One session: its verdict with the fix, its block map, where its turns part, and every figure."""

import streamlit as st

from app import latency_view, nothing_view, session_view, state, text_view

session_key = state.session_in_url() or state.last_opened()
record = state.session(session_key) if session_key is not None else None
if session_key is None or record is None:
    st.title("Session", anchor=False)
    nothing_view.no_session("There is no such session in this database." if session_key else "No session is open.")
    st.stop()
state.show_in_url(session_key)
session_view.headline(record, session_key)
session_view.key_figures(record)
if not session_view.has_tokens(record):
    text_view.by_text(record)
session_view.explorer(record, session_key)
if session_view.has_tokens(record):
    text_view.by_text(record)
session_view.details(record, session_key)
latency_view.latency(record)
