"""The sessions of the store with their verdicts, and their sums above the table."""

from collections.abc import Mapping
from dataclasses import replace
from math import fsum
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from analysis.model.prompt import Segment
from analysis.model.record import SessionFigures
from analysis.report.figure_words import UNKNOWN, Figure, share
from analysis.report.verdict import verdict
from analysis.report.words import counted
from app import state

COUNTS = (
    "num_turns", "num_divergences", "prompt_tokens", "known_turns", "known_prompt_tokens", "cached_tokens",
    "reusable_tokens", "missed_tokens", "lost_tokens", "unknown_turns", "mismatched_turns", "text_turns",
    "text_changes", "text_meant", "text_replies", "headless_turns",
)  # fmt: skip
FIGURES = (
    *COUNTS, "causes", "costliest_turn", "costliest_path", "costliest_role", "text_turn", "text_path", "text_role",
    "short_turns",
)  # fmt: skip
Tile = tuple[str, str, str | None, str | None]  # label, figure, note below it, words

TILE_WIDTH = 172  # pixels: six stand in a row at 1,280 pixels, narrower windows wrap them
CHECKED = "prompt tokens that could be checked"
WASTED = "computed although the server had seen them: lost after earlier text changed, or missed though unchanged."


def sessions() -> pd.DataFrame:
    """One row per session, those with most wasted tokens first, with its verdict; not to be changed."""
    return _sessions(state.stamp())


@st.cache_resource(show_spinner=False, max_entries=2)
def _sessions(stamp: state.Stamp) -> pd.DataFrame:
    frame = state.repository().sessions()
    figures = [figures_of(row) for row in frame[list(FIGURES)].to_dict("records")]
    return frame.assign(
        verdict=[verdict(one) for one in figures],
        wasted_tokens=pd.array([wasted(one) for one in figures], dtype="Int64"),
        wasted_share=pd.array([_share(wasted(one), one.prompt_tokens) for one in figures], dtype="Float64"),
        hit_rate=pd.array([one.hit_rate for one in figures], dtype="Float64"),
        causes=[list(map(str, codes)) for codes in frame.causes],
        hit_rates=[list(map(float, rates)) if isinstance(rates, np.ndarray) else [] for rates in frame.hit_rates],
        started=pd.to_datetime(frame.started_at, unit="s", utc=True),
    )


def wasted(sums: SessionFigures) -> int | None:
    """The wasted tokens of a session; None where no token of it is known, or none can be trusted.

    Where the server reported nothing, what was missed is unknown: only what was lost can be said.
    """
    is_known = sums.is_measured and (sums.known_turns > 0 or sums.lost_tokens > 0)
    return sums.wasted_tokens if is_known else None


def _share(part: int | None, whole: int) -> float | None:
    return part / whole if part is not None and whole else None


def figures_of(row: Mapping[str, Any]) -> SessionFigures:
    """A row of the store as the figures of a session."""
    counts = {name: int(row[name]) for name in COUNTS}
    codes = row["causes"]
    return SessionFigures(
        **counts,
        costliest_turn=_turn(row["costliest_turn"]),
        costliest_segment=_segment(row["costliest_path"], row["costliest_role"]),
        text_turn=_turn(row["text_turn"]),
        text_segment=_segment(row["text_path"], row["text_role"]),
        short_turns=tuple(map(int, row["short_turns"])),
        top_cause=str(codes[0]) if isinstance(codes, np.ndarray) and len(codes) else None,
    )


def _turn(number: object) -> int | None:
    return None if pd.isna(number) else int(float(str(number)))


def _segment(path: object, role: object) -> Segment | None:
    return None if pd.isna(path) else Segment(str(path), None, None if pd.isna(role) else str(role))


def totals(frame: pd.DataFrame) -> None:
    """Show sums over the sessions that are listed."""
    with st.container(horizontal=True, gap="small"):
        for label, value, note, words in _tiles(frame):
            st.metric(
                label,
                value,
                delta=note,
                delta_color="off",
                delta_arrow="off",
                border=True,
                height="stretch",
                width=TILE_WIDTH,
                help=words,
            )


def _tiles(frame: pd.DataFrame) -> list[Tile]:
    """The sums; seconds and money where they are known of any."""
    known, prompt = (int(frame[name].sum()) for name in ("known_prompt_tokens", "prompt_tokens"))
    measured = frame[frame.wasted_tokens.notna()]
    wasted_tokens, measured_tokens = int(measured.wasted_tokens.sum()), int(measured.prompt_tokens.sum())
    of_all = f"{share(wasted_tokens / measured_tokens)} of {short(measured_tokens)}" if measured_tokens else None
    rate = share(frame.cached_tokens.sum() / known if known else None)
    wasted_words = short(wasted_tokens) if len(measured) else UNKNOWN
    reported = "Cached over prompt tokens, over the turns whose cached tokens the server reported."
    return [
        ("Sessions", f"{len(frame):,}", None, None),
        ("Prompt tokens", short(prompt), None, f"{prompt:,}"),
        ("Hit rate", rate, _of_some(frame.known_turns > 0), reported),
        (
            "Wasted tokens",
            wasted_words,
            of_all,
            f"{wasted_tokens:,} of {measured_tokens:,} {CHECKED}: {WASTED}" if len(measured) else WASTED.capitalize(),
        ),
        *_costs(frame),
    ]


def _costs(frame: pd.DataFrame) -> list[Tile]:
    """Tiles of wasted seconds and wasted cost, each over the sessions of which it is known."""
    tiles: list[Tile] = []
    for label, column, words in (
        ("Wasted seconds", "wasted_seconds", "Wasted tokens over the prefill rate of the model."),
        ("Wasted cost", "wasted_cost", "What wasted tokens cost more than cached ones, in the currency of Prices."),
    ):
        known = frame[column].dropna()
        if len(known):
            note = _of_some(frame[column].notna())
            total = fsum(known)  # the same in whatever order the sessions stand
            tiles.append((label, f"{total:,.{0 if total >= 1000 else 2}f}", note, words))
    return tiles


def _of_some(is_known: "pd.Series[bool]") -> str | None:
    """Of how many sessions a sum is, where those are neither all nor none."""
    return None if is_known.all() or not is_known.any() else f"of {counted(int(is_known.sum()), 'session')}"


def in_tile(figure: Figure) -> Figure:
    """A figure that fits into its tile; where it is shortened the exact number stands with its words."""
    digits = figure.value.replace(",", "")
    if not digits.isdecimal() or short(int(digits)) == figure.value:
        return figure
    return replace(figure, value=short(int(digits)), words=f"{figure.value}. {figure.words or ''}".rstrip())


def short(count: int) -> str:
    """A count that fits into a tile: from a million on in millions."""
    if count < 1_000_000:
        return f"{count:,}"
    return f"{count / 1e6:,.{2 if count < 10_000_000 else 1}f} M"
