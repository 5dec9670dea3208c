"""Who renders in this dashboard: tokenizers, loaded once for everybody, and the live server of a browser session."""

import streamlit as st

from analysis.live.vllm import ServerInfo, VllmServer
from analysis.model.renderer import RendererChoice
from analysis.model.settings import Normalisation
from analysis.pipeline.renderers import Renderers
from app import places, state, visitors

SERVER = "live_server"
SERVED = "live_server_info"


def known_renderers(model: str | None = None, normalise: Normalisation = "vllm") -> Renderers:
    """The renderers chosen by model, or ``model`` for all; raises RenderError where that one cannot be loaded.

    A tokenizer is loaded once for everybody.
    """
    return _renderers(model, normalise, tuple(state.repository().renderers().values()))


@st.cache_resource(show_spinner=False, max_entries=16)
def _renderers(model: str | None, normalise: Normalisation, chosen: tuple[RendererChoice, ...]) -> Renderers:
    by_model = {choice.model: choice for choice in chosen}
    renderers = Renderers(model, None, normalise, places.known_models(), by_model, visitors.key_for)
    if model:
        renderers.renderer_for("")
    return renderers


def live_renderers(server: VllmServer) -> Renderers:
    """Renderers over the live server of this browser session."""
    return Renderers(server=server, known=places.known_models())


def live_server() -> VllmServer | None:
    """The live server that this browser session is connected to.  Its key stays in memory."""
    server = st.session_state.get(SERVER)
    return server if isinstance(server, VllmServer) else None


def connect_live(server: VllmServer | None, info: ServerInfo | None) -> None:
    """Connect this browser session to a server and keep what it said of itself; None disconnects."""
    st.session_state[SERVER] = server
    st.session_state[SERVED] = info


def live_info() -> ServerInfo | None:
    """What the live server said of itself."""
    return st.session_state.get(SERVED)
