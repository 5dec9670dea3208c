"""The sessions of a case, a page of them at a time: each with its verdict, the set it belongs to, and the way to it."""

from collections.abc import Mapping, Sequence

import streamlit as st

from analysis.model.annotation import Case, CaseSession, Side
from analysis.report.words import counted
from app import case_form, session_table, state, visitors
from app.note_text import as_line
from app.refusals import kept

SIDES: dict[str, Side | None] = {"neither": None, "before": "before", "after": "after"}
ON_A_PAGE = 20  # sessions
SESSION_PAGE = "../pages/session.py"


def sessions(case: Case) -> None:
    """The sessions of the case, and the field to add more."""
    st.subheader("Sessions", anchor=False)
    with st.container():
        if not case.sessions:
            st.caption("No session is in this case yet.")
        _pages(case)
    if visitors.may_write():
        case_form.take_sessions(case)


def _pages(case: Case) -> None:
    found, first = case.sessions, 0
    if len(case.sessions) > ON_A_PAGE:
        with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
            found = _searched(case)
            pages = max(1, -(-len(found) // ON_A_PAGE))
            page = st.number_input(f"Page (of {pages:,})", 1, pages, key=f"case_page_{case.key}_{pages}", width=160)
        first = ON_A_PAGE * (page - 1)
        st.caption(sizes(found, first))
    shown = found[first : first + ON_A_PAGE]
    notes, said = state.repository().annotations.counts(), _verdicts([one.session_key for one in shown])
    for one in shown:
        _session(case, one, said.get(one.session_key, ""), notes.get(one.session_key, 0))


def _searched(case: Case) -> tuple[CaseSession, ...]:
    """The sessions whose id or log holds every word that is typed."""
    typed = st.text_input("Search the case", key=f"case_search_{case.key}", placeholder="session or log", width=300)
    words = typed.lower().split()
    return tuple(
        one for one in case.sessions if all(word in f"{one.session_id} {one.source}".lower() for word in words)
    )


def sizes(found: Sequence[CaseSession], first: int) -> str:
    """Which of the sessions stand below, and how many are in each set."""
    if not found:
        return "No session of the case has these words in its id or its log."
    last = min(first + ON_A_PAGE, len(found))
    sides = [f"{sum(one.side == side for one in found):,} {name}" for name, side in SIDES.items() if side is not None]
    return f"{first + 1:,} to {last:,} of {counted(len(found), 'session')} · {', '.join(sides)}"


def _verdicts(keys: Sequence[int]) -> Mapping[int, str]:
    frame = session_table.sessions()
    shown = frame[frame.session_key.isin(list(keys))]
    return dict(zip(shown.session_key, shown.verdict, strict=True))


def _session(case: Case, one: CaseSession, said: str, num_notes: int) -> None:
    with st.container(border=True):
        notes = f" · {counted(num_notes, 'note')}" if num_notes else ""
        st.markdown(f"**{as_line(one.session_id)}** · {as_line(one.source)}{notes}")
        st.text(said)
        with st.container(horizontal=True, gap="small", vertical_alignment="center"):
            if visitors.may_write():
                _side(case.key, one)
            elif one.side:
                st.badge(one.side)
            show(f"case_show_{one.session_key}", one.session_key)
            if visitors.may_write():
                drop = case_form.place_of(case.key), state.repository().cases.drop, case.key, one.session_key
                st.button("Take out", key=f"case_drop_{one.session_key}", on_click=kept, args=drop)


def _side(case_key: int, one: CaseSession) -> None:
    """The set of a session; two people who choose at once see the later choice."""
    key = f"side_{case_key}_{one.session_key}_{one.side}"  # what is stored wins over what the browser remembers
    now = next(name for name, side in SIDES.items() if side == one.side)
    args = (case_form.place_of(case_key), _put, case_key, one.session_key, key)
    st.segmented_control(
        "Set", list(SIDES), default=now, key=key, label_visibility="collapsed", on_change=kept, args=args
    )


def _put(case_key: int, session_key: int, field: str) -> None:
    if (chosen := st.session_state[field]) is not None:
        state.repository().cases.take(case_key, session_key, SIDES[chosen])


def show(key: str, session_key: int, turn: int | None = None, block: int | None = None) -> None:
    """The button that leads to a session, or to a block of one of its turns."""
    if st.button("Show", key=key):
        place = {} if turn is None else {"turn": str(turn), "block": str(block)}
        state.open_session(session_key)
        st.switch_page(SESSION_PAGE, query_params={"session": str(session_key), **place})
