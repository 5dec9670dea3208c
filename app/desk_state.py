"""What the Sessions page keeps across reruns: what it is asked for, in its address, and frames per state of the store.

The address is the truth: a link, a saved view and the way back of the browser all lead through it, and the fields of
the page are made anew whenever it was changed by anything but them.
"""

from dataclasses import replace
from typing import NoReturn

import pandas as pd
import streamlit as st

from app import address, desk_frame, session_table, state
from app.desk_address import Asked, asked_in, known_zone, params_of, query_of

ASKED = "desk_asked"
NUMBER = "desk_number"
SEARCH = "desk_search"


def asked() -> Asked:
    """What the address asks for; when the page is come back to without an address, what was asked for last."""
    here = asked_in({name: st.query_params.get_all(name) for name in st.query_params})
    last: Asked | None = st.session_state.get(ASKED)
    if last is not None and here != last:
        was_away = field(SEARCH) not in st.session_state
        if was_away and here == Asked():
            here = replace(last, compare=())
            _write(here)
        else:
            st.session_state[NUMBER] = _number() + 1
    st.session_state[ASKED] = here
    return here


def ask(wanted: Asked) -> None:
    """Let the address ask for this, as the fields of the page already do."""
    if wanted != st.session_state.get(ASKED):
        st.session_state[ASKED] = wanted
        _write(wanted)


def _write(wanted: Asked) -> None:
    st.query_params.from_dict(params_of(wanted))
    address.hold()


def go(wanted: Asked) -> NoReturn:
    """Show what is asked for from its address on, with fields that say the same and nothing selected."""
    aim(wanted)
    st.rerun()


def aim(wanted: Asked) -> None:
    """The same for the run that follows: what a button calls before its page runs."""
    ask(wanted)
    st.session_state[NUMBER] = _number() + 1
    st.session_state[state.TABLE] = state.table_number() + 1


def field(name: str) -> str:
    """The key of a field of the page: another one whenever the address was changed by anything but the fields."""
    return f"{name}_{_number()}"


def _number() -> int:
    return int(st.session_state.get(NUMBER, 0))


def zone(wanted: Asked) -> str:
    """The time zone that is asked for, else that of the browser."""
    return wanted.zone or known_zone(st.context.timezone) or "UTC"


def chosen_zone() -> str:
    """The time zone that the list of sessions was asked for last, for the dates of other pages."""
    return zone(st.session_state.get(ASKED, Asked()))


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
    return desk_frame.speeds(_turns(at))


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
