"""Who renders: loaded once, refused at once, and no server until one is connected."""

from pathlib import Path

import pytest
import streamlit as st

from analysis.render.errors import RenderError
from app import renderer_state
from tests.builders import SAMPLE_MODEL

pytestmark = pytest.mark.usefixtures("session_state")


def test_a_renderer_is_loaded_once_and_a_wrong_model_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WHYMISS_DB", str(tmp_path / "of the choices.duckdb"))
    assert renderer_state.known_renderers(str(SAMPLE_MODEL)) is renderer_state.known_renderers(str(SAMPLE_MODEL))
    assert renderer_state.known_renderers() is not renderer_state.known_renderers(None, "none")
    with pytest.raises(RenderError, match="no/such/model"):
        renderer_state.known_renderers("no/such/model")
    st.cache_resource.clear()


def test_nothing_is_connected_at_first() -> None:
    assert (renderer_state.live_server(), renderer_state.live_info()) == (None, None)
    renderer_state.connect_live(None, None)
    assert renderer_state.live_server() is None
