"""A case and the list of cases: what is written, pinned findings in order, its sessions, before against after."""

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from analysis.model.annotation import Annotation, Case, PinnedFinding, Side
from analysis.report.case_part import still_there
from analysis.report.words import cause_headline, counted
from app import case_form, notes_state, sets_state, share_view, state, visitors
from app.case_comparison import comparison
from app.case_sessions import show
from app.name_form import ask_for_name
from app.note_text import as_line, day, visible, written
from app.refusals import kept, refusal
from app.row_list import Heard, Row, row_list
from app.session_view import wasted_from
from app.sets_address import OfCase, Pair, params_of_pair
from app.sets_address import Side as SetSide

SETS: tuple[Side, ...] = ("before", "after")


def table(cases: Sequence[Case]) -> None:
    """Every case in a row; a click opens it."""
    column = st.column_config
    row_list(by_keyboard(cases), "Cases by keyboard", "rows_cases", Heard(notes_state.open_case))
    event = st.dataframe(
        listed(cases),
        key=f"cases_{notes_state.case_table_number()}",
        hide_index=True,
        on_select="rerun",
        selection_mode="single-cell",
        alt="All cases, the one that was changed last first; click a row to open it",
        column_config={
            "Case": column.TextColumn(width=320, pinned=True),
            "Changed (UTC)": column.DatetimeColumn(format="YYYY-MM-DD HH:mm"),
        },
    )
    st.caption("Click a row to open the case.")
    if event.selection.cells:
        notes_state.open_case(cases[event.selection.cells[0][0]].key)
        st.rerun()


def by_keyboard(cases: Sequence[Case]) -> list[Row]:
    """The cases as the list for the keyboard says them."""
    return [
        Row(one.key, visible(one.text.title), (visible(one.text.ticket), counted(len(one.sessions), "session")))
        for one in cases
    ]


def listed(cases: Sequence[Case]) -> pd.DataFrame:
    """The cases as a table."""
    return pd.DataFrame(
        {
            "Case": [visible(case.text.title) for case in cases],
            "Ticket": [visible(case.text.ticket) for case in cases],
            "Customer": [visible(case.text.customer) for case in cases],
            "Sessions": [len(case.sessions) for case in cases],
            "Findings": [len(case.pinned) for case in cases],
            "Changed (UTC)": pd.to_datetime([case.last.at for case in cases], unit="s", utc=True),
            "by": [visible(case.last.author) for case in cases],
        }
    )


def headline(case: Case) -> None:
    """Title, ticket, customer and the narrative, with what it was before."""
    st.button("All cases", icon=":material/arrow_back:", on_click=notes_state.open_case, args=(None,), type="tertiary")
    title, action = st.columns([5, 1], vertical_alignment="bottom")
    title.header(as_line(case.text.title), anchor=False)
    with action, st.container(horizontal=True, horizontal_alignment="right"):
        share_view.share_case(case)
    facts = [f"ticket {case.text.ticket}" if case.text.ticket else "no ticket", case.text.customer]
    verb = "opened" if case.last.number == 1 else "changed"
    facts.append(f"{verb} by {case.last.author}, {day(case.last.at)}")
    st.caption(as_line(" · ".join(fact for fact in facts if fact)))
    if case.text.narrative:
        written(case.text.narrative, f"case_{case.key}")
    if not visitors.may_write():
        _history(case)
        return
    ask_for_name()
    case_form.edit_case(case)
    refusal(case_form.place_of(case.key))
    _history(case)


def _history(case: Case) -> None:
    if len(case.versions) < 2:
        return
    with st.popover(f"History ({len(case.versions)})"):
        for one in reversed(case.versions):
            st.caption(f"{day(one.at)} · **{as_line(one.author)}**" + (" deleted it" if one.text is None else ""))
            if one.text is not None:
                named = (one.text.title, one.text.ticket, one.text.customer)
                st.markdown(f"**{as_line(' · '.join(filter(None, named)))}**")
                written(one.text.narrative, f"case_{case.key}_{one.number}")


def findings(case: Case) -> None:
    """The pinned findings in their order, and the field to pin another one."""
    st.subheader("Findings", anchor=False)
    with st.container():
        if not case.pinned:
            st.caption("Nothing is pinned yet: pin the causes that explain the case, in the order you would tell them.")
        for number, pinned in enumerate(case.pinned, 1):
            _finding(case, number, pinned)
    if visitors.may_write():
        case_form.pin_finding(case)


def _finding(case: Case, number: int, pinned: PinnedFinding) -> None:
    finding = pinned.finding
    record = state.session(finding.session_key)
    turn = still_there(pinned, record)
    block = None if turn is None or record is None else wasted_from(turn, record.settings.block_size)
    name = record.session_id if record else "a session that is gone"
    with st.container(border=True):
        st.markdown(
            f"**{number}. {as_line(cause_headline(finding.code))}** · {finding.tokens:,} tokens"
            f" :small[{as_line(finding.code)}]"
        )
        if turn is None:
            st.badge("no longer found by the present analysis", icon=":material/rule:", color="orange")
        st.text(finding.evidence)
        place = f"{as_line(name)}, turn {turn.turn if turn else finding.turn}"
        st.caption(f"{place} · pinned by {as_line(pinned.author)}, {day(pinned.at)}")
        with st.container(horizontal=True, gap="small"):
            if record is not None:
                show(f"pin_show_{pinned.key}", finding.session_key, turn and turn.turn, block)
            if visitors.may_write():
                _order(case_form.place_of(case.key), pinned.key, number, len(case.pinned))


def _order(place: str, pin: int, number: int, count: int) -> None:
    """The buttons that move a finding or take it out; ``number`` counts from 1."""
    cases = state.repository().cases
    up, down, out = (place, cases.move, pin, -1), (place, cases.move, pin, 1), (place, cases.unpin, pin)
    st.button("Up", key=f"pin_up_{pin}", disabled=number == 1, on_click=kept, args=up)
    st.button("Down", key=f"pin_down_{pin}", disabled=number == count, on_click=kept, args=down)
    st.button("Unpin", key=f"pin_drop_{pin}", on_click=kept, args=out)


def before_and_after(case: Case) -> None:
    """The two sets of the case held against each other."""
    st.subheader("Before and after", anchor=False)
    before, after = (
        sets_state.of_sessions({one.session_key for one in case.sessions if one.side == side}) for side in SETS
    )
    if not before.keys or not after.keys:
        st.caption("Put sessions into both sets above, before and after a change, to see what it did.")
        return
    comparison(before.baseline, after.baseline, (len(before.keys), len(after.keys)))
    if st.button("Open as two sets", icon=":material/balance:", help="With a verdict, the causes as a picture"):
        first, second = (SetSide(case=OfCase(case.key, side)) for side in SETS)
        st.switch_page("../pages/sets.py", query_params=params_of_pair(Pair(first, second, "own")))


def left_over(deleted: Sequence[Case], notes: Sequence[Annotation]) -> None:
    """Deleted cases, which can be brought back, and notes whose session is no longer in its log."""
    if deleted:
        with st.expander(counted(len(deleted), "deleted case")):
            for case in deleted:
                case_form.bring_back(case)
    if notes:
        with st.expander(f"{counted(len(notes), 'note')} without a session"):
            st.caption("Their sessions were no longer in the log when it was imported again.")
            for note in notes:
                st.caption(f"**{as_line(note.author)}** · {day(note.made_at)}")
                written(note.text, f"left_{note.key}")
