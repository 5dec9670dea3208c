"""What the page of two sets says where there is nothing to hold against each other, and what can be done at once."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import date

import pandas as pd
import streamlit as st

from analysis.report.two_sets import NAMES
from analysis.report.words import counted
from app import sets_frame, sets_state, visitors
from app.plain import plain
from app.sets_address import KINDS, Pair
from app.sets_offers import Offer
from app.sets_state import Set


def why(pair: Pair, offered: Sequence[Offer]) -> None:
    """Say why these two sets were offered, where they are as they were."""
    for one in offered:
        if pair.sides == one.pair.sides:
            st.caption(plain(f"{one.words}: {one.why}."))


def same(pair: Pair, frame: pd.DataFrame, offered: Sequence[Offer]) -> None:
    """Both sets are the same sessions: say so, and offer what can be held against each other."""
    by = pair.by
    lacking = by not in ("day", "own") and len(sets_frame.values(frame, by)) < 2
    first = f"There are no two {KINDS[by].lower()} here: both" if lacking else "Both"
    st.info(f"{first} sets are the same sessions, so there is nothing to compare. {_next(offered)}")
    _buttons(pair, offered)


def _next(offered: Sequence[Offer]) -> str:
    others = "Filters, or a baseline file on one side, tell them apart too."
    if offered:
        return f"Press what you want to hold against each other, or choose it above. {others}"
    marks = "add logs of another day or release on the page Sessions, or give some sessions a label there (Mark)"
    what = marks if visitors.may_write() else "open a dashboard that has logs of another day or release"
    return f"All began on one day, with one model, one client version and no label, in one log: {what}. {others}"


def _buttons(pair: Pair, offered: Sequence[Offer]) -> None:
    with st.container(horizontal=True, gap="small"):
        for index, one in enumerate(offered):
            if st.button(plain(one.words), key=f"offer_{index}", help=f"{one.why[0].upper()}{one.why[1:]}."):
                sets_state.go(replace(one.pair, zone=pair.zone))


def without_sessions(pair: Pair, sets: Sequence[Set | None], frame: pd.DataFrame, offered: Sequence[Offer]) -> None:
    """A set has no sessions: say which and, where the day did it, between which days there is one that splits."""
    day = sets_frame.split_day(pair)
    there = [(name, one) for name, one in zip(NAMES, sets, strict=True) if one is not None]
    empty = [name for name, one in there if not one.baseline.whole.num_turns]
    others = frame[frame.session_key.isin([key for _name, one in there for key in one.keys])]
    if pair.by == "day" and day is not None and len(empty) == 1 and len(others):
        st.info(one_sided(day, empty[0], others, sets_state.zone(pair)))
    else:
        st.info("A set without sessions cannot be compared: change its filters.")
    _buttons(pair, offered)


def one_sided(day: date, empty: str, others: pd.DataFrame, zone: str) -> str:
    """That all sessions lie on one side of a day, and which days have some on both."""
    days = sets_frame.begun(others, zone)
    first = f"No session began before {day}" if empty == NAMES[0] else f"No session was under way on {day} or later"
    lead = f"{first}: all {counted(len(others), 'session')} lie in set {NAMES[1 - NAMES.index(empty)]}."
    if len(days) == 1:
        return f"{lead} All of them began on {days[0]}, so no day tells them apart."
    return f"{lead} They began from {days[0]} to {days[-1]}: choose a day after the first of these, up to the last."
