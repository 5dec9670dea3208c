"""The row above the list of sessions: search, order, filters, time zone and saved views, all of them in the address."""

from collections.abc import Iterable
from dataclasses import replace
from datetime import date

import pandas as pd
import streamlit as st

from analysis.model.desk import STATUSES, View
from app import desk_state, state, visitors
from app.desk_address import LONGEST, ORDERS, Asked, asked_by, query_of, zones
from app.plain import plain

FIDELITIES = ("logged", "exact", "approximate", "mismatch", "unknown")
NONE = "(none)"


def controls(asked: Asked, frame: pd.DataFrame, codes: Iterable[str]) -> Asked:
    """Show the row; return what is asked for now.  ``codes`` are the causes of all sessions."""
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        q = st.text_input(
            "Search",
            asked.q,
            key=desk_state.field(desk_state.SEARCH),
            placeholder="session, model, cause, label …",
            label_visibility="collapsed",
            width=235,
        )
        order = st.selectbox(
            "Worst first by",
            list(ORDERS),
            list(ORDERS).index(asked.order),
            format_func=lambda name: f"{'' if name == 'newest' else 'Worst by '}{ORDERS[name]}",
            key=desk_state.field("order"),
            label_visibility="collapsed",
            width=235,
        )
        wanted = replace(asked, q=(q or "").strip(), order=order)
        with st.popover("Filters", icon=":material/filter_alt:", width="content"):
            wanted = _filters(wanted, frame, codes)
        with st.popover("Views", icon=":material/bookmark:", width="content"):
            _views(wanted)
    return wanted


def _filters(asked: Asked, frame: pd.DataFrame, codes: Iterable[str]) -> Asked:
    """The fields of all filters; one that is empty lets everything through."""
    left, right = st.columns(2)
    with left:
        asked = replace(
            asked,
            cause=_choice("Cause", "cause", asked.cause, codes),
            model=_choice("Model", "model", asked.model, frame.model),
            client=_choice("Client version", "client", asked.client, _each(frame.clients)),
            fidelity=_choice("Tokens known as", "fidelity", asked.fidelity, FIDELITIES),
        )
    with right:
        asked = replace(
            asked,
            label=_choice("Customer or label", "label", asked.label, _each(frame.labels)),
            status=_choice("Status", "status", asked.status, STATUSES),
            assignee=_choice("Assignee", "assignee", asked.assignee, frame.assignee),
            source=_choice("Source", "source", asked.source, frame.source.str.slice(stop=LONGEST)),
            zone=_zone(asked),
        )
    with left:
        since = _day("From (day)", "since", asked.since)
    with right:
        until = _day("To (day, included)", "until", asked.until)
    return replace(asked, since=since, until=until)


def _each(lists: Iterable[list[str]]) -> set[str]:
    """All names in lists of them; one that is empty has the name of nothing."""
    return {name for names in lists for name in names or [""]}


def _choice(words: str, name: str, chosen: tuple[str, ...], present: Iterable[str]) -> tuple[str, ...]:
    """Several of the names that occur; one that was asked for is offered even where it does not."""
    names = {*present, *chosen}
    known = [one for one in (*STATUSES, *FIDELITIES) if one in names] if name in ("status", "fidelity") else []
    options = known + sorted(names.difference(known))
    found = st.multiselect(
        words, options, chosen, format_func=_named, key=desk_state.field(name), placeholder="all", disabled=not options
    )
    return tuple(found)


def _named(name: str) -> str:
    return name or NONE


def _zone(asked: Asked) -> str | None:
    browser = desk_state.zone(Asked())
    options = ["", *zones()]
    found: str = st.selectbox(
        "Time zone",
        options,
        options.index(asked.zone or ""),
        format_func=lambda name: name or f"this browser's ({browser})",
        key=desk_state.field("zone"),
    )
    return found or None


def _day(words: str, name: str, chosen: date | None) -> date | None:
    found: date | None = st.date_input(words, chosen, key=desk_state.field(name), format="YYYY-MM-DD")
    return found


def active(asked: Asked) -> None:
    """Name the filters that are set, with a way to be rid of them."""
    place = st.container(horizontal=True, vertical_alignment="center", gap="small")
    if not asked.filters and not asked.q:
        return
    said = [f"{name.replace('_', ' ')}: {text}" for name, text in asked.filters.items()]
    with place:
        st.caption(plain(" · ".join([*said, *([f"search: {asked.q}"] if asked.q else [])])), width="content")
        if st.button("Clear filters", type="tertiary", icon=":material/close:"):
            desk_state.go(Asked(order=asked.order, zone=asked.zone, look=asked.look, by=asked.by))


def _views(asked: Asked) -> None:
    """The link to what is shown, and lists under a name that are looked at again."""
    st.caption("A link to this list, with its filters, order and days:")
    st.code(desk_state.link(asked), language=None, wrap_lines=True)
    desk = state.repository().desk
    views = desk.views()
    for view in views:
        with st.container(horizontal=True, gap="small"):
            if st.button(plain(view.name), key=f"view_{view.name}", width="stretch", help=plain(view.query) or None):
                desk_state.go(asked_by(view.query))
            if visitors.may_write() and st.button("", key=f"drop_{view.name}", icon=":material/delete:", help="Forget"):
                desk.drop_view(view.name)
                st.rerun()
    if not visitors.may_write():
        if not views:
            st.caption("No view is saved.")
        return
    with st.form(desk_state.field("save_view"), border=False, clear_on_submit=True):
        name = st.text_input("Save this list as", placeholder="Monday's worst", max_chars=80)
        if st.form_submit_button("Save view", width="stretch") and name.strip():
            desk.save_view(View(name.strip(), query_of(asked)))
            st.rerun()
