"""Give stored tokens their text: ask for the tokenizer of a model that the store knows only by ids."""

import numpy as np
import streamlit as st

from analysis.model.session import TokenIds
from app import notes_state, state, visitors
from app.plain import plain


def ask_for_texts(model: str, ids: dict[int, TokenIds]) -> None:
    """Say which tokenizer is missing and take it from a folder, the hub or the live server."""
    st.warning(
        f"The tokens are shown by id: no tokenizer for the model “{plain(model)}” was at hand. All figures are exact"
        " all the same. To name message fields as well, add the log again with its tokenizer."
    )
    server = state.live_server()
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
            renderers = state.known_renderers(name) if name or server is None else state.live_renderers(server)
            renderer = renderers.renderer_for(model)
            token_ids = np.unique(np.concatenate(list(ids.values()))).tolist()
            if renderer is not None:
                texts = dict(zip(token_ids, renderer.token_bytes(token_ids), strict=True))
                state.repository().remember_texts(model, texts)
                notes_state.look_again()
    except (ValueError, OSError) as error:
        st.error(plain(str(error)))
        return
    st.rerun()
