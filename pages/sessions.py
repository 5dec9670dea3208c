"""Sessions: everything in the store, the worst first, to be filtered, marked and compared."""

import streamlit as st

from app import (
    added_view,
    cause_table,
    compared_view,
    desk_filters,
    desk_state,
    desk_view,
    first_start,
    imports_view,
    nothing_view,
    problems_view,
    session_table,
    state,
    visitors,
)
from app.log_form import add_logs
from app.rates_view import rates_dialog

if first_start.needs_samples():
    nothing_view.samples("First start: analysing the sample sessions")

if (session_key := desk_state.going_to()) is not None:
    desk_view.opened(session_key)
asked = desk_state.asked()
if asked.compare:
    compared_view.compared(asked)
    st.stop()

title, beside = st.columns([2, 1], vertical_alignment="bottom")
title.title("Sessions", anchor=False)
row = beside.container(horizontal=True, horizontal_alignment="right", vertical_alignment="center", gap="small")
prices = row.container(width="content")
if not visitors.may_write():
    row.caption("Read-only", help=visitors.READING, width="content")
elif row.button("Add logs", type="primary", icon=":material/add:"):
    add_logs()
if message := state.said():
    added_view.message(message, state.just_added())

frame = desk_state.sessions()
desk_view.of_samples_only(frame)
if frame.empty:
    nothing_view.nothing_stored()
    problems_view.problems()
    st.stop()
if prices.button("Prices", icon=":material/payments:", help="Prices and prefill rates by model"):
    rates_dialog(desk_state.models())

causes = cause_table.causes()
asked = desk_filters.controls(asked, frame, causes.code.unique())
desk_filters.active(asked)
shown = desk_view.listed(frame, asked, causes)
session_table.totals(shown)
asked = desk_view.what_it_was_lost_to(frame, asked, causes)
desk_state.ask(asked)
desk_view.sessions(shown, asked, len(frame))
problems_view.problems()
forgotten = imports_view.imports(state.repository().imports(), desk_state.zone(asked), visitors.may_write())
if forgotten:
    state.forget(forgotten)
    st.rerun()
