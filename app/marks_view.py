"""Marking sessions: status, assignee and labels of one or of several at once."""

from collections.abc import Mapping, Sequence

import streamlit as st

from analysis.model.desk import STATUSES, Mark, MarkChange, Status
from analysis.report.words import counted
from app import state, visitors
from app.plain import plain
from app.refusals import kept, refusal

COLOURS: Mapping[Status, str] = {"new": "gray", "investigating": "orange", "explained": "blue", "fixed": "green"}
AS_IS = "leave as it is"
MEANING = (
    "new: nobody has looked · investigating: somebody does · explained: the cause is known · fixed: it should not come"
    " again"
)


def mark_of(session_key: int) -> None:
    """Show where the work on a session stands; who may write changes it here."""
    mark = state.repository().desk.marks().get(session_key, Mark())
    if not visitors.may_write() and mark == Mark():
        return
    with st.container(horizontal=True, vertical_alignment="center", gap="small", width="content"):
        st.badge(mark.status, color=COLOURS[mark.status], help=MEANING)
        for label in mark.labels:
            st.badge(plain(label), color="violet")
        if mark.assignee:
            st.text(f"with {mark.assignee}", width="content")
        if visitors.may_write():
            mark_form([session_key])


def mark_form(session_keys: Sequence[int]) -> None:
    """A form behind a button: what is changed in it is changed for all of these sessions.

    It begins with nothing, and its fields stay what they are when others mark sessions meanwhile: what is sent is what
    this person chose, and nothing else is touched.
    """
    if not session_keys:
        st.popover("Mark", icon=":material/flag:", width="content", disabled=True)
        return
    desk = state.repository().desk
    marks = desk.marks()
    mine = [marks.get(key, Mark()) for key in session_keys]
    key = f"mark_{'_'.join(map(str, session_keys[:20]))}_{len(session_keys)}"
    with (
        st.popover("Mark", icon=":material/flag:", width="content"),
        st.form(key, border=False, clear_on_submit=True),
    ):
        st.caption(f"{counted(len(mine), 'session')}. {MEANING}.")
        _fields(mine, list(marks.values()), key)
        args = (key, _save, tuple(session_keys), key)
        st.form_submit_button("Save status", type="primary", width="stretch", on_click=kept, args=args)
    refusal(key)


def _fields(mine: Sequence[Mark], every: Sequence[Mark], key: str) -> None:
    """The fields of the form; names and labels that stand in any mark are offered, those of ``mine`` taken away."""
    st.selectbox("Status", [AS_IS, *STATUSES], key=f"{key}_status")
    taken = any(mark.assignee for mark in mine)
    st.selectbox(
        "Assignee",
        sorted({mark.assignee for mark in every} - {""}),
        None,
        key=f"{key}_assignee",
        accept_new_options=True,
        placeholder=AS_IS if taken else "nobody",
    )
    if taken:
        st.checkbox("Take the assignee away", key=f"{key}_nobody")
    known = sorted({label for mark in every for label in mark.labels})
    st.multiselect(
        "Add labels", known, key=f"{key}_added", accept_new_options=True, placeholder="a customer, a release …"
    )
    if present := sorted({label for mark in mine for label in mark.labels}):
        st.multiselect("Remove labels", present, key=f"{key}_removed")


def _save(session_keys: Sequence[int], key: str) -> None:
    """Mark sessions as the fields of the form say; a field that was not there asks for nothing."""
    sent = {
        name: st.session_state.get(f"{key}_{name}") for name in ("status", "assignee", "nobody", "added", "removed")
    }
    assignee = "" if sent["nobody"] else sent["assignee"]
    asked = change(sent["status"], assignee, sent["added"], sent["removed"] or [])
    state.repository().desk.change_marks(session_keys, asked)


def change(status: str, assignee: str | None, added: Sequence[str], removed: Sequence[str]) -> MarkChange:
    """What a form asks for: no assignee leaves it as it is, and an empty one takes it away."""
    return MarkChange(
        status=next((known for known in STATUSES if known == status), None),
        assignee=None if assignee is None else assignee.strip(),
        added=tuple(label.strip() for label in added if label.strip()),
        removed=tuple(removed),
    )
