"""Turns compared by text alone: the table of them, and where one leaves the turn before it, side by side.

Approximate, in messages and characters.  Text of a log is untrusted: everything is escaped.
"""

import html
import re
from collections.abc import Callable, Sequence
from difflib import SequenceMatcher

import pandas as pd
import streamlit as st

from analysis.core.incomplete import NO_MODEL, incomplete
from analysis.model.finding import TextComparison, TextDivergence
from analysis.model.record import SessionRecord, TurnRecord
from analysis.pipeline.record import figures
from analysis.report.palette import Palette, palette
from analysis.report.text_words import equal, parts_at
from analysis.report.token_text import VISIBLE, shown
from analysis.report.words import in_words
from app import renderer_state, state, tables
from app.gap_view import card
from app.markers import markers_of
from app.plain import plain
from app.token_view import STYLE, variables

NEWLINE = "\n"
SHORTEST_MATCH = 12  # characters
MOST_ROWS = 8  # shown without scrolling


def by_text(record: SessionRecord) -> None:
    """The turns whose tokens are unknown; nothing where there are none that can be compared."""
    turns = [turn for turn in record.turns if turn.text is not None]
    if not turns:
        return
    st.subheader("Compared by text", anchor=False)
    st.caption(
        "Approximate: these turns have no tokens, so they are compared by the text of their requests, in messages and"
        " characters. Whether a chat template prints what changed is not known."
    )
    left, right = st.columns([5, 1], vertical_alignment="center")
    left.info(plain(next_step(turns, renderer_state.known_renderers().has)))
    right.page_link("../pages/models.py", label="Models")
    chosen = _table(turns)
    if chosen is not None:
        state.pick(chosen, 0)
    turn = next((one for one in turns if one.turn == state.picked_turn()), None)
    worst = figures(record).text_turn
    turn = turn or next((one for one in turns if one.turn == worst), turns[0])
    text_comparison(turn)


def next_step(turns: Sequence[TurnRecord], has_renderer: Callable[[str], bool]) -> str:
    """What a person can do to get tokens for these turns."""
    if said := incomplete(turns):
        return said
    lacking = list(dict.fromkeys(turn.model for turn in turns if not has_renderer(turn.model)))
    if names := ", ".join(filter(None, lacking)):
        return f"For tokens and blocks choose a renderer for {names} on the page Models."
    if lacking:
        return NO_MODEL
    return "There is a renderer for this model now: have its logs analysed again on the page Models."


def text_comparison(turn: TurnRecord) -> None:
    """One turn beside the one before it, with its causes."""
    found = turn.text
    assert found is not None
    st.markdown(f"#### {plain(headline(turn.turn, found))}")
    markers_of(turn, explained=False)
    st.caption(plain(equal(found).capitalize() + "."))
    for cause in turn.causes:
        card(cause)
    if found.divergence is not None:
        st.html(text_html(found.divergence, found.previous, turn.turn, palette(state.is_dark())))
        here, before = found.divergence.segment.path, found.divergence.previous_segment.path
        st.caption(plain(f"field: {here}" if here == before else f"field: {here} · before: {before}"))
    for note in turn.notes:
        st.caption(plain(f"{note.code}: {note.evidence}"))


def headline(number: int, found: TextComparison) -> str:
    """What the comparison of a turn says, in one line."""
    if found.divergence is None:
        return f"Turn {number} only continues turn {found.previous}"
    return f"Turn {number} leaves turn {found.previous} {parts_at(found)}"


def text_html(found: TextDivergence, previous: int, number: int, colours: Palette) -> str:
    """The text before a divergence with what followed it then and now, in two columns."""
    then, now = (re.split(r"(\s+)", text) for text in (found.old, found.new))
    blocks = SequenceMatcher(None, then, now, autojunk=False).get_matching_blocks()
    same = [block for block in blocks if not block.size or _is_telling("".join(then[block.a : block.a + block.size]))]
    old = _marked(then, [(block.a, block.size) for block in same])
    new = _marked(now, [(block.b, block.size) for block in same])
    columns = _side(f"Turn {previous}", found.before, old) + _side(f"Turn {number}", found.before, new)
    return (
        f"<style>{STYLE}</style><div class='wm-sides wm-2' style='{variables(colours)}'>{columns}</div>"
        "<p class='wm-sub'>yellow: not in the other request here · cut to what stands around the change</p>"
    )


def _is_telling(text: str) -> bool:
    """Whether a text that both sides have is long enough not to be the same by chance."""
    return len(text.strip()) >= SHORTEST_MATCH


def _marked(words: Sequence[str], same: Sequence[tuple[int, int]]) -> str:
    """Words as HTML, those outside of the runs ``same`` (start, length) marked."""
    done, pieces = 0, []
    for start, size in same:
        pieces += [_piece("".join(words[done:start]), True), _piece("".join(words[start : start + size]), False)]
        done = start + size
    return "".join(pieces)


def _side(title: str, before: str, after: str) -> str:
    rest = after or "<span class='wm-none'>(ends here)</span>"
    return (
        f"<section class='wm-side' aria-label='{html.escape(title, quote=True)}'><h4>{html.escape(title)}</h4>"
        f"<div class='wm-text'>{visible(before)}{rest}</div></section>"
    )


def _piece(text: str, differs: bool) -> str:
    """A piece of text; the blanks around one that differs are shown, since they may be all of it."""
    if not text or not differs:
        return visible(text)
    start, stop = len(text) - len(text.lstrip(" ")), len(text.rstrip(" "))
    blank = VISIBLE[" "]
    written = blank * start + visible(text[start:stop]) + blank * (len(text) - max(start, stop))
    return f"<mark class='wm-x'>{written}</mark>"


def visible(text: str) -> str:
    """Text as HTML: escaped, its lines kept, whatever cannot be seen shown as an escape; blanks stay blanks."""
    lines = (
        " ".join(shown(word.encode("utf-8", "surrogatepass")) for word in line.split(" ")) for line in text.split("\n")
    )
    return f"{VISIBLE[NEWLINE]}<br>".join(map(html.escape, lines))


def _table(turns: list[TurnRecord]) -> int | None:
    """Show the turns; return the number of the one that was clicked."""
    column = st.column_config
    event = st.dataframe(
        rows(turns),
        key=f"text_{state.table_number()}",
        hide_index=True,
        height=tables.height(min(len(turns), MOST_ROWS)),
        on_select="rerun",
        selection_mode="single-row",
        alt="Turns compared by text; select one to see where it parts",
        column_config={
            "turn": column.NumberColumn("Turn", width=55, pinned=True),
            "parts": column.TextColumn("Leaves the turn before it", width=330),
            "causes": column.ListColumn("What happened", width=270),
            "same": column.ProgressColumn("Same from the front", format="percent", min_value=0, max_value=1, width=130),
            "messages": tables.count("Same messages", 110),
            "characters": tables.count("Same characters", 115),
            "before": tables.count("of", 80),
            "lineage": column.TextColumn("Lineage", width=100),
        },
    )
    chosen = event.selection.rows
    return turns[chosen[0]].turn if chosen else None


def rows(turns: list[TurnRecord]) -> pd.DataFrame:
    """One row per turn that was compared by text."""
    compared = [(turn, turn.text) for turn in turns if turn.text is not None]
    return pd.DataFrame(
        {
            "turn": [turn.turn for turn, _found in compared],
            "parts": [parts_at(found) if found.divergence else "" for _turn, found in compared],
            "causes": [[in_words(cause.code) for cause in turn.causes] for turn, _found in compared],
            "same": [found.equal_chars / max(1, found.previous_chars) for _turn, found in compared],
            "messages": [found.equal_messages for _turn, found in compared],
            "characters": [found.equal_chars for _turn, found in compared],
            "before": [found.previous_chars for _turn, found in compared],
            "lineage": [turn.lineage or "" for turn, _found in compared],
        }
    )
