"""Cases: sessions under a customer's ticket, with what was found, in order, and before against after."""

import streamlit as st

from app import case_form, case_sessions, cases_view, notes_state, state, visitors
from app.name_form import ask_for_name

every = state.repository().cases.all()
opened = next((case for case in every if case.key == notes_state.case_in_url() and not case.is_deleted), None)
if opened is not None:
    for part in (cases_view.headline, cases_view.findings, case_sessions.sessions, cases_view.before_and_after):
        with st.container():  # of its own: what one part has more does not move the fields of the next one
            part(opened)
    st.stop()
st.title("Cases", anchor=False)
if notes_state.case_in_url() is not None:
    st.info("There is no such case in this database, or it was deleted.")
there = [case for case in every if not case.is_deleted]
if there:
    cases_view.table(there)
else:
    st.info(
        "No case is open yet. A case bundles sessions under a ticket: why it was slow, in your words, with the findings"
        " that show it."
    )
if visitors.may_write():
    ask_for_name()
    case_form.new_case(expanded=not there)
cases_view.left_over([case for case in every if case.is_deleted], state.repository().annotations.without_session())
