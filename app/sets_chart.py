"""What causes cost in two sets, as pairs of bars: a figure from numbers, nothing else.

The second set is hatched as well as coloured; what is not known is a question mark and no bar.
"""

from collections.abc import Sequence
from html import escape

import plotly.graph_objects as go

from analysis.model.baseline import Moved
from analysis.report.figure_words import UNKNOWN
from analysis.report.palette import Palette, palette
from analysis.report.two_sets import NAMES, PER, CauseMoved

MOST_CAUSES = 10  # drawn; the table has all
LONGEST = 60  # characters of a name
_ROW_HEIGHT, _FRAME = 46, 84  # pixels


def drawn(causes: Sequence[CauseMoved]) -> list[CauseMoved]:
    """The causes worth a bar: those that differ most or are not known on one side, dearest in the second set first."""
    differing = [one for one in causes if one.fate != "unchanged"]
    most = sorted(differing, key=lambda one: (-_weight(one.rate), one.code))[:MOST_CAUSES]
    return [one for one in causes if one in most]


def _weight(rate: Moved) -> float:
    """How far apart the sides are; where one is not known, what the other costs."""
    return abs(rate.change if rate.change is not None else (rate.before or rate.after or 0.0))


def cause_bars(causes: Sequence[CauseMoved], dark: bool) -> go.Figure:
    """Two bars per cause, wasted tokens per 1,000 prompt tokens, the first cause on top."""
    colours = palette(dark)
    figure = go.Figure()
    codes = [escape(one.code[:LONGEST]) for one in causes]  # a file may name causes as it likes
    for index, name in enumerate(NAMES):
        rates = [(one.rate.before, one.rate.after)[index] for one in causes]
        figure.add_trace(
            go.Bar(
                x=rates,
                y=codes,
                name=f"set {name}",
                orientation="h",
                marker=_marker(index, colours),
                text=[_label(one, index) for one in causes],
                textposition="outside",
                cliponaxis=False,
                hovertemplate=f"set {name}: %{{x:,.1f}} tokens<extra>%{{y}}</extra>",
            )
        )
        for code, rate in zip(codes, rates, strict=True):
            if rate is None:
                figure.add_annotation(**_mark(code, index))
    return figure.update_layout(_layout(len(causes), colours))


def _label(one: CauseMoved, index: int) -> str:
    """The figure at the end of a bar; at that of the second set also what became of the cause."""
    rate = (one.rate.before, one.rate.after)[index]
    if rate is None:
        return ""
    return f"{rate:,.1f}  {one.fate}" if index and one.fate != "unknown" else f"{rate:,.1f}"


def _mark(code: str, index: int) -> dict[str, object]:
    shift = 10 if index == 0 else -10  # pixels: where its bar would be
    return {"x": 0, "y": code, "text": UNKNOWN, "showarrow": False, "xanchor": "left", "xshift": 4, "yshift": shift}


def _marker(index: int, colours: Palette) -> dict[str, object]:
    hatch = {"shape": "/" if index else "", "fgcolor": colours.background, "size": 6, "solidity": 0.25}
    return {"color": colours.series[index], "line": {"width": 0}, "pattern": hatch | {"fillmode": "overlay"}}


def _layout(num_causes: int, colours: Palette) -> dict[str, object]:
    axis = {"gridcolor": colours.grid, "zerolinecolor": colours.grid, "linecolor": colours.grid, "automargin": True}
    return {
        "barmode": "group",
        "height": _FRAME + _ROW_HEIGHT * num_causes,
        "autosize": True,
        "margin": {"l": 8, "r": 90, "t": 8, "b": 8},
        "bargap": 0.25,
        "paper_bgcolor": colours.background,
        "plot_bgcolor": "rgba(0,0,0,0)",
        "font": {"color": colours.text, "size": 12},
        "hoverlabel": {"bgcolor": colours.background, "bordercolor": colours.grid, "font": {"color": colours.text}},
        "showlegend": True,
        "legend": {"orientation": "h", "yanchor": "bottom", "y": 1.0, "x": 0, "traceorder": "normal"},
        "dragmode": False,
        "xaxis": axis | {"title": {"text": f"wasted tokens per {PER:,} prompt tokens"}, "rangemode": "tozero"},
        "yaxis": axis | {"autorange": "reversed", "showgrid": False},
    }
