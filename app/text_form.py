"""Give stored tokens their text: ask for the tokenizer of a model that the store knows only by ids."""

import numpy as np
import streamlit as st

from analysis.model.session import TokenIds
from analysis.pipeline.renderers import Renderers
from app import notes_state, state, visitors
from app.plain import plain
from app.renderer_state import known_renderers, live_renderers, live_server


def ask_for_texts(model: str, ids: dict[int, TokenIds]) -> None:
    """Say which tokenizer is missing and take it from a folder, the hub or the live server."""
    st.warning(
        f"The tokens are shown by id: no tokenizer for the model “{plain(model)}” was at hand. All figures are exact"
        " all the same. To name message fields as well, add the log again with its tokenizer."
    )
    server = live_server()
    if not visitors.may_write() or not visitors.may_name_files():
        return
    place, action = st.columns([4, 1], vertical_alignment="bottom")
    name = place.text_input(
        "Folder with tokenizer.json, or hub id" + (", or empty for the live server" if server else ""),
        key=f"texts_{model}",
        placeholder="~/models/Qwen3-8B or Qwen/Qwen3-8B",
    ).strip()
    if not action.button("Show as text", width="stretch"):
        return
    if not name and server is None:
        st.error("Give the folder or hub id of the model first.")
        return
    try:
        with st.spinner("Decoding the tokens of this session"):
            _decode(model, ids, known_renderers(name) if name or server is None else live_renderers(server))
    except (ValueError, OSError) as error:
        st.error(plain(str(error)))
        return
    st.rerun()


def _decode(model: str, ids: dict[int, TokenIds], renderers: Renderers) -> None:
    """Remember what the tokens of a session stand for, where there is a renderer that can tell."""
    renderer = renderers.renderer_for(model)
    if renderer is None:
        return
    token_ids = np.unique(np.concatenate(list(ids.values()))).tolist()
    texts = dict(zip(token_ids, renderer.token_bytes(token_ids), strict=True))
    state.repository().remember_texts(model, texts)
    notes_state.look_again()
