"""Time to the first token against computed tokens, turn by turn, with the prefill rate that they show.

Only turns of which the log says when the first token came, and the server how much it reused.
"""

from dataclasses import dataclass
from statistics import median

import plotly.graph_objects as go
import streamlit as st

from analysis.core.price import FEWEST_TURNS, prefill_rate
from analysis.model.record import SessionRecord
from analysis.pipeline.record import figures
from analysis.report.words import counted
from app import state
from app.charts import options, styled

_HEIGHT = 320  # pixels


@dataclass(frozen=True, slots=True)
class TimedTurn:
    """A turn with its computed tokens and the seconds from its start to its first token."""

    turn: int
    computed_tokens: int
    seconds: float


def timed_turns(record: SessionRecord) -> list[TimedTurn]:
    """The turns of which both are known."""
    return [
        TimedTurn(turn.turn, turn.prompt_tokens - turn.cached_tokens, turn.first_token_at - turn.started_at)
        for turn in record.turns
        if turn.prompt_tokens is not None
        and turn.cached_tokens is not None
        and turn.first_token_at is not None
        and turn.started_at is not None
        and turn.first_token_at >= turn.started_at
    ]


def latency(record: SessionRecord) -> None:
    """Show the turns, folded; nothing where the log does not say when tokens came."""
    turns = timed_turns(record)
    if not turns:
        return
    rate = prefill_rate([(one.computed_tokens, one.seconds) for one in turns])
    with st.expander(f"Time to the first token against computed tokens ({counted(len(turns), 'turn')})"):
        st.markdown(said(record, turns, rate))
        st.plotly_chart(
            styled(latency_figure(turns, rate), state.is_dark()),
            key="latency",
            **options("time-to-first-token"),
            alt="Seconds to the first token against computed tokens, one mark per turn",
        )


def said(record: SessionRecord, turns: list[TimedTurn], rate: float | None) -> str:
    """The rate in words, and what was wasted in seconds; or why there is none."""
    if rate is None:
        return (
            f"No prefill rate: it takes {FEWEST_TURNS} turns with a time, of which the longest prefill is twice the"
            " shortest and waits longer."
        )
    wasted = figures(record).wasted_tokens
    words = f"These turns compute {rate:,.0f} tokens a second."
    return (
        f"{words} The {wasted:,} wasted tokens of the session took about {wasted / rate:,.1f} s." if wasted else words
    )


def latency_figure(turns: list[TimedTurn], rate: float | None) -> go.Figure:
    """A mark per turn; the line is the measured rate behind the wait that half of the turns have besides."""
    figure = go.Figure()
    figure.add_trace(
        go.Scatter(
            x=[one.computed_tokens for one in turns],
            y=[one.seconds for one in turns],
            customdata=[one.turn for one in turns],
            name="turn (reported)",
            meta={"role": "reported"},
            mode="markers",
            marker={"size": 8},
            hovertemplate="turn %{customdata}: %{x:,} computed tokens, %{y:.2f} s<extra></extra>",
        )
    )
    if rate is not None:
        figure.add_trace(_rate_line(turns, rate))
    return figure.update_layout(
        height=_HEIGHT,
        autosize=True,
        margin={"l": 8, "r": 8, "t": 8, "b": 8},
        legend={"orientation": "h", "yanchor": "bottom", "y": 1.02, "x": 0},
        showlegend=True,
        xaxis={"title": {"text": "computed tokens"}, "rangemode": "tozero", "tickformat": "~s", "automargin": True},
        yaxis={"title": {"text": "seconds"}, "rangemode": "tozero", "automargin": True},
    )


def _rate_line(turns: list[TimedTurn], rate: float) -> go.Scatter:
    """The seconds that the rate alone would take, over the wait that is half of the turns' besides."""
    besides = median(one.seconds - one.computed_tokens / rate for one in turns)
    ends = [min(one.computed_tokens for one in turns), max(one.computed_tokens for one in turns)]
    return go.Scatter(
        x=ends,
        y=[besides + end / rate for end in ends],
        name=f"{rate:,.0f} tokens a second (measured)",
        meta={"role": "ideal"},
        mode="lines",
        line={"width": 1.5, "dash": "dot"},
        hoverinfo="skip",
    )
