"""Live server: connect to a vLLM, see what it says of itself, and let it render."""

import streamlit as st

from app import live_view, renderer_state

st.title("Live server", anchor=False)
st.write("A running vLLM can render requests for Sessions and Compare. Nothing is generated unless you allow it.")
live_view.connection_form()
server, info = renderer_state.live_server(), renderer_state.live_info()
if server is None or info is None:
    st.info(
        "Not connected. `vllm serve MODEL --enable-scale-out` and `vllm launch render MODEL` render exactly what they"
        " would serve."
    )
    st.stop()
live_view.facts(info)
live_view.reset(server)
