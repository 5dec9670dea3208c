"""The forms of cases: what is written about one, its sessions, and findings to pin."""

import streamlit as st

from analysis.model.annotation import Case, CaseText, Finding
from analysis.model.finding import Cause
from analysis.model.record import SessionRecord, TurnRecord
from analysis.store.notes import Outdated
from app import notes_state, session_table, state, visitors
from app.note_text import MOST_CHARACTERS, MOST_IN_A_LINE, as_line, visible
from app.plain import plain

CASE = "case_of_session"
NAMELESS = "Give your name first: it stands beside what you write."


def new_case(expanded: bool) -> None:
    """The form for a new case; it is opened as soon as it is kept."""
    with st.expander("New case", expanded=expanded), st.form("new_case", border=False):
        text = _fields(CaseText(""), f"new_{notes_state.case_table_number()}")
        create = st.form_submit_button("Create case", type="primary")
    if not create:
        return
    if (reason := _refused(text)) is not None:
        st.error(reason)
        return
    notes_state.open_case(state.repository().cases.create(notes_state.author(), text))
    st.rerun()


def edit_case(case: Case) -> None:
    """The form for what is written about a case; a change that comes second is refused and said."""
    number = notes_state.edited_case(case.key)
    if number is None:
        st.button("Edit", key="case_edit", on_click=notes_state.edit_case, args=(case.key, case.last.number))
        return
    with st.form(f"case_{case.key}"):
        text = _fields(case.versions[number - 1].text or CaseText(""), f"{case.key}_{number}")
        with st.container(horizontal=True, gap="small"):
            save = st.form_submit_button("Save", type="primary")
            cancel = st.form_submit_button("Cancel")
            delete = st.form_submit_button("Delete case")
    if cancel:
        notes_state.edit_case(case.key, None)
        st.rerun()
    if case.last.number != number:
        st.warning(f"{as_line(case.last.author)} has changed this case meanwhile: it stands above as it is now.")
        st.button("Go on from there", key="case_go_on", on_click=notes_state.edit_case,
                  args=(case.key, case.last.number))  # fmt: skip
    reason = _refused(text) if save else NAMELESS if delete and not notes_state.author() else None
    if reason is not None:
        st.error(reason)
    elif save or delete:
        _change(case, number, None if delete else text)


def _fields(text: CaseText, key: str) -> CaseText:
    title = st.text_input("Title", text.title, key=f"case_title_{key}", max_chars=MOST_IN_A_LINE)
    left, right = st.columns(2)
    ticket = left.text_input("Ticket", text.ticket, key=f"case_ticket_{key}", max_chars=MOST_IN_A_LINE)
    customer = right.text_input("Customer", text.customer, key=f"case_customer_{key}", max_chars=MOST_IN_A_LINE)
    narrative = st.text_area(
        "What happened, in Markdown", text.narrative, key=f"case_narrative_{key}", max_chars=MOST_CHARACTERS, height=180
    )
    return CaseText(title.strip(), ticket.strip(), customer.strip(), narrative.strip())


def _refused(text: CaseText) -> str | None:
    if not notes_state.author():
        return NAMELESS
    return None if text.title else "Give the case a title."


def _change(case: Case, version: int, text: CaseText | None) -> None:
    try:
        state.repository().cases.change(case.key, version, notes_state.author(), text)
    except Outdated as error:
        st.error(plain(str(error)))
        return
    notes_state.edit_case(case.key, None)
    if text is None:
        notes_state.open_case(None)
    st.rerun()


def bring_back(case: Case) -> None:
    """A deleted case with the button that undoes it."""
    st.markdown(f"**{as_line(case.text.title)}** · deleted by {as_line(case.last.author)}")
    nameless = not notes_state.author()
    if visitors.may_write() and st.button("Bring back", key=f"case_back_{case.key}", disabled=nameless):
        _change(case, case.last.number, case.text)


def take_sessions(case: Case) -> None:
    """Choose sessions of the store that become part of a case."""
    frame = session_table.sessions()
    inside = {one.session_key for one in case.sessions}
    names = {int(row.session_key): visible(f"{row.session_id} · {row.source}") for row in frame.itertuples()}
    field = f"case_take_{case.key}"
    chosen = st.multiselect(
        "Add sessions", [key for key in names if key not in inside], format_func=lambda key: names[key],
        key=field, placeholder="search by session or source",
    )  # fmt: skip
    st.button(
        "Add to the case", key=f"case_add_{case.key}", disabled=not chosen, on_click=_take, args=(case.key, field)
    )


def _take(case_key: int, field: str) -> None:
    """Add what is chosen in a field, and empty it: others may have added sessions meanwhile."""
    for session_key in st.session_state[field]:
        state.repository().cases.take(case_key, session_key)
    st.session_state[field] = []


def pin_finding(case: Case) -> None:
    """Choose a cause of one of the case's sessions that goes to the end of its findings."""
    if not case.sessions:
        return
    pinned = {(one.finding.session_key, one.finding.turn, one.finding.code) for one in case.pinned}
    names = {one.session_key: visible(f"{one.session_id} · {one.source}") for one in case.sessions}
    with st.expander("Pin a finding"):
        session_key = st.selectbox("Session", list(names), format_func=names.__getitem__, key=f"pin_of_{case.key}")
        record = state.session(session_key)
        causes = [(turn, cause) for turn in (record.turns if record else ()) for cause in turn.causes]
        left = [one for one in causes if (session_key, one[0].turn, one[1].code) not in pinned]
        if not left:
            st.caption("This session has no finding that is not pinned already.")
            return
        chosen = st.selectbox("Finding", left, format_func=_named, key=f"pin_what_{case.key}_{session_key}_{len(left)}")
        _pin_button("Pin", "pin", case, session_key, *chosen)


def _named(one: tuple[TurnRecord, Cause]) -> str:
    turn, cause = one
    return f"turn {turn.turn}: {cause.code}, {cause.tokens:,} tokens"


def add_to_case(record: SessionRecord, session_key: int, at: tuple[int, int] | None) -> None:
    """On the session's page: put it into a case, and pin the findings of the turn that is shown."""
    there = {case.key: case for case in state.repository().cases.all() if not case.is_deleted}
    if not visitors.may_write():
        return
    with st.popover("Add to a case"):
        if not there:
            st.caption("There is no case yet.")
            st.page_link("../pages/cases.py", label="Make the first one on the page Cases")
            return
        # Chosen is a key: the field would keep the case itself as it was when it was chosen.
        case = there[st.selectbox("Case", list(there), format_func=lambda key: _titled(there[key]), key=CASE)]
        inside = any(one.session_key == session_key for one in case.sessions)
        take = state.repository().cases.take
        label = "The session is in this case" if inside else "Add this session"
        st.button(label, key="case_take_this", disabled=inside, on_click=take, args=(case.key, session_key))
        turn = next((one for one in record.turns if at and one.turn == at[0]), None)
        for cause in turn.causes if turn else ():
            assert turn is not None
            _pin_button(f"Pin {plain(cause.code)} of turn {turn.turn}", "pin_here", case, session_key, turn, cause)


def _titled(case: Case) -> str:
    return visible(f"{case.text.title} ({case.text.ticket})" if case.text.ticket else case.text.title)


def _pin_button(label: str, key: str, case: Case, session_key: int, turn: TurnRecord, cause: Cause) -> None:
    """Pin a finding, and put its session into the case where it is not in it yet.

    The key says what is pinned: a press is never taken for that of another finding, which others' pins bring up.
    """
    nameless = not notes_state.author()
    key = f"{key}_{case.key}_{session_key}_{turn.turn}_{cause.code}"
    if st.button(label, key=key, disabled=nameless, help=NAMELESS if nameless else None):
        cases = state.repository().cases
        if all(one.session_key != session_key for one in case.sessions):
            cases.take(case.key, session_key)
        finding = Finding(session_key, turn.request_id, turn.turn, cause.code, cause.tokens, cause.evidence)
        cases.pin(case.key, finding, notes_state.author())
        st.rerun()
