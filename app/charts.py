"""Charts of a session, turn by turn: figures from numbers, nothing else.

Every trace says in ``meta["role"]`` what it shows; ``styled`` gives each role its colour, so a figure can be styled
again for the other theme.  What is not known is a gap with a mark of its own, never a zero.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import plotly.graph_objects as go

from analysis.core.account import STATE_OF_PART
from analysis.model.finding import Account, PartName
from analysis.model.plan import PlanStep
from analysis.report.palette import HATCHED, Palette, palette

# From the first token of a prompt to the last: what was not reported stands where cached and missed would.
_PARTS: tuple[tuple[PartName, str, Callable[[Account], int | None]], ...] = (
    ("cached", "cached", lambda account: account.cached),
    ("missed", "missed", lambda account: account.missed),
    ("unreported", "reusable, not reported", lambda account: account.reusable_unreported),
    ("rounding", "rounding", lambda account: account.rounding),
    ("lost", "lost", lambda account: account.lost),
    ("new", "new", lambda account: account.new),
)

# The legend names the reported parts first.
_LEGEND_RANK: dict[PartName, int] = {"cached": 1, "missed": 2, "rounding": 3, "lost": 4, "new": 5, "unreported": 6}

_HEIGHT = 320  # pixels
_PICTURE_WIDTH = 1200  # pixels of a picture that is saved, twice as many on disk
_FEW_TURNS = 8  # fewer do not fill the width with bars like walls
_MANY_TURNS = 60  # more leave no room for full-size markers
_BAR_SHARE = 0.82


@dataclass(frozen=True, slots=True)
class TurnFigures:
    """The token figures of one turn; None where they are unknown.  ``turn`` is 1-based."""

    turn: int
    prompt_tokens: int | None
    reusable_tokens: int | None
    cached_tokens: int | None
    ideal_tokens: int | None
    account: Account | None


def reused_against_reusable(turns: Sequence[TurnFigures]) -> go.Figure:
    """Per turn: what Whymiss predicts could be reused, against the ``cached_tokens`` that the server reported."""
    numbers = [turn.turn for turn in turns]
    prompts = [turn.prompt_tokens for turn in turns]
    traces = [
        _bars("prompt", "prompt", numbers, prompts),
        _bars("reported", "cached_tokens (reported)", numbers, [turn.cached_tokens for turn in turns]),
    ]
    ideal = [turn.ideal_tokens for turn in turns]
    if _any_known(ideal):
        traces.append(_line("ideal", "had the session only grown", numbers, ideal, visible="legendonly"))
    traces.append(_line("predicted", "reusable (predicted)", numbers, [turn.reusable_tokens for turn in turns]))
    silent = [turn.turn for turn in turns if turn.cached_tokens is None]
    traces.append(_absence("cached_tokens not reported", silent))
    return _figure(traces, numbers, "overlay")


def account_bars(turns: Sequence[TurnFigures]) -> go.Figure:
    """The token account of every turn as stacked parts that add up to its prompt."""
    numbers = [turn.turn for turn in turns]
    traces: list[go.Bar | go.Scatter] = []
    for part, words, tokens_of in _PARTS:
        tokens = [tokens_of(turn.account) if turn.account else None for turn in turns]
        if any(tokens):
            traces.append(_bars(part, words, numbers, tokens, legendrank=_LEGEND_RANK[part]))
    unknown = [turn.turn for turn in turns if turn.account is None]
    traces.append(_absence("tokens unknown, no account", unknown))
    return _figure(traces, numbers, "stack")


def plan_staircase(plan: Sequence[PlanStep]) -> go.Figure:
    """Reusable tokens of the whole session as it was sent and after each step of its fix plan."""
    verified = [step for step in plan if step.after is not None]
    sums = [step.before for step in verified[:1]] + [step.after for step in verified if step.after]
    numbers = list(range(len(sums)))
    prompts = _bars("prompt", "prompt", numbers, [one.prompt for one in sums])
    stairs = _line("predicted", "reusable (predicted)", numbers, [one.reusable for one in sums])
    stairs.update(line={"shape": "hvh"})
    names = ["as sent", *(f"{plan.index(step) + 1}. {step.code.partition('/')[2]}" for step in verified)]
    axis = {"tickprefix": "", "tickmode": "array", "tickvals": numbers, "ticktext": names}
    return _figure([prompts, stairs], numbers, "overlay", axis)


def options(name: str, height: int = _HEIGHT, without: Sequence[str] = ()) -> dict[str, Any]:
    """How a chart is shown: its button saves a PNG of this name that is sharp and wide enough for a slide or an issue.

    The picture is drawn in the browser; no host is asked.  ``without``: buttons of plotly's that it does not get.
    """
    picture = {"format": "png", "filename": f"whymiss-{name}", "width": _PICTURE_WIDTH, "height": height + 100}
    config = {"displaylogo": False, "toImageButtonOptions": picture | {"scale": 2}}
    if without:
        config["modeBarButtonsToRemove"] = list(without)
    return {"width": "stretch", "theme": None, "config": config}


def styled(figure: go.Figure, dark: bool) -> go.Figure:
    """The same figure in the colours of a theme, on the background of its page; changes it in place.

    On no background a saved picture of the dark theme could not be read.
    """
    colours = palette(dark)
    for trace in figure.data:
        trace.update(_trace_style(trace.meta["role"], colours))
    axis = {"gridcolor": colours.grid, "zerolinecolor": colours.grid, "linecolor": colours.grid}
    figure.update_layout(
        paper_bgcolor=colours.background,
        plot_bgcolor="rgba(0,0,0,0)",
        font={"color": colours.text, "size": 12},
        hoverlabel={"bgcolor": colours.background, "bordercolor": colours.grid, "font": {"color": colours.text}},
        modebar={"bgcolor": colours.background},
        xaxis=axis,
        yaxis=axis,
    )
    return figure


def _trace_style(role: str, colours: Palette) -> dict[str, Any]:
    """Predicted is hollow, reported is filled: they differ in shape as well as in colour."""
    match role:
        case "prompt":
            return {"marker": {"color": "rgba(0,0,0,0)", "line": {"color": colours.prompt, "width": 1}}}
        case "reported":
            return {"marker": {"color": colours.reported, "opacity": 0.8, "line": {"width": 0}}}
        case "predicted" | "ideal":
            hollow = {"color": colours.background, "line": {"color": colours.predicted, "width": 1.5}}
            return {"marker": hollow, "line": {"color": colours.predicted}}
        case "absent":
            return {"marker": {"color": colours.text}}
    return _part_style(role, colours)


def _part_style(part: PartName, colours: Palette) -> dict[str, Any]:
    marker: dict[str, Any] = {"color": colours.part(part), "line": {"width": 0}}
    if STATE_OF_PART[part] in HATCHED:
        marker["pattern"] = {"shape": "/", "fgcolor": colours.hatch, "size": 6, "solidity": 0.35, "fillmode": "overlay"}
        marker["pattern"]["bgcolor"] = colours.part(part)
    return {"marker": marker}


def _bars(role: str, words: str, turns: list[int], tokens: list[int | None], **options: Any) -> go.Bar:
    return go.Bar(x=turns, y=tokens, name=words, meta={"role": role}, hovertemplate=_hover(words), **options)


def _line(role: str, words: str, turns: list[int], tokens: list[int | None], **options: Any) -> go.Scatter:
    size = 7 if len(turns) <= _MANY_TURNS else 4
    return go.Scatter(
        x=turns,
        y=tokens,
        name=words,
        meta={"role": role},
        mode="lines+markers",
        line={"width": 1.5, "dash": "dot" if role == "ideal" else "solid"},
        marker={"size": size, "symbol": "diamond" if role == "ideal" else "circle"},
        hovertemplate=_hover(words),
        **options,
    )


def _absence(words: str, turns: list[int]) -> go.Scatter:
    """Marks on an axis of their own along the foot of the chart, so no one reads them as zero tokens."""
    return go.Scatter(
        x=turns,
        y=[0.03] * len(turns),
        yaxis="y2",
        name=words,
        meta={"role": "absent"},
        mode="markers",
        marker={"symbol": "x-thin-open", "size": 7 if len(turns) <= _MANY_TURNS else 5, "line": {"width": 1.5}},
        hovertemplate=f"{words}<extra></extra>",
        visible=bool(turns),
    )


def _hover(words: str) -> str:
    return f"{words}: %{{y:,}} tokens<extra></extra>"


def _figure(
    traces: Sequence[go.Bar | go.Scatter], turns: list[int], barmode: str, turn_axis: dict[str, Any] | None = None
) -> go.Figure:
    """Traces with the axes, legend and hover that all charts share, in no theme's colours yet.

    Made at one go: plotly takes five times as long to change the layout of a figure.
    """
    bar_share = _BAR_SHARE * min(1, max(1, len(turns)) / _FEW_TURNS)
    layout = {
        "barmode": barmode,
        "height": _HEIGHT,
        "autosize": True,
        "margin": {"l": 8, "r": 8, "t": 8, "b": 8},
        "bargap": 1 - bar_share,
        "hovermode": "x unified",
        "showlegend": True,
        "legend": {"orientation": "h", "yanchor": "bottom", "y": 1.02, "x": 0, "traceorder": "normal"},
        "xaxis": _turn_axis(turns) | (turn_axis or {}),
        "yaxis": _token_axis(traces),
        "yaxis2": {"overlaying": "y", "range": [0, 1], "visible": False, "fixedrange": True},
    }
    return go.Figure(traces, layout)


def _turn_axis(turns: list[int]) -> dict[str, Any]:
    """Turn numbers; the prefix is shown on the first tick only, and in every hover label."""
    axis: dict[str, Any] = {
        "showgrid": False,
        "tickformat": "d",
        "tickprefix": "turn ",
        "showtickprefix": "first",
        "automargin": True,
    }
    if turns:
        axis["range"] = [min(turns) - 0.5, max(turns) + 0.5]
    if 0 < len(turns) <= _FEW_TURNS:
        axis["dtick"] = 1
    return axis


def _token_axis(traces: Sequence[go.Bar | go.Scatter]) -> dict[str, Any]:
    is_known = any(_any_known(trace.y) for trace in traces if trace.yaxis is None)
    axis = {"title": {"text": "tokens"}, "rangemode": "tozero", "tickformat": "~s", "automargin": True}
    # An invented scale beside nothing but "unknown" marks would look like numbers.
    return axis if is_known else axis | {"range": [0, 1], "showticklabels": False}


def _any_known(values: Iterable[int | None]) -> bool:
    return any(value is not None for value in values)
