"""What the page of two sets keeps across reruns: the sets of its address, baseline files, and frames of the store."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date
from hashlib import sha256
from typing import NoReturn
from urllib.parse import urlencode

import pandas as pd
import streamlit as st

from analysis.model.annotation import Case
from analysis.model.baseline import Baseline
from analysis.report.baseline_file import read
from analysis.report.two_sets import Member, members_in
from app import cause_table, day_frames, desk_frame, desk_state, places, sets_frame, sets_offers, state
from app.address_state import AddressState
from app.desk_address import Asked
from app.sets_address import Pair, Side, pair_in, params_of_pair
from app.sets_offers import Offer

BY = "sets_by"
FILES = "sets_files"
OPENED = "sets_opened"
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
        return None if kept is None else Set(kept, list(members_in(kept)), None)
    with_cause = cause_table.with_cause(causes, side.asked.cause)
    shown = desk_frame.filtered(frame, side.asked, with_cause, at_zone)
    return _of_sums(sets_frame.narrowed(_sums(state.stamp()), shown, _named(side)))


def of_sessions(keys: set[int]) -> Set:
    """The set of these sessions, of which those that are gone are left out."""
    sums = _sums(state.stamp())
    return _of_sums(sums[sums.session_key.isin(keys)])


def _named(side: Side) -> set[int] | None:
    """The keys of the sessions that a side names; None where it names none."""
    if side.case is None:
        return set(side.keys) if side.keys else None
    case = case_of(side)
    return {one.session_key for one in case.sessions if one.side == side.case.side} if case is not None else set()


def case_of(side: Side) -> Case | None:
    """The case whose sessions a side asks for; None where it is gone."""
    case = None if side.case is None else state.repository().cases.one(side.case.key)
    return None if case is None or case.is_deleted else case


def changed(at_zone: str) -> date | None:
    """The day since which most is wasted otherwise, samples left out where there is anything else."""
    return _changed(state.stamp(), at_zone)


@st.cache_resource(show_spinner=False, max_entries=8)
def _changed(at: state.Stamp, at_zone: str) -> date | None:
    keys = set(sets_offers.own(desk_state.sessions(), samples()).session_key)
    turns, losses = (
        day_frames.dated(day_frames.of_sessions(rows, keys), at_zone)
        for rows in (desk_state.turns(), desk_state.losses())
    )
    return day_frames.day_of_change(turns, losses)


def suggested(pair: Pair, by: str, frame: pd.DataFrame) -> Pair:
    """The pair told apart by something else, with the two sets that are worth a look first."""
    at_zone = zone(pair)
    return sets_frame.suggested(pair, by, frame, at_zone, changed(at_zone) if by == "day" else None)


def samples() -> set[str]:
    """The names of the sample logs."""
    return {path.name for path in places.sample_logs()}


def open_on(pair: Pair, offered: Sequence[Offer]) -> None:
    """Once per browser session, show the first sets that can be meant where the address asks for none."""
    if st.session_state.get(OPENED):
        return
    is_asked = any(side.is_narrowed for side in pair.sides) or pair.by != Pair().by
    meant = next((one.pair for one in offered if one.is_plain), None)
    st.session_state[OPENED] = is_asked or meant is not None
    if meant is not None and not is_asked:
        go(replace(meant, zone=pair.zone))


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
