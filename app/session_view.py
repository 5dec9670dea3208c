"""The parts of the session page: verdict, figures, the map with its turn comparison, charts and the table of turns."""

from collections import Counter
from collections.abc import Iterable
from typing import Any

import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from analysis.core.account import computed_again
from analysis.core.incomplete import NAMELESS
from analysis.model.record import SessionRecord, TurnRecord
from analysis.pipeline.record import figures
from analysis.report import figure_words
from analysis.report.figure_words import BASIS, FIDELITY
from analysis.report.text_words import incomplete, parts_at
from analysis.report.verdict import verdict_and_limits
from analysis.report.words import counted, described, reconciled, summary
from app import (
    address,
    case_form,
    charts,
    desk_state,
    marks_view,
    notes_state,
    notes_view,
    plan_view,
    remedy_view,
    renderer_state,
    session_table,
    share_view,
    state,
)
from app.block_map import block_map
from app.browser_words import in_browser
from app.how_to_read import ACCOUNT, MAP, REUSE, how_to_read
from app.markers import clients, markers_of
from app.plain import LONGEST_TITLE, cut, plain
from app.text_view import next_step
from app.turn_view import turn_comparison

PLAN, WHAT_IF, REUSED, PARTS, TURNS = "Fix plan", "What if …", "Reusable against cached", "Token account", "All turns"
FIGURE_WIDTH = 172  # pixels: six stand in a row at 1,280 pixels, narrower windows wrap them


def headline(record: SessionRecord, session_key: int) -> None:
    """Which session, what can be done with it, the verdict, and what is to be done about it."""
    sums = figures(record)
    with st.container(horizontal=True, horizontal_alignment="distribute", vertical_alignment="center", gap="small"):
        st.header(plain(cut(record.session_id, LONGEST_TITLE)), anchor=False, width="content")
        with st.container(horizontal=True, vertical_alignment="center", gap="small", width="content"):
            marks_view.mark_of(session_key)
            _for_engineers(record)
            share_view.share(record, session_key)
    said, limits = verdict_and_limits(sums)
    st.subheader(plain(said), anchor=False)
    if limits:
        st.caption(plain(limits))
    remedy_view.what_to_do(record, sums)
    markers_of(*record.turns)
    if record.turns and all(turn.cached_tokens is None for turn in record.turns):
        st.info(plain(f"Cached tokens are {BASIS[record.turns[0].cached_basis]}."))
    for problem in record.problems:
        line = f", line {problem.line}" if problem.line is not None else ""
        st.warning(plain(f"{problem.file}{line}: {in_browser(problem.message)}"))


def _for_engineers(record: SessionRecord) -> None:
    """Where the session comes from, how its tokens are known, where they went, and what else speaks of them."""
    settings = record.settings
    size = f"block size {settings.block_size} ({settings.block_size_basis})"
    facts = [record.source, record.model or NAMELESS, size]
    facts += [f"{words} ({counted(number, 'turn')})" for words, number in _fidelities(record).items()]
    if record.inferred:
        facts.append("grouped by its messages: the log has no session key")
    if names := clients(record):
        facts.append(f"client {names}")
    with st.popover("For engineers", width="content"):
        st.text(record.session_id)
        st.text(" · ".join(facts))
        if sentence := summary(record):
            st.text(sentence)
        for line in reconciled(record):
            st.text(line)


def _fidelities(record: SessionRecord) -> dict[str, int]:
    """How the tokens of the turns are known, and of how many each."""
    return dict(Counter(FIDELITY.get(turn.fidelity or "", "tokens unknown") for turn in record.turns))


def key_figures(record: SessionRecord) -> None:
    """The session in six numbers."""
    with st.container(horizontal=True, gap="small"):
        for figure in map(session_table.in_tile, figure_words.key_figures(figures(record))):
            st.metric(
                figure.label,
                figure.value,
                delta=figure.note,
                delta_color="off",
                delta_arrow="off",
                help=figure.words,
                width=FIGURE_WIDTH,
            )


def worst_cell(record: SessionRecord) -> tuple[int, int] | None:
    """The turn that wasted most and the block where that begins; None where no turn wasted or diverged."""
    turns = record.turns
    turn = max(turns, key=lambda one: (computed_again(one.account), one.divergence is not None), default=None)
    if turn is None or not (computed_again(turn.account) or turn.divergence):
        return None
    return turn.turn, wasted_from(turn, record.settings.block_size)


def wasted_from(turn: TurnRecord, block_size: int) -> int:
    """The block where what a turn wasted begins."""
    if turn.divergence is not None:
        return turn.divergence.block
    cached = turn.account.cached or 0 if turn.account else 0  # what was missed begins where the hit ends
    return cached // block_size


@st.fragment
def explorer(record: SessionRecord, session_key: int) -> None:
    """The block map and, below it, the turn that is picked in it, and what was written about the session."""
    if notes_state.take_written():
        st.rerun()
    address.settle()
    at = _explored(record, session_key)
    notes_view.notes(record, session_key, at)
    case_form.add_to_case(record, session_key, at)


def _explored(record: SessionRecord, session_key: int) -> tuple[int, int] | None:
    """Show the map and a turn; return that turn and its block, None where none is shown."""
    rows, payload = state.map_rows(session_key)
    at = state.picked(record)
    if not any(rows.num_blocks):
        if any(turn.text for turn in record.turns):
            return None  # they are compared by text below
        remedy = next_step(record.turns, renderer_state.known_renderers().has)
        st.info(plain(f"No turn of this session has known tokens. {remedy}"))
        return None
    block_map(
        payload,
        key=f"map_{session_key}",
        picked=at,
        on_pick=lambda pick: state.pick(pick["turn"], pick["block"]),
        annotated=notes_view.marks(notes_state.placed(record, session_key), record.settings.block_size),
    )
    how_to_read(MAP)
    if at is None:
        at = worst_cell(record)
        if at is None:
            st.info("No turn leaves the turn before it. Click any cell of the map to read its tokens.")
            return None
        st.info("Shown below: the turn that wasted most. Click any cell; after a click in the map, n goes to the next.")
    turn = next(turn for turn in record.turns if turn.turn == at[0])
    turn_comparison(record, session_key, turn, at[1])
    return at


def has_tokens(record: SessionRecord) -> bool:
    """Whether the tokens of any turn are known: without, there is no map, and texts are all there is to compare."""
    return any(turn.account is not None for turn in record.turns)


def details(record: SessionRecord, session_key: int) -> None:
    """Everything else, a tab each: the fix plan in figures, what can be tried, the pictures and the table of turns."""
    is_known = has_tokens(record)
    titles = [
        *([PLAN] if record.plan else []),
        *([WHAT_IF] if any(turn.fidelity is not None for turn in record.turns) else []),
        *([REUSED, PARTS] if is_known else []),
        TURNS,
    ]
    tabs = dict(zip(titles, st.tabs(titles), strict=True))
    if PLAN in tabs:
        with tabs[PLAN]:
            plan_view.plan(record)
    if WHAT_IF in tabs:
        with tabs[WHAT_IF]:
            plan_view.what_if(record, session_key)
    if is_known:
        _pictures(record, tabs[REUSED], tabs[PARTS])
    with tabs[TURNS]:
        _turn_table(record, session_key)


def _pictures(record: SessionRecord, reused: DeltaGenerator, account: DeltaGenerator) -> None:
    """Reusable against cached, and the token account, turn by turn."""
    data = [
        charts.TurnFigures(
            turn.turn, turn.prompt_tokens, turn.reusable_tokens, turn.cached_tokens, turn.ideal_tokens, turn.account
        )
        for turn in record.turns
    ]
    dark = state.is_dark()
    with reused:
        figure = charts.styled(charts.reused_against_reusable(data), dark)
        words = "Reusable tokens (predicted) and cached tokens (reported) by turn"
        st.plotly_chart(figure, key="reused", alt=words, **charts.options("reusable-against-cached"))
        how_to_read(REUSE)
    with account:
        figure = charts.styled(charts.account_bars(data), dark)
        words = "Parts of the token account by turn"
        st.plotly_chart(figure, key="account", alt=words, **charts.options("token-account"))
        how_to_read(ACCOUNT)


def _turn_table(record: SessionRecord, session_key: int) -> None:
    """Every figure of every turn, as a table."""
    written = Counter(turn for turn, _block in notes_view.marks(notes_state.placed(record, session_key), 1))
    frame = turn_table(record.turns, desk_state.chosen_zone())
    frame = frame.assign(Annotations=[written[turn.turn] for turn in record.turns])
    st.dataframe(frame, hide_index=True, placeholder="?", alt="All turns with all token figures")


def turn_table(turns: tuple[TurnRecord, ...], zone: str) -> pd.DataFrame:
    """A row per turn with all that is known of it: counts in tokens, times in a time zone, durations in seconds."""
    return pd.DataFrame(
        {
            "Turn": [turn.turn for turn in turns],
            f"Started ({zone})": pd.to_datetime([turn.started_at for turn in turns], unit="s", utc=True).tz_convert(
                zone
            ),
            "Prompt": _whole(turn.prompt_tokens for turn in turns),
            "Output": _whole(turn.output_tokens for turn in turns),
            "Cached": _whole(turn.cached_tokens for turn in turns),
            "Reusable": _whole(turn.reusable_tokens for turn in turns),
            "Ideal": _whole(turn.ideal_tokens for turn in turns),
            **{
                name.capitalize(): _whole(getattr(turn.account, name) if turn.account else None for turn in turns)
                for name in ("missed", "rounding", "lost", "new")
            },
            "Reusable, not reported": _whole(
                turn.account.reusable_unreported if turn.account else None for turn in turns
            ),
            "Beyond prediction": _whole(turn.account.beyond_prediction if turn.account else None for turn in turns),
            "Divergence": [described(turn.divergence) if turn.divergence else "" for turn in turns],
            "Donor": [f"{turn.donor.session_id} turn {turn.donor.turn}" if turn.donor else "" for turn in turns],
            "By text": [parts_at(turn.text) if turn.text else "" for turn in turns],
            "Salt": [turn.salt or "" for turn in turns],
            "Lineage": [turn.lineage or "" for turn in turns],
            "In the log": [incomplete(turn) or "whole" for turn in turns],
            "Client": [turn.client or "" for turn in turns],
            "First token after (s)": [_seconds(turn.started_at, turn.first_token_at) for turn in turns],
            "Tokens": [FIDELITY.get(turn.fidelity or "", "unknown") for turn in turns],
            "Cached tokens are": [BASIS[turn.cached_basis] for turn in turns],
            "Note": [turn.note or "" for turn in turns],
        }
    )


def _whole(values: Iterable[int | None]) -> Any:
    """A column of whole numbers in which None stays unknown."""
    return pd.array(list(values), dtype="Int64")


def _seconds(start: float | None, stop: float | None) -> float | None:
    """Between two moments; None where one is unknown, or the clock of another machine told it."""
    return None if start is None or stop is None or stop < start else round(stop - start, 3)
