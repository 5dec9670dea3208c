"""Two sets: sessions before and after a release, of two agents or templates, held against each other."""

from dataclasses import replace

import streamlit as st

from analysis.report.words import counted
from app import (
    cause_table,
    desk_state,
    nothing_view,
    sets_empty,
    sets_fields,
    sets_offers,
    sets_sessions,
    sets_state,
    sets_view,
)

st.title("Two sets", anchor=False)
pair = sets_state.asked()
frame = desk_state.sessions()
if frame.empty:
    nothing_view.nothing_here("Then two sets of them can be held against each other here.")
    st.stop()

zone = sets_state.zone(pair)
offered = sets_offers.offers(frame, sets_state.changed(zone), zone, sets_state.samples())
sets_state.open_on(pair, offered)
causes = cause_table.causes()
pair, places = sets_fields.choose(pair, frame, causes.code.unique())
zone = sets_state.zone(pair)
sets = [sets_state.set_of(side, frame, causes, zone) for side in pair.sides]
both = set.intersection(*(set() if one is None else one.keys for one in sets))
is_all = both and all(one is not None and one.keys == both for one in sets)
if both and not is_all:
    with st.container(horizontal=True, vertical_alignment="center"):
        stand = "stands" if len(both) == 1 else "stand"
        st.markdown(f"**{counted(len(both), 'session')} {stand} in both sets.**", width="content")
        pair = replace(pair, apart=st.toggle("Leave them out", pair.apart, key=sets_state.field("apart")))
    if pair.apart:
        sets = sets_state.apart(sets, both)
sets_state.ask(pair)
for place, name, side, one in zip(places, sets_view.NAMES, pair.sides, sets, strict=True):
    sets_fields.about(place, name, side, one, zone)
sets_empty.why(pair, offered)

shown = [one for one in sets if one is not None and one.baseline.whole.num_turns]
if is_all:
    sets_empty.same(pair, frame, offered)
elif len(shown) < 2:
    if all(one is not None for one in sets):
        sets_empty.without_sessions(pair, sets, frame, offered)
else:
    sets_view.said(*shown)
    sets_view.figures(shown, frame)
    sets_view.causes(*(one.baseline for one in shown))
    sets_sessions.sessions(shown, frame)
