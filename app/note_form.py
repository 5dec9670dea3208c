"""The form that adds a note: at the session, a turn, a divergence, a block or any tokens of a prompt."""

from dataclasses import dataclass

import streamlit as st

from analysis.model.annotation import Anchor, Kind
from analysis.model.record import SessionRecord, TurnRecord
from analysis.pipeline.annotating import WHOLE_SESSION, anchor_of_span, anchor_of_turn, divergence_span
from app import notes_state, state
from app.name_form import name_field, take_name, who_writes
from app.note_text import MOST_CHARACTERS, MOST_QUOTED, as_line, excerpt
from app.refusals import Refused, kept, refusal

NEW = "new_note"


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
        if _asks_for_tokens(spot):
            _token_fields(spot, number, at)
        spot = _chosen(number, at)
        if spot.turn is not None and spot.start is not None and spot.stop is not None:
            show_quote(session_key, spot.turn, spot.start, spot.stop)
        who_writes("note")
        with st.form(f"note_new_{number}", border=False):
            name_field(f"note_{number}")
            st.text_area(
                "Note, in Markdown", key=f"note_new_text_{number}", max_chars=MOST_CHARACTERS, height=120,
                placeholder="What you see here, what you asked, what you changed",
            )  # fmt: skip
            st.form_submit_button("Add note", type="primary", on_click=kept, args=(NEW, _add, session_key, number, at))
        refusal(NEW)


def _asks_for_tokens(spot: Spot) -> bool:
    """Whether the person names the tokens."""
    return spot.kind == "span" and spot.start is None


def _token_fields(spot: Spot, number: int, at: tuple[int, int] | None) -> None:
    turn = spot.turn
    assert turn is not None
    last = (turn.prompt_tokens or 1) - 1
    begin = turn.divergence.token if turn.divergence else 0
    left, right = st.columns(2)
    first = left.number_input("First token", 0, last, begin, key=f"note_first_{number}_{at}")
    right.number_input("Last token", int(first), last, max(begin, int(first)), key=f"note_last_{number}_{at}")


def _chosen(number: int, at: tuple[int, int] | None) -> Spot:
    """The place as the fields say it now: a press may come before the page was drawn with the last choice."""
    spot: Spot = st.session_state[f"note_about_{number}_{at}"]
    if not _asks_for_tokens(spot):
        return spot
    first, last = (st.session_state.get(f"note_{end}_{number}_{at}") for end in ("first", "last"))
    if first is None or last is None:
        return spot
    return Spot(spot.label, spot.kind, spot.turn, int(first), max(int(first), int(last)) + 1)


def show_quote(session_key: int, turn: TurnRecord, start: int, stop: int) -> None:
    """The text of tokens ``[start, stop)`` of a prompt, as far as it fits on a line."""
    ids = state.full_ids(session_key)[turn.turn][start : min(stop, start + MOST_QUOTED)].tolist()
    texts = state.token_bytes(turn.model, ids)
    st.caption(f"“{as_line(excerpt(b''.join(texts.get(token, b'#%d ' % token) for token in ids)))}”")


def _add(session_key: int, number: int, at: tuple[int, int] | None) -> None:
    if number != notes_state.draft_number():
        return  # the second press of a double click: the note is kept already
    text = st.session_state[f"note_new_text_{number}"].strip()
    take_name(f"note_{number}")
    if not text:
        raise Refused("Write something first.")
    anchor = _anchor(session_key, _chosen(number, at))
    state.repository().annotations.add(session_key, anchor, notes_state.author(), text)
    notes_state.new_draft()
    notes_state.was_written()


def _anchor(session_key: int, spot: Spot) -> Anchor:
    if spot.turn is None:
        return WHOLE_SESSION
    if spot.start is None or spot.stop is None:
        return anchor_of_turn(spot.turn)
    ids = state.full_ids(session_key).get(spot.turn.turn)
    if ids is None:
        raise Refused("The tokens of this turn have been forgotten meanwhile: the note was not kept.")
    key = state.repository().annotations.key()
    try:
        return anchor_of_span(spot.turn, ids, state.token_bytes, spot.start, spot.stop, key, spot.kind)
    except ValueError as error:  # the prompt is shorter since its log was read again
        raise Refused(str(error)) from error
