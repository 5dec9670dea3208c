"""The turn comparison: what the previous turn and this one say at one place, token by token."""

import numpy as np
import streamlit as st

from analysis.core.account import lost_in_output
from analysis.core.align import differing
from analysis.model.record import SessionRecord, TurnRecord
from analysis.model.session import TokenIds
from analysis.report.figure_words import account_sentence
from analysis.report.palette import palette
from analysis.report.words import described, fields
from app import state
from app.gap_view import gap
from app.how_to_read import TOKENS, how_to_read
from app.markers import markers_of
from app.plain import plain
from app.text_form import ask_for_texts
from app.token_view import Side, comparison_html, side

BLOCKS_BEFORE = 1
LOOKAHEAD = 8192  # tokens behind the shown ones in which moved content is still recognised
CONTEXTS = {"a little": 4, "more": 16, "much more": 64}  # blocks shown


def turn_comparison(record: SessionRecord, session_key: int, turn: TurnRecord, block: int) -> None:
    """Show a place of a turn beside the same place of the turn before it."""
    size = record.settings.block_size
    ids = state.full_ids(session_key)
    if turn.turn not in ids:
        more = " It is compared by text below." if turn.text else ""
        st.info(f"The tokens of turn {turn.turn} are unknown.{more}")
        return
    st.subheader(plain(_headline(turn, block)), anchor=False)
    markers_of(turn, explained=False)
    if sentence := _sentence(record, turn):
        st.text(sentence)
    if turn.divergence is not None and turn.divergence.segment is not None:
        st.caption(plain(fields(turn.divergence)))
    gap(record, session_key, turn)
    other = _other_turn(record, turn, ids)
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        context = st.segmented_control(
            "Context", list(CONTEXTS), default="a little", key="context", label_visibility="collapsed"
        )
        how_to_read(TOKENS)
    start = max(0, block - BLOCKS_BEFORE) * size
    sides = _sides(turn, other, ids, start, start + CONTEXTS[context or "a little"] * size)
    _tokens(turn, ids, sides, size)
    _beneath(record, turn)


def _tokens(turn: TurnRecord, ids: dict[int, TokenIds], sides: list[Side], size: int) -> None:
    """The tokens of both sides as text, or by their ids with a way to give them their text."""
    first = turn.divergence.token if turn.divergence else None
    texts = state.token_bytes(turn.model, {token for one in sides for token in one.token_ids})
    st.html(comparison_html(sides, texts, size, first, palette(state.is_dark())))
    if not texts:
        ask_for_texts(turn.model, ids)


def _beneath(record: SessionRecord, turn: TurnRecord) -> None:
    """The notes on the turn and its account."""
    for note in turn.notes:
        st.caption(plain(f"{note.evidence[:1].upper()}{note.evidence[1:]} ({note.code})"))
    if turn.account:
        words = account_sentence(turn.account, turn.prompt_tokens or 0)
        in_output = " · the lost tokens stood in the reply of the turn before, its prompt came unchanged"
        st.caption(words + (in_output if lost_in_output(turn, record.turns) else ""))


def _headline(turn: TurnRecord, block: int) -> str:
    found = turn.divergence
    if turn.previous is None:
        return f"Turn {turn.turn}, block {block:,}: the session's first turn"
    if found is None:
        return f"Turn {turn.turn} continues turn {turn.previous.turn} without a change · block {block:,}"
    where = f"Turn {turn.turn} leaves turn {turn.previous.turn} at token {found.token:,} (block {found.block:,})"
    return where if block == found.block else f"{where} · shown: block {block:,}"


def _sentence(record: SessionRecord, turn: TurnRecord) -> str:
    found, donor = turn.divergence, turn.donor
    lines = []
    if found is not None:
        lines.append(f"The first token that differs stands {described(found)}.")
        if found.segment_basis == "searched":
            lines.append("(Field found by searching the decoded text.)")
    if donor is not None and turn.previous is not None and donor.turn != turn.previous.turn:
        lines.append(
            f"What it can reuse is turn {donor.turn} of {donor.session_id}: {donor.lcp_tokens:,} tokens in common."
        )
    previous = next((one for one in record.turns if turn.previous and one.turn == turn.previous.turn), None)
    if previous is not None and previous.salt != turn.salt:
        change = f"{turn.salt or 'no salt'} after {previous.salt or 'no salt'}"
        lines.append(f"Its cache salt is another one ({change}): blocks are shared within one salt only.")
    if previous is not None and previous.model != turn.model:
        lines.append(f"Its model is {turn.model}, after {previous.model}: blocks are shared within one model only.")
    return " ".join(lines)


def _other_turn(record: SessionRecord, turn: TurnRecord, ids: dict[int, TokenIds]) -> TurnRecord | None:
    """The turn to compare with: the previous one or, where the person switches, the donor in this session."""
    previous = turn.previous.turn if turn.previous else None
    donor = turn.donor.turn if turn.donor and turn.donor.session_id == record.session_id else None
    number = previous
    if donor is not None and donor != previous and previous is not None:
        names = {f"previous turn ({previous})": previous, f"donor (turn {donor})": donor}
        chosen = st.segmented_control("Compare with", list(names), default=next(iter(names)), key=f"other_{turn.turn}")
        number = names[chosen] if chosen else previous
    return next((one for one in record.turns if one.turn == number and one.turn in ids), None)


def _sides(turn: TurnRecord, other: TurnRecord | None, ids: dict[int, TokenIds], start: int, stop: int) -> list[Side]:
    """The columns: the other turn's prompt and reply, then this turn's prompt."""
    prompt = ids[turn.turn][: turn.prompt_tokens]
    if other is None:
        return [side(turn, prompt, np.zeros(len(prompt), bool), start, stop, f"Turn {turn.turn}")]
    then = ids[other.turn][: stop + LOOKAHEAD]
    now = prompt[: stop + LOOKAHEAD]
    old_marks, new_marks = differing(then, now)
    return [
        side(other, then, old_marks, start, stop, f"Turn {other.turn}"),
        side(turn, now, new_marks, start, stop, f"Turn {turn.turn}"),
    ]
