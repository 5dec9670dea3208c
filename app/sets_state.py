"""What the page of two sets keeps across reruns: the sets of its address, baseline files, and frames of the store."""

from dataclasses import dataclass, replace
from hashlib import sha256
from typing import NoReturn
from urllib.parse import urlencode

import pandas as pd
import streamlit as st

from analysis.model.baseline import Baseline
from analysis.report.baseline_file import read
from analysis.report.two_sets import Member
from app import cause_table, desk_frame, desk_state, sets_frame, state
from app.address_state import AddressState
from app.desk_address import Asked
from app.sets_address import Pair, Side, pair_in, params_of_pair

BY = "sets_by"
FILES = "sets_files"
MOST_FILES = 8  # baselines that a browser session keeps

_ADDRESS = AddressState("sets", BY, pair_in, params_of_pair, lambda last: last)

asked = _ADDRESS.asked
ask = _ADDRESS.ask
field = _ADDRESS.field


@dataclass(frozen=True, slots=True, eq=False)
class Set:
    """One side as it is held against the other; ``sums`` is None for a file, of which the keys are not known."""

    baseline: Baseline
    members: list[Member]
    sums: pd.DataFrame | None

    @property
    def keys(self) -> set[int]:
        """The keys of its sessions."""
        return set() if self.sums is None else set(self.sums.session_key)


def go(wanted: Pair) -> NoReturn:
    """Show what is asked for from its address on, with fields that say the same and nothing selected."""
    ask(wanted)
    _ADDRESS.renew()
    st.rerun()


def zone(pair: Pair) -> str:
    """The time zone of the days: that which is asked for, else that of the browser."""
    return desk_state.zone(Asked(zone=pair.zone))


def link(pair: Pair) -> str:
    """The address of the comparison, to be sent to somebody; days keep the time zone they are of."""
    if any(side.asked.since or side.asked.until for side in pair.sides):
        pair = replace(pair, zone=zone(pair))
    query = urlencode(params_of_pair(pair), doseq=True)
    base = (st.context.url or "").partition("?")[0]
    return f"{base}?{query}" if query else base


def keep_file(content: bytes, name: str) -> str:
    """Keep a baseline file in this browser session; return the label it is asked for by.

    Raise ValueError with the remedy for what is no baseline.
    """
    found = read(content.decode("utf-8-sig", "replace"), name)
    label = f"{name} ({sha256(content).hexdigest()[:8]})"
    kept: dict[str, Baseline] = st.session_state.setdefault(FILES, {})
    kept.pop(label, None)
    kept[label] = found
    while len(kept) > MOST_FILES:
        del kept[next(iter(kept))]
    return label


def file(label: str) -> Baseline | None:
    """A baseline file that was given in this browser session."""
    found: Baseline | None = st.session_state.get(FILES, {}).get(label)
    return found


def set_of(side: Side, frame: pd.DataFrame, causes: pd.DataFrame, at_zone: str) -> Set | None:
    """A side as it is held against the other; None where its file is not at hand."""
    if side.file:
        kept = file(side.file)
        return None if kept is None else Set(kept, sets_frame.members_in(kept), None)
    with_cause = cause_table.with_cause(causes, side.asked.cause)
    shown = desk_frame.filtered(frame, side.asked, with_cause, at_zone)
    return _of_sums(sets_frame.narrowed(_sums(state.stamp()), shown, side))


def apart(sets: list[Set | None], both: set[int]) -> list[Set | None]:
    """The sets without the sessions that stand in both; where one would have none left, it keeps them."""
    whole = [one for one in sets if one is not None and one.keys == both]
    return [one if one is None or one in whole else _without(one, both) for one in sets]


def _without(one: Set, keys: set[int]) -> Set:
    return one if one.sums is None else _of_sums(one.sums[~one.sums.session_key.isin(keys)])


def _of_sums(sums: pd.DataFrame) -> Set:
    at = state.stamp()
    return Set(sets_frame.baseline_of(sums, _losses(at)), sets_frame.members_of(sums, _openings(at)), sums)


@st.cache_resource(show_spinner=False, max_entries=2)
def _sums(at: state.Stamp) -> pd.DataFrame:
    return state.repository().sets.sums()


@st.cache_resource(show_spinner=False, max_entries=2)
def _losses(at: state.Stamp) -> pd.DataFrame:
    """Wasted tokens by session and cause."""
    sums = desk_state.losses().groupby(["session_key", "code"], observed=True).tokens.sum()
    return sums.reset_index()


@st.cache_resource(show_spinner=False, max_entries=2)
def _openings(at: state.Stamp) -> dict[int, int]:
    found = state.repository().sets.openings()
    return dict(zip(found.session_key.tolist(), found.opening.tolist(), strict=True))
