"""The form that adds a note: at the session, a turn, a divergence, a block or any tokens of a prompt."""

from dataclasses import dataclass

import streamlit as st

from analysis.model.annotation import Anchor, Kind
from analysis.model.record import SessionRecord, TurnRecord
from analysis.pipeline.annotating import WHOLE_SESSION, anchor_of_span, anchor_of_turn, divergence_span
from analysis.store.notes import Outdated
from app import notes_state, state
from app.note_text import MOST_CHARACTERS, MOST_QUOTED, as_line, excerpt
from app.plain import plain


@dataclass(frozen=True, slots=True)
class Spot:
    """A place to write at; ``start`` and ``stop`` are tokens of the turn's prompt, None where none are named."""

    label: str
    kind: Kind
    turn: TurnRecord | None = None
    start: int | None = None
    stop: int | None = None


def spots(record: SessionRecord, at: tuple[int, int] | None, known: bool) -> list[Spot]:
    """Where a note can be added, given the turn and block that are shown; ``known``: the turn's tokens are stored."""
    whole = Spot("The whole session", "session")
    turn = next((one for one in record.turns if at and one.turn == at[0]), None)
    if at is None or turn is None:
        return [*(Spot(f"Turn {one.turn}", "turn", one) for one in record.turns), whole]
    found = [Spot(f"Turn {turn.turn}", "turn", turn), whole]
    prompt_tokens = turn.prompt_tokens or 0
    if not known or not prompt_tokens:
        return found
    size = record.settings.block_size
    start = min(at[1] * size, prompt_tokens - 1)
    stop = min(start + size, prompt_tokens)
    if (span := divergence_span(turn, size)) is not None:
        found.insert(0, Spot(f"The divergence of turn {turn.turn}", "divergence", turn, *span))
    block = Spot(f"Block {at[1]:,} of turn {turn.turn}", "span", turn, start, stop)
    found.insert(0 if turn.divergence is None or turn.divergence.block != at[1] else 1, block)
    return [*found, Spot(f"Tokens of turn {turn.turn} …", "span", turn)]


def add_form(record: SessionRecord, session_key: int, at: tuple[int, int] | None) -> None:
    """Choose a place, write, and keep it."""
    number = notes_state.draft_number()
    with st.expander("Add a note", expanded=False, key=f"note_add_{number}"):
        known = at is not None and at[0] in state.full_ids(session_key)
        spot = st.selectbox(
            "About", spots(record, at, known), format_func=lambda one: one.label, key=f"note_about_{number}_{at}"
        )
        spot = _with_tokens(spot, number, at)
        if spot.turn is not None and spot.start is not None and spot.stop is not None:
            show_quote(session_key, spot.turn, spot.start, spot.stop)
        with st.form(f"note_new_{number}", border=False):
            text = st.text_area(
                "Note, in Markdown", key=f"note_new_text_{number}", max_chars=MOST_CHARACTERS, height=120,
                placeholder="What you see here, what you asked, what you changed",
            )  # fmt: skip
            keep = st.form_submit_button("Add note", type="primary")
        if keep:
            _add(session_key, spot, text.strip())


def _with_tokens(spot: Spot, number: int, at: tuple[int, int] | None) -> Spot:
    """The place with the tokens that the person names, where it is to be some."""
    if spot.turn is None or spot.kind != "span" or spot.start is not None:
        return spot
    last = (spot.turn.prompt_tokens or 1) - 1
    begin = spot.turn.divergence.token if spot.turn.divergence else 0
    left, right = st.columns(2)
    first = left.number_input("First token", 0, last, begin, key=f"note_first_{number}_{at}")
    end = right.number_input("Last token", int(first), last, max(begin, int(first)), key=f"note_last_{number}_{at}")
    return Spot(spot.label, "span", spot.turn, int(first), int(end) + 1)


def show_quote(session_key: int, turn: TurnRecord, start: int, stop: int) -> None:
    """The text of tokens ``[start, stop)`` of a prompt, as far as it fits on a line."""
    ids = state.full_ids(session_key)[turn.turn][start : min(stop, start + MOST_QUOTED)].tolist()
    texts = state.token_bytes(turn.model, ids)
    st.caption(f"“{as_line(excerpt(b''.join(texts.get(token, b'#%d ' % token) for token in ids)))}”")


def _add(session_key: int, spot: Spot, text: str) -> None:
    if not notes_state.author():
        st.error("Give your name first: it stands beside the note.")
    elif not text:
        st.error("Write something first.")
    else:
        try:
            anchor = _anchor(session_key, spot)
            state.repository().annotations.add(session_key, anchor, notes_state.author(), text)
        except (Outdated, ValueError) as error:
            st.error(plain(str(error)))
            return
        notes_state.new_draft()
        st.rerun()


def _anchor(session_key: int, spot: Spot) -> Anchor:
    if spot.turn is None:
        return WHOLE_SESSION
    if spot.start is None or spot.stop is None:
        return anchor_of_turn(spot.turn)
    ids = state.full_ids(session_key)[spot.turn.turn]
    key = state.repository().annotations.key()
    return anchor_of_span(spot.turn, ids, state.token_bytes, spot.start, spot.stop, key, spot.kind)
