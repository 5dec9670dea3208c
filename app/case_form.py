"""The forms of cases: what is written about one, its sessions, and findings to pin."""

import streamlit as st

from analysis.model.annotation import Case, CaseText, Finding
from analysis.model.finding import Cause
from analysis.model.record import SessionRecord, TurnRecord
from analysis.report.words import in_words
from app import notes_state, session_table, state, visitors
from app.name_form import ask_for_name
from app.note_text import MOST_CHARACTERS, MOST_IN_A_LINE, as_line, visible
from app.plain import plain
from app.refusals import Refused, kept, refusal

CASE = "case_of_session"
CREATED = "case_form_that_was_kept"
WRITTEN = ("title", "ticket", "customer", "narrative")
NAMELESS = "Give your name first: it stands beside what you write."


def new_case(expanded: bool) -> None:
    """The form for a new case; it is opened as soon as it is kept."""
    field = f"new_{notes_state.case_table_number()}"
    with st.expander("New case", expanded=expanded), st.form("new_case", border=False):
        _fields(CaseText(""), field)
        st.form_submit_button("Create case", type="primary", on_click=kept, args=(field, _create, field))
    refusal(field)


def _create(field: str) -> None:
    if st.session_state.get(CREATED) == field:
        return  # the second press of a double click: the case is kept already
    notes_state.open_case(state.repository().cases.create(notes_state.author(), _written(field)))
    st.session_state[CREATED] = field


def edit_case(case: Case) -> None:
    """The form for what is written about a case; a change that comes second is refused and said."""
    number = notes_state.edited_case(case.key)
    if number is None:
        st.button("Edit", key="case_edit", on_click=notes_state.edit_case, args=(case.key, case.last.number))
        return
    field, place = f"{case.key}_{number}", place_of(case.key)
    with st.form(f"case_{case.key}"):
        _fields(case.versions[number - 1].text or CaseText(""), field)
        with st.container(horizontal=True, gap="small"):
            st.form_submit_button("Save", type="primary", on_click=kept, args=(place, _save, case.key, number, field))
            st.form_submit_button("Cancel", on_click=notes_state.edit_case, args=(case.key, None))
            st.form_submit_button("Delete case", on_click=kept, args=(place, _change, case.key, number, None))
    if case.last.number != number:
        st.warning(f"{as_line(case.last.author)} has changed this case meanwhile: it stands above as it is now.")
        st.button("Go on from there", key="case_go_on", on_click=notes_state.edit_case,
                  args=(case.key, case.last.number))  # fmt: skip


def _fields(text: CaseText, key: str) -> None:
    """The fields of what is written about a case; ``_written`` reads them by the same key."""
    st.text_input("Title", text.title, key=f"case_title_{key}", max_chars=MOST_IN_A_LINE)
    left, right = st.columns(2)
    left.text_input("Ticket", text.ticket, key=f"case_ticket_{key}", max_chars=MOST_IN_A_LINE)
    right.text_input("Customer", text.customer, key=f"case_customer_{key}", max_chars=MOST_IN_A_LINE)
    st.text_area(
        "What happened, in Markdown", text.narrative, key=f"case_narrative_{key}", max_chars=MOST_CHARACTERS, height=180
    )


def _written(key: str) -> CaseText:
    """What the fields say; raise Refused where a case cannot be kept with it."""
    if not notes_state.author():
        raise Refused(NAMELESS)
    text = CaseText(*(st.session_state[f"case_{name}_{key}"].strip() for name in WRITTEN))
    if not text.title:
        raise Refused("Give the case a title.")
    return text


def _save(case_key: int, version: int, field: str) -> None:
    _change(case_key, version, _written(field))


def _change(case_key: int, version: int, text: CaseText | None) -> None:
    """Write the next state of a case, None deletes it; raise Outdated where somebody was faster."""
    if not notes_state.author():
        raise Refused(NAMELESS)
    state.repository().cases.change(case_key, version, notes_state.author(), text)
    notes_state.edit_case(case_key, None)
    if text is None:
        notes_state.open_case(None)


def place_of(case_key: int) -> str:
    """Where it is told that something of a case could not be written."""
    return f"case_{case_key}"


def bring_back(case: Case) -> None:
    """A deleted case with the button that undoes it."""
    st.markdown(f"**{as_line(case.text.title)}** · deleted by {as_line(case.last.author)}")
    nameless = not notes_state.author()
    if visitors.may_write():
        args = (place_of(case.key), _change, case.key, case.last.number, case.text)
        st.button("Bring back", key=f"case_back_{case.key}", disabled=nameless, on_click=kept, args=args)
    refusal(place_of(case.key))


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
    args = (place_of(case.key), _take, case.key, field)
    st.button("Add to the case", key=f"case_add_{case.key}", disabled=not chosen, on_click=kept, args=args)


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
    return f"turn {turn.turn}: {in_words(cause.code)}, {cause.tokens:,} tokens"


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
        ask_for_name("name_for_case")
        # Chosen is a key: the field would keep the case itself as it was when it was chosen.
        case = there[st.selectbox("Case", list(there), format_func=lambda key: _titled(there[key]), key=CASE)]
        inside = any(one.session_key == session_key for one in case.sessions)
        args = (place_of(case.key), state.repository().cases.take, case.key, session_key)
        label = "The session is in this case" if inside else "Add this session"
        st.button(label, key="case_take_this", disabled=inside, on_click=kept, args=args)
        turn = next((one for one in record.turns if at and one.turn == at[0]), None)
        for cause in turn.causes if turn else ():
            assert turn is not None
            _pin_button(
                f"Pin “{plain(in_words(cause.code))}” of turn {turn.turn}", "pin_here", case, session_key, turn, cause
            )
        refusal(place_of(case.key))


def _titled(case: Case) -> str:
    return visible(f"{case.text.title} ({case.text.ticket})" if case.text.ticket else case.text.title)


def _pin_button(label: str, key: str, case: Case, session_key: int, turn: TurnRecord, cause: Cause) -> None:
    """The button that pins a finding.

    The key says what is pinned: a press is never taken for that of another finding, which others' pins bring up.
    """
    nameless = not notes_state.author()
    key = f"{key}_{case.key}_{session_key}_{turn.turn}_{cause.code}"
    finding = Finding(session_key, turn.request_id, turn.turn, cause.code, cause.tokens, cause.evidence)
    why, args = NAMELESS if nameless else None, (place_of(case.key), _pin, case, finding)
    st.button(label, key=key, disabled=nameless, help=why, on_click=kept, args=args)


def _pin(case: Case, finding: Finding) -> None:
    """Pin a finding, and put its session into the case where it is not in it yet."""
    cases = state.repository().cases
    if all(one.session_key != finding.session_key for one in case.sessions):
        cases.take(case.key, finding.session_key)
    cases.pin(case.key, finding, notes_state.author())
