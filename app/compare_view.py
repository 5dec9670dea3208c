"""The comparison of two request bodies: the fields to give them in, and the answer on one screen."""

from collections.abc import Callable

import streamlit as st

from analysis.core.align import differing
from analysis.model.record import SessionRecord
from analysis.model.settings import Settings
from analysis.pipeline.compare import compare
from analysis.pipeline.renderers import Renderers
from analysis.pipeline.sources import LogFile
from analysis.report.palette import palette
from analysis.report.words import described, fields, undiverged, unshared
from app import state
from app.browser_words import in_browser
from app.plain import plain
from app.token_view import comparison_html, side

TOKENS_BEFORE = 16
TOKENS_SHOWN = 96


def bodies() -> list[LogFile]:
    """Two places to paste or drop a body; what is there."""
    found = []
    for column, name in zip(st.columns(2), ("Earlier request", "Later request"), strict=True):
        with column:
            pasted = st.text_area(name, height=160, key=f"pasted_{name}", placeholder='{"model": …, "messages": […]}')
            dropped = st.file_uploader(f"{name} as a file", key=f"dropped_{name}", label_visibility="collapsed")
            if pasted.strip():
                found.append(LogFile(name, pasted.encode()))
            elif dropped is not None:
                found.append(LogFile(name, dropped.getvalue()))
    return found


def answer(given: list[LogFile], renderers: Callable[[], Renderers], settings: Settings) -> None:
    """Compare and show: one sentence, three figures, the tokens side by side."""
    try:
        with st.spinner("Rendering both requests"):
            chosen = renderers()
            record = compare(given, chosen.renderer_for, settings)
    except (ValueError, OSError) as error:
        st.error(plain(in_browser(str(error))))
        return
    later = record.turns[-1]
    assert later.previous is not None
    found = later.divergence
    if found is None:
        earlier = record.turns[-2]
        st.success(f"No divergence: {undiverged(earlier.prompt_tokens or 0, later.prompt_tokens or 0)}.")
    else:
        st.subheader(plain(f"They part at token {found.token:,}, {described(found)}."), anchor=False)
        st.caption(plain(fields(found)))
    if reason := unshared(record.turns[-2], later):
        st.warning(reason)
    first, second, third = st.columns(3)
    first.metric("Equal from the front", f"{later.previous.lcp_tokens:,} tokens", border=True, height="stretch")
    size = f"whole blocks of {settings.block_size} ({settings.block_size_basis})"
    second.metric("Reusable", f"{later.reusable_tokens:,} tokens", border=True, height="stretch", help=f"In {size}.")
    third.metric("Later prompt", f"{later.prompt_tokens:,} tokens", border=True, height="stretch")
    _tokens(record, chosen, settings)


def _tokens(record: SessionRecord, renderers: Renderers, settings: Settings) -> None:
    earlier, later = record.turns[-2], record.turns[-1]
    old, new = record.full_ids[-2], record.full_ids[-1]
    assert old is not None and new is not None and later.previous is not None
    start = max(0, later.previous.lcp_tokens - TOKENS_BEFORE)
    stop = start + TOKENS_SHOWN
    marks = differing(old, new)
    sides = [
        side(turn, ids, mark, start, stop, turn.request_id)
        for turn, ids, mark in zip((earlier, later), (old, new), marks, strict=True)
    ]
    token_ids = sorted({token for side in sides for token in side.token_ids})
    renderer = renderers.renderer_for(later.model)
    texts = dict(zip(token_ids, renderer.token_bytes(token_ids), strict=True)) if renderer else {}
    found = later.divergence
    st.html(
        comparison_html(sides, texts, settings.block_size, found.token if found else None, palette(state.is_dark()))
    )
    if renderer is None:
        st.info(
            f"Tokens are shown by id: no tokenizer for the model “{plain(later.model or 'unnamed')}”. Choose one above."
        )
