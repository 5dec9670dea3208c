"""Prices and prefill rates by model: given by a person, or measured from the log where it says when tokens came."""

from collections.abc import Iterable, Mapping

import pandas as pd
import streamlit as st

from analysis.core.price import Price, Rates
from app import desk_state, state, visitors
from app.plain import plain

PARTS = ("uncached", "cached", "output")
EDITOR = "rates"


@st.dialog("Prices and speeds", width="large")
def rates_dialog(models: Iterable[str]) -> None:
    """The dialog: a row per model; what is left empty is not known."""
    st.caption(
        "Prices are per million tokens, in any one currency. The prefill rate is in computed tokens a second: an empty"
        " one is measured where the log says when the first token came. Without either, seconds and money stay unknown."
    )
    desk = state.repository().desk
    frame = rates_frame(models, desk.rates(), desk_state.measured_speeds())
    column = st.column_config
    number = {"min_value": 0.0, "width": 100}
    edited = st.data_editor(
        frame,
        key=EDITOR,
        hide_index=True,
        disabled=["model", "measured"] if visitors.may_write() else True,
        column_config={
            "model": column.TextColumn("Model", width=200, pinned=True),
            "uncached": column.NumberColumn("Uncached", **number, help="Prompt tokens that are computed."),
            "cached": column.NumberColumn("Cached", **number, help="Prompt tokens from the cache."),
            "output": column.NumberColumn("Output", **number),
            "prefill": column.NumberColumn("Prefill rate", **number, help="Computed tokens a second."),
            "measured": column.NumberColumn("measured", format="%.0f", width=90, help="From the logs in the store."),
        },
    )
    if not visitors.may_write():
        return
    if st.button("Save", type="primary"):
        given, lacking = rates_in(edited)
        if lacking:
            st.error(plain(f"Give all three prices, or none, for {', '.join(lacking)}."))
        else:
            desk.set_rates(given)
            st.rerun()


def rates_frame(models: Iterable[str], rates: Mapping[str, Rates], measured: Mapping[str, float]) -> pd.DataFrame:
    """A row per model that is in the store or has rates; NA where nothing is given or measured."""
    rows = []
    for model in sorted({*models, *rates}):
        known = rates.get(model, Rates())
        prices = [getattr(known.price, part) if known.price else None for part in PARTS]
        rows.append((model, *prices, known.prefill, measured.get(model)))
    frame = pd.DataFrame(rows, columns=["model", *PARTS, "prefill", "measured"])
    return frame.astype(dict.fromkeys([*PARTS, "prefill", "measured"], "Float64"))


def rates_in(frame: pd.DataFrame) -> tuple[dict[str, Rates], list[str]]:
    """The rates that a table says, and the models with some of the three prices and not all."""
    given, lacking = {}, []
    for row in frame.to_dict("records"):
        prices = [None if pd.isna(row[part]) else float(row[part]) for part in PARTS]
        known = [price for price in prices if price is not None]
        if known and len(known) < len(PARTS):
            lacking.append(str(row["model"]))
            continue
        prefill = None if pd.isna(row["prefill"]) or not row["prefill"] else float(row["prefill"])
        given[str(row["model"])] = Rates(Price(*known) if known else None, prefill)
    return {model: rates for model, rates in given.items() if rates != Rates()}, lacking
