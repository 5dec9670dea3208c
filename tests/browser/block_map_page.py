"""A throw-away page around the block map: the session is named in the URL, what Python got is printed."""

import streamlit as st

from app.block_map import Pick, block_map, pack
from tests.app.sample_rows import SESSIONS

st.set_page_config(layout="wide")


def write_url(pick: Pick) -> None:
    st.query_params.update(turn=str(pick["turn"]), block=str(pick["block"]))


def picked_in_url() -> tuple[int, int] | None:
    if "turn" not in st.query_params:
        return None
    return int(st.query_params["turn"]), int(st.query_params["block"])


name = st.query_params.get("session", "agent")
rows = SESSIONS[name]()


def go_on() -> None:
    current = picked_in_url() or (0, 0)
    cells = sorted((rows.turn_numbers[row], block) for row, block in rows.divergences)
    if cell := next((cell for cell in cells if cell > current), None):
        write_url(Pick(turn=cell[0], block=cell[1]))


st.button("page: next", on_click=go_on)
returned = block_map(pack(rows), key=f"map-{name}", picked=picked_in_url(), on_pick=write_url)
st.text(f"url {picked_in_url()} returned {returned}")
