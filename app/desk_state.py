"""What the Sessions page keeps across reruns: its address, which says what is asked for, and frames of the store."""

from collections.abc import Sequence
from dataclasses import replace
from typing import NoReturn

import pandas as pd
import streamlit as st

from app import desk_frame, session_table, state
from app.address_state import AddressState
from app.desk_address import Asked, asked_in, known_zone, params_of, query_of

SEARCH = "desk_search"
GOING = "desk_session_to_open"
TICKS = "desk_ticks"

_ADDRESS = AddressState("desk", SEARCH, asked_in, params_of, lambda last: replace(last, compare=()))


def asked() -> Asked:
    """What the address asks for; when the page is come back to without an address, what was asked for last."""
    return _ADDRESS.asked()


def ask(wanted: Asked) -> None:
    """Let the address ask for this, as the fields of the page already do."""
    _ADDRESS.ask(wanted)


def go(wanted: Asked) -> NoReturn:
    """Show what is asked for from its address on, with fields that say the same and nothing selected."""
    aim(wanted)
    st.rerun()


def aim(wanted: Asked) -> None:
    """The same for the run that follows: what a button calls before its page runs."""
    ask(wanted)
    _ADDRESS.renew()
    st.session_state[state.TABLE] = state.table_number() + 1


def go_to(session_key: int) -> None:
    """Have a session opened by the run that follows: what a button calls may not leave the page."""
    st.session_state[GOING] = session_key


def going_to() -> int | None:
    """Take the session that is to be opened."""
    return st.session_state.pop(GOING, None)


def tick(session_keys: Sequence[int]) -> None:
    """Have the table of the run that follows show these sessions as ticked, and no others."""
    st.session_state[TICKS] = tuple(session_keys)
    st.session_state[state.TABLE] = state.table_number() + 1


def to_tick() -> tuple[int, ...]:
    """Take the sessions that the next table begins with."""
    found: tuple[int, ...] = st.session_state.pop(TICKS, ())
    return found


def field(name: str) -> str:
    """The key of a field of the page: another one whenever the address was changed by anything but the fields."""
    return _ADDRESS.field(name)


def zone(wanted: Asked) -> str:
    """The time zone that is asked for, else that of the browser."""
    return wanted.zone or known_zone(st.context.timezone) or "UTC"


def chosen_zone() -> str:
    """The time zone that the list of sessions was asked for last, for the dates of other pages."""
    return zone(_ADDRESS.last() or Asked())


def link(wanted: Asked) -> str:
    """The address of the page with what is asked for, to be sent to somebody; days keep the time zone they are of."""
    if wanted.since or wanted.until:
        wanted = replace(wanted, zone=zone(wanted))
    query = query_of(wanted)
    base = (st.context.url or "").partition("?")[0]
    return f"{base}?{query}" if query else base


def sessions() -> pd.DataFrame:
    """All sessions with marks and costs, those with most wasted tokens first."""
    at, desk = state.stamp(), state.repository().desk
    marked = desk_frame.with_marks(_with_shares(at), desk.marks())
    return desk_frame.with_costs(marked, _shares(at), desk.rates(), measured_speeds())


def measured_speeds() -> dict[str, float]:
    """Computed tokens a second by model, as far as the logs measure them."""
    return _speeds(state.stamp())


def models() -> list[str]:
    """The models of all turns, in the order of their names."""
    return sorted(set(_shares(state.stamp()).model))


def turns() -> pd.DataFrame:
    """One row per turn, as the store has it; not to be changed."""
    return _turns(state.stamp())


def losses() -> pd.DataFrame:
    """One row per turn and cause, as the store has it; not to be changed."""
    return _losses(state.stamp())


@st.cache_resource(show_spinner=False, max_entries=2)
def _with_shares(at: state.Stamp) -> pd.DataFrame:
    return desk_frame.with_shares(session_table.sessions(), _shares(at))


@st.cache_resource(show_spinner=False, max_entries=2)
def _shares(at: state.Stamp) -> pd.DataFrame:
    return state.repository().desk.shares()


@st.cache_resource(show_spinner=False, max_entries=2)
def _speeds(at: state.Stamp) -> dict[str, float]:
    return desk_frame.speeds(state.repository().desk.timed())


@st.cache_resource(show_spinner=False, max_entries=2)
def _turns(at: state.Stamp) -> pd.DataFrame:
    return _compact(state.repository().desk.turns())


@st.cache_resource(show_spinner=False, max_entries=2)
def _losses(at: state.Stamp) -> pd.DataFrame:
    return _compact(state.repository().desk.losses())


def _compact(frame: pd.DataFrame) -> pd.DataFrame:
    """Names that stand in many rows are kept once."""
    names = [name for name in ("model", "client", "code") if name in frame]
    return frame.astype(dict.fromkeys(names, "category"))
