"""The top of the page of two sets: what tells them apart, and which sessions, or which file, stand on each side."""

from collections.abc import Callable, Sequence
from dataclasses import replace

import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from analysis.report.baseline_file import written
from analysis.report.two_sets import NAMES
from analysis.report.words import counted
from app import desk_filters, sets_frame, sets_state
from app.desk_address import FIRST_DAY, LAST_DAY, params_of
from app.note_text import as_line
from app.plain import plain
from app.sets_address import KINDS, Pair, Side
from app.sets_state import Set

MOST_MEGABYTES = 20  # of a baseline file: sums of a hundred thousand sessions


def choose(pair: Pair, frame: pd.DataFrame, codes: Sequence[str]) -> tuple[Pair, list[DeltaGenerator]]:
    """Show the fields; return what is asked for now, and the place below each side's fields."""
    link = _above(pair, frame)
    if pair.by in ("day", "own"):
        pair = _days(pair, frame)
    sides: list[Side] = []
    places: list[DeltaGenerator] = []
    wrong: list[str] = []
    for name, side, column in zip(NAMES, pair.sides, st.columns(2), strict=True):
        with column.container(border=True, height="stretch"):
            sides.append(_side(name, side, pair, frame, codes, wrong))
            places.append(st.container())
    for line in wrong:  # below the fields: what is open above them would cover it
        st.error(plain(line))
    pair = replace(pair, a=sides[0], b=sides[1])
    with link:
        st.caption("A link to this comparison. A baseline file is only named in it, and has to be given again.")
        st.code(sets_state.link(pair), language=None, wrap_lines=True)
    return pair, places


def _above(pair: Pair, frame: pd.DataFrame) -> DeltaGenerator:
    """What tells the sets apart, and what is done with both of them; return the place for the link."""
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        kinds = list(KINDS)
        by = st.segmented_control(
            "What tells the sets apart",
            kinds,
            default=pair.by,
            required=True,
            format_func=KINDS.__getitem__,
            key=sets_state.field(sets_state.BY),
            label_visibility="collapsed",
        )
        if by is not None and by != pair.by:
            sets_state.go(sets_state.suggested(pair, by, frame))
        if st.button("Swap", icon=":material/swap_horiz:", help="Set A becomes set B, and B becomes A"):
            sets_state.go(replace(pair, a=pair.b, b=pair.a, by="own" if pair.by == "day" else pair.by))
        return st.popover("Link", icon=":material/link:", width="content")


def _days(pair: Pair, frame: pd.DataFrame) -> Pair:
    """The day that the sets are split by, and the time zone of all days."""
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        if pair.by == "day" and not sets_frame.has_file(pair):
            split = sets_frame.split_day(pair)
            day = st.date_input(
                "Set B begins on (day)",
                split,
                key=sets_state.field("day"),
                min_value=FIRST_DAY,
                max_value=LAST_DAY,
                format="YYYY-MM-DD",
                width=200,
            )
            if day != split:
                pair = sets_frame.split(pair, day)
            if day is None and st.button("Split where most changed"):
                if (found := sets_state.suggested(pair, "day", frame)) != pair:
                    sets_state.go(found)
                st.caption("All sessions began on one day, or say no time: Logs tells them apart.", width="content")
        with st.container(width=260):
            zone = desk_filters.zone_field(pair.zone, sets_state.field)
    return replace(pair, zone=zone)


def _side(name: str, side: Side, pair: Pair, frame: pd.DataFrame, codes: Sequence[str], wrong: list[str]) -> Side:
    """The fields of one side; what is wrong with a file that was given goes to ``wrong``."""
    field = _keys(name)
    asked, by = side.asked, pair.by
    is_open = by in desk_filters.WORDS and not side.file
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        st.subheader(f"Set {name}", anchor=False, width="content")
        with st.popover("Filters", icon=":material/filter_alt:", width="content", disabled=bool(side.file)):
            hidden = {"zone", *([by] if is_open else []), *_split_field(name, pair)}
            q = st.text_input("Search", asked.q, key=field("q"), placeholder="session, model, cause, label …")
            asked = desk_filters.fields(replace(asked, q=(q or "").strip()), frame, codes, field, hidden)
        with st.popover("Baseline file", icon=":material/description:", width="content"):
            wrong += _file(side, pair, name, field)
        if side.names_sessions and st.button("All sessions instead", key=field("no_keys"), type="tertiary"):
            sets_state.go(_with(pair, name, replace(side, keys=(), case=None)))
    if is_open:
        asked = replace(asked, **{by: desk_filters.choice(by, asked, frame, codes, field)})
    return replace(side, asked=asked)


def _keys(name: str) -> Callable[[str], str]:
    return lambda field: sets_state.field(f"{name}_{field}")


def _split_field(name: str, pair: Pair) -> list[str]:
    """The day that stands above both sides is not asked for in one of them."""
    if pair.by != "day" or sets_frame.split_day(pair) is None:
        return []
    return ["until" if name == NAMES[0] else "since"]


def _file(side: Side, pair: Pair, name: str, field: Callable[[str], str]) -> list[str]:
    """Take a baseline file for a side, or let go of one; return what is wrong with a file."""
    st.caption("What whymiss check LOG --save FILE or this page wrote: sums of a set, without its sessions.")
    found = st.file_uploader(
        "Baseline file", "json", key=field("file"), label_visibility="collapsed", max_upload_size=MOST_MEGABYTES
    )
    if side.file and st.button("Use sessions instead", key=field("no_file")):
        sets_state.go(_with(pair, name, replace(side, file="")))
    if found is None:
        return []
    try:
        label = sets_state.keep_file(found.getvalue(), found.name)
    except ValueError as error:
        return [str(error)]
    if label != side.file:
        sets_state.go(_with(pair, name, replace(side, file=label)))
    return []


def _with(pair: Pair, name: str, side: Side) -> Pair:
    return replace(pair, a=side) if name == NAMES[0] else replace(pair, b=side)


def about(place: DeltaGenerator, name: str, side: Side, shown: Set | None, zone: str) -> None:
    """What stands on a side, below its fields: its size, its filters, and what can be done with it."""
    with place:
        if shown is None:
            st.info(f"This link names the baseline file {as_line(side.file)}: give it again under Baseline file.")
            return
        sessions = len(shown.baseline.sessions) if shown.sums is None else len(shown.sums)
        st.markdown(f"**{counted(sessions, 'session')}, {counted(shown.baseline.whole.num_turns, 'turn')}**")
        st.caption(_described(side))
        with st.container(horizontal=True, gap="small"):
            _save(name, shown)
            is_a_list = not side.file and not side.names_sessions
            if is_a_list and st.button("List them", key=f"list_{name}", type="tertiary"):
                st.switch_page("../pages/sessions.py", query_params=params_of(replace(side.asked, zone=zone)))


def _described(side: Side) -> str:
    if side.file:
        return f"Baseline file {as_line(side.file)}"
    chosen = [f"{counted(len(side.keys), 'session')} named in the address"] if side.keys else []
    if side.case is not None:
        case = sets_state.case_of(side)
        chosen.append(f"{side.case.side} in the case {case.text.title}" if case else "a case that is not here any more")
    return plain(" · ".join(filter(None, [*chosen, desk_filters.said(side.asked)])) or "All sessions")


def _save(name: str, shown: Set) -> None:
    """The set as a file that ``whymiss check`` and this page hold others against."""
    whole = shown.baseline.whole
    st.download_button(
        "Save as baseline",
        lambda: written(shown.baseline),
        f"baseline-{name.lower()}.json",
        "application/json",
        key=f"save_{name}",
        type="tertiary",
        on_click="ignore",
        disabled=whole.hit_rate is None and whole.reusable_share is None,
        help="Sums and session ids, no text of a log: for whymiss check --baseline, or for this page later.",
    )
