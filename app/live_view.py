"""The live server: the form that connects, what the server says of itself, and the reset of its prefix cache."""

import streamlit as st

from analysis.live.vllm import ServerInfo, VllmServer
from app import places, renderer_state, visitors
from app.plain import plain


def connection_form() -> None:
    """Ask for the address and the key, and connect.  The key is neither stored nor shown."""
    with st.form("live", border=True):
        left, right = st.columns([3, 2])
        address = left.text_input("Address", placeholder="http://localhost:8000")
        held = places.api_key() is not None
        key = right.text_input(
            "API key", type="password", placeholder="from WHYMISS_API_KEY" if held else "only if the server wants one"
        )
        generate = st.checkbox(
            "Allow generating one token where the server offers no render",
            help="Last resort: a request with max_tokens 1 and return_token_ids. It costs a prefill on the server.",
        )
        if not st.form_submit_button("Connect", type="primary"):
            return
    if not address.strip():
        st.error("Give the server's address, such as http://localhost:8000.")
        return
    try:
        with st.spinner("Asking the server"):
            server = VllmServer(visitors.named(address), api_key=key or places.api_key(), allow_generation=generate)
            renderer_state.connect_live(server, server.describe())
    except OSError as error:
        renderer_state.connect_live(None, None)
        st.error(plain(str(error)))


def facts(info: ServerInfo) -> None:
    """What the server says of itself; what it does not say is said to be unknown."""
    st.subheader(plain(f"Connected to {info.url}"), anchor=False)
    shown = (
        ("vLLM", info.version),
        ("Block size", f"{info.block_size} tokens" if info.block_size else None),
        ("Blocks", f"{info.num_blocks:,}" if info.num_blocks else None),
        ("Prefix caching", {True: "on", False: "off"}.get(info.prefix_caching)),
        ("Block hash", info.hash_algorithm),
    )
    for column, (label, value) in zip(st.columns(len(shown)), shown, strict=True):
        column.metric(label, value or "not said", border=True)
    if info.prefix_caching is False:
        st.warning("Prefix caching is off on this server: nothing is reused. Remove --no-enable-prefix-caching.")
    for model in info.models:
        length = f"{model.max_model_len:,} tokens" if model.max_model_len else "length not said"
        st.text(f"{model.name} · {length}")


def reset(server: VllmServer) -> None:
    """Offer the reset of the prefix cache where the server allows it."""
    try:
        offered = server.can_reset()
    except OSError as error:
        st.error(plain(str(error)))
        return
    if not offered:
        st.caption("Resetting the prefix cache from here needs a server started with VLLM_SERVER_DEV_MODE=1.")
        return
    if not visitors.may_write():
        st.caption(f"{visitors.READING} The prefix cache of a server is not reset from here either.")
        return
    if st.button("Reset the prefix cache", help="Drops every cached block of this server, for all its users."):
        try:
            if server.reset_prefix_cache():
                st.success("The prefix cache is empty.")
            else:
                st.error("The server refused: blocks are in use. Try again when no request is running.")
        except OSError as error:
            st.error(plain(str(error)))
