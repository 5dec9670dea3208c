"""The row above the list of sessions: search, order, filters, time zone and saved views, all of them in the address."""

from collections.abc import Callable, Collection, Iterable
from dataclasses import replace
from datetime import date

import pandas as pd
import streamlit as st

from analysis.model.desk import STATUSES, View
from app import desk_state, state, visitors
from app.desk_address import (
    FIRST_DAY,
    LAST_DAY,
    LONGEST,
    MOST_NAMED,
    ONE_DAY,
    ORDERS,
    Asked,
    asked_by,
    query_of,
    shown,
    zones,
)
from app.plain import plain
from app.refusals import kept, refusal
from app.sets_address import held_up, params_of_pair

FIDELITIES = ("logged", "exact", "approximate", "mismatch", "unknown")
NONE = "(none)"
VIEWS = "views"  # where it is told that a view could not be kept
WORDS = {
    "cause": "Cause",
    "model": "Model",
    "client": "Client version",
    "fidelity": "Tokens known as",
    "label": "Customer or label",
    "status": "Status",
    "assignee": "Assignee",
    "source": "Source",
}
_LEFT, _RIGHT = tuple(WORDS)[:4], tuple(WORDS)[4:]
_DAYS = {"since": "From (day)", "until": "To (day, included)"}

Key = Callable[[str], str]


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
            wanted = fields(wanted, frame, codes)
        with st.popover("Views", icon=":material/bookmark:", width="content"):
            _views(wanted)
        if st.button("Hold against …", icon=":material/balance:", help="This list as set A of the page Two sets"):
            st.switch_page("../pages/sets.py", query_params=params_of_pair(held_up(wanted)))
    return wanted


def fields(
    asked: Asked,
    frame: pd.DataFrame,
    codes: Iterable[str],
    field: Key = desk_state.field,
    without: Collection[str] = (),
) -> Asked:
    """The fields of all filters but those ``without`` names; one that is empty lets everything through.

    ``codes`` are the causes of all sessions, ``field`` gives the key of a field.
    """
    found: dict[str, object] = {}
    left, right = st.columns(2)
    for column, names in ((left, _LEFT), (right, _RIGHT)):
        with column:
            found |= {name: choice(name, asked, frame, codes, field) for name in names if name not in without}
    with right:
        if "zone" not in without:
            found["zone"] = zone_field(asked.zone, field)
    for column, name in ((left, "since"), (right, "until")):
        if name not in without:
            with column:
                found[name] = _day(_DAYS[name], name, getattr(asked, name), field)
    return replace(asked, **found)


def choice(
    name: str, asked: Asked, frame: pd.DataFrame, codes: Iterable[str] = (), field: Key = desk_state.field
) -> tuple[str, ...]:
    """The field of one filter: several of the names that occur; one that was asked for is offered in any case."""
    chosen: tuple[str, ...] = getattr(asked, name)
    names = {*(one[:LONGEST] for one in _present(name, frame, codes)), *chosen}  # of which an address holds so much
    known = [one for one in (*STATUSES, *FIDELITIES) if one in names] if name in ("status", "fidelity") else []
    options = known + sorted(names.difference(known), key=lambda one: shown(name, one))
    return tuple(
        st.multiselect(
            WORDS[name],
            options,
            chosen,
            format_func=lambda one: shown(name, one) if one else NONE,
            key=field(name),
            placeholder="all",
            max_selections=max(MOST_NAMED, len(chosen)),  # the address has to hold them
            disabled=not options,
        )
    )


def _present(name: str, frame: pd.DataFrame, codes: Iterable[str]) -> Iterable[str]:
    """The values of a filter that the sessions have."""
    match name:
        case "cause":
            return codes
        case "fidelity":
            return FIDELITIES
        case "status":
            return STATUSES
        case "client":
            return _each(frame.clients)
        case "label":
            return _each(frame.labels)
    return frame[name]


def _each(lists: Iterable[list[str]]) -> set[str]:
    """All names in lists of them; one that is empty has the name of nothing."""
    return {name for names in lists for name in names or [""]}


def zone_field(chosen: str | None, field: Key = desk_state.field) -> str | None:
    """The field of the time zone; None is that of the browser."""
    browser = desk_state.zone(Asked())
    options = ["", *zones()]
    found: str = st.selectbox(
        "Time zone",
        options,
        options.index(chosen or ""),
        format_func=lambda name: name or f"this browser's ({browser})",
        key=field("zone"),
    )
    return found or None


def _day(words: str, name: str, chosen: date | None, field: Key) -> date | None:
    found: date | None = st.date_input(
        words, chosen, min_value=FIRST_DAY - ONE_DAY, max_value=LAST_DAY, key=field(name), format="YYYY-MM-DD"
    )
    return found


def active(asked: Asked) -> None:
    """Name the filters that are set, with a way to be rid of them."""
    place = st.container(horizontal=True, vertical_alignment="center", gap="small")
    if not asked.filters and not asked.q:
        return
    with place:
        st.caption(plain(said(asked)), width="content")
        if st.button("Clear filters", type="tertiary", icon=":material/close:"):
            desk_state.go(Asked(order=asked.order, zone=asked.zone, look=asked.look, by=asked.by))


def said(asked: Asked) -> str:
    """The filters and the search that are set, on one line."""
    filters = [f"{name}: {text}" for name, text in asked.filters.items()]
    return " · ".join([*filters, *([f"search: {asked.q}"] if asked.q else [])])


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
            if visitors.may_write():
                drop, args = f"drop_{view.name}", (VIEWS, desk.drop_view, view.name)
                st.button("", key=drop, icon=":material/delete:", help="Forget", on_click=kept, args=args)
    if not visitors.may_write():
        if not views:
            st.caption("No view is saved.")
        return
    field = desk_state.field("view_name")
    with st.form(desk_state.field("save_view"), border=False, clear_on_submit=True):
        st.text_input("Save this list as", placeholder="Monday's worst", max_chars=80, key=field)
        args = (VIEWS, _save_view, field, asked)
        st.form_submit_button("Save view", width="stretch", on_click=kept, args=args)
    refusal(VIEWS)


def _save_view(field: str, asked: Asked) -> None:
    if name := st.session_state[field].strip():
        state.repository().desk.save_view(View(name, query_of(asked)))
