"""Prices and prefill rates by model: given by a person, or measured from the log where it says when tokens came."""

from collections.abc import Iterable, Mapping, Sequence

import pandas as pd
import streamlit as st

from analysis.core.price import Price, Rates
from app import desk_state, state, tables, visitors

PARTS = ("uncached", "cached", "output")
UNNAMED = "(no model named)"


@st.dialog("Prices and speeds", width="large")
def rates_dialog(models: Iterable[str]) -> None:
    """The dialog: what is known of every model, and the fields to give it; what is left empty is not known."""
    st.caption(
        "Prices are per million tokens, in any one currency. The prefill rate is in computed tokens a second: an empty"
        " one is measured where the log says when the first token came. Without either, seconds and money stay unknown."
    )
    desk = state.repository().desk
    rates = desk.rates()
    frame = rates_frame(models, rates, desk_state.measured_speeds())
    _table(frame)
    if not visitors.may_write():
        return
    chosen = st.multiselect("Models", frame.model, frame.model[:1], format_func=lambda name: name or UNNAMED)
    given = _fields(common(chosen, rates), str(chosen))
    if not st.button("Save prices", type="primary", disabled=not chosen):
        return
    if isinstance(given, str):
        st.error(given)
    else:
        desk.set_rates(rates | dict.fromkeys(chosen, given))
        st.rerun()


def _table(frame: pd.DataFrame) -> None:
    column = st.column_config
    st.dataframe(
        frame,
        hide_index=True,
        height=tables.height(len(frame), 248),
        placeholder="?",
        alt="Prices and prefill rates by model",
        column_config={
            "model": column.TextColumn("Model", width=200, pinned=True),
            "uncached": column.NumberColumn("Uncached", width=100, help="Prompt tokens that are computed."),
            "cached": column.NumberColumn("Cached", width=100, help="Prompt tokens from the cache."),
            "output": column.NumberColumn("Output", width=100),
            "prefill": tables.count("Prefill rate", 100),
            "measured": column.NumberColumn("measured", format="%.0f", width=90, help="From the logs in the store."),
        },
    )


def _fields(known: Rates, chosen: str) -> Rates | str:
    """Fields with what is known; what they say, or what is wrong with it."""
    places = st.columns(4)
    values = [getattr(known.price, part) if known.price else None for part in PARTS]
    labels = ("Uncached", "Cached", "Output")
    prices = [
        place.number_input(f"{label}, per million", 0.0, value=value, key=f"{label}_{chosen}", format="%.4g")
        for place, label, value in zip(places, labels, values, strict=False)
    ]
    rate = places[3].number_input(
        "Prefill rate", 0.0, value=known.prefill, key=f"prefill_{chosen}", format="%.6g", placeholder="measured"
    )
    return rates_of(prices, rate)


def rates_of(prices: Sequence[float | None], prefill: float | None) -> Rates | str:
    """The rates in three prices, uncached, cached and output, and a rate; what is wrong where a price is not whole."""
    known = [price for price in prices if price is not None]
    if known and len(known) < len(PARTS):
        return "Give all three prices, or none."
    return Rates(Price(*known) if known else None, prefill or None)


def common(models: Sequence[str], rates: Mapping[str, Rates]) -> Rates:
    """The rates that all of these models have; nothing where they differ."""
    found = {rates.get(model, Rates()) for model in models}
    return found.pop() if len(found) == 1 else Rates()


def rates_frame(models: Iterable[str], rates: Mapping[str, Rates], measured: Mapping[str, float]) -> pd.DataFrame:
    """A row per model that is in the store or has rates; NA where nothing is given or measured."""
    rows = []
    for model in sorted({*models, *rates}):
        known = rates.get(model, Rates())
        prices = [getattr(known.price, part) if known.price else None for part in PARTS]
        rows.append((model, *prices, known.prefill, measured.get(model)))
    frame = pd.DataFrame(rows, columns=["model", *PARTS, "prefill", "measured"])
    return frame.astype(dict.fromkeys([*PARTS, "prefill", "measured"], "Float64"))
