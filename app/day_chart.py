"""Wasted tokens per day as stacked bars: a figure from numbers, nothing else.

Every series has a hatching of its own beside its colour, so it is told apart without colours too.
"""

import pandas as pd
import plotly.graph_objects as go

from analysis.report.palette import palette

HATCHES = ("", "/", "x", ".", "\\", "-", "+", "|")
HEIGHT = 260  # pixels
NO_USE = ("zoom2d", "pan2d", "zoomIn2d", "zoomOut2d", "autoScale2d", "resetScale2d")  # where a click picks a day
_DAY = 86_400_000  # milliseconds
_FEW_DAYS = 6  # fewer do not fill the width with bars like walls


def day_bars(table: pd.DataFrame, dark: bool) -> go.Figure:
    """Stacked bars of a table with one row per day and one column per name, in the colours of a theme."""
    colours = palette(dark)
    figure = go.Figure()
    for index, name in enumerate(table.columns):
        hatch = {"shape": HATCHES[index % len(HATCHES)], "fgcolor": colours.background, "size": 6, "solidity": 0.25}
        figure.add_trace(
            go.Bar(
                x=[str(day) for day in table.index],
                y=table[name].tolist(),
                name=str(name),
                width=_DAY * 0.8,
                marker={
                    "color": colours.series[index % len(colours.series)],
                    "line": {"width": 0},
                    "pattern": hatch | {"fillmode": "overlay"},
                },
                hovertemplate="%{y:,} tokens<extra>%{fullData.name}</extra>",
            )
        )
    return figure.update_layout(_layout(table, colours.text, colours.grid, colours.background))


def _layout(table: pd.DataFrame, text: str, grid: str, background: str) -> dict[str, object]:
    axis = {"gridcolor": grid, "zerolinecolor": grid, "linecolor": grid, "automargin": True}
    days = {"type": "date", "showgrid": False, "tickformat": "%a %d %b", "hoverformat": "%A %Y-%m-%d"}
    if 0 < len(table) <= _FEW_DAYS:
        first, last = pd.Timestamp(min(table.index)), pd.Timestamp(max(table.index))
        spare = max(1, _FEW_DAYS - (last - first).days) / 2
        days |= {"range": [str(first - pd.Timedelta(days=spare)), str(last + pd.Timedelta(days=spare))], "dtick": _DAY}
    return {
        "barmode": "stack",
        "height": HEIGHT,
        "autosize": True,
        "margin": {"l": 8, "r": 8, "t": 8, "b": 8},
        "paper_bgcolor": background,
        "plot_bgcolor": "rgba(0,0,0,0)",
        "modebar": {"bgcolor": background},
        "font": {"color": text, "size": 12},
        "hovermode": "x unified",
        "hoverlabel": {"bgcolor": background, "bordercolor": grid, "font": {"color": text}},
        "showlegend": True,
        "legend": {"orientation": "h", "yanchor": "bottom", "y": 1.02, "x": 0, "traceorder": "normal"},
        "clickmode": "event+select",
        "dragmode": False,
        "xaxis": axis | days,
        "yaxis": axis | {"title": {"text": "wasted tokens"}, "rangemode": "tozero", "tickformat": "~s"},
    }
