from collections.abc import Callable, Sequence
from dataclasses import replace

import plotly.graph_objects as go
import pytest

from analysis.model.finding import Account
from analysis.report.palette import DARK, LIGHT
from app.charts import TurnFigures, account_bars, options, plan_staircase, reused_against_reusable, styled
from tests.sample_store import record_of

Chart = Callable[[Sequence[TurnFigures]], go.Figure]

CHARTS = [reused_against_reusable, account_bars]

FIRST = TurnFigures(1, 633, 0, 0, None, Account(0, 0, 0, 0, 633, None, 0))
MISSED = TurnFigures(2, 2006, 1968, 0, 1968, Account(0, 1968, 6, 0, 32, None, 0))
SILENT = TurnFigures(3, 2168, 1232, None, 2048, Account(None, None, 7, 890, 39, 1232, 0))
UNKNOWN = TurnFigures(4, None, None, None, None, None)
TURNS = [FIRST, MISSED, SILENT, UNKNOWN]


def by_role(figure: go.Figure) -> dict[str, go.Bar | go.Scatter]:
    return {trace.meta["role"]: trace for trace in figure.data}


def long_session(num_turns: int) -> list[TurnFigures]:
    account = Account(160, 0, 4, 0, 36, None, 0)
    return [TurnFigures(turn, 200, 160, 160, 160, account) for turn in range(1, num_turns + 1)]


def test_reported_against_predicted() -> None:
    traces = by_role(reused_against_reusable(TURNS))
    assert list(traces["predicted"].y) == [0, 1968, 1232, None]
    assert list(traces["reported"].y) == [0, 0, None, None], "not reported is a gap, a reported 0 is 0"
    assert list(traces["prompt"].y) == [633, 2006, 2168, None]
    assert list(traces["ideal"].y) == [None, 1968, 2048, None]
    assert isinstance(traces["reported"], go.Bar)
    assert traces["predicted"].mode == "lines+markers"


def test_not_reported_is_marked_apart_from_the_token_axis() -> None:
    absent = by_role(reused_against_reusable(TURNS))["absent"]
    assert list(absent.x) == [3, 4]
    assert absent.yaxis == "y2"
    assert "not reported" in absent.hovertemplate


def test_account_parts_stack_up_to_the_prompt() -> None:
    figure = account_bars(TURNS)
    assert figure.layout.barmode == "stack"
    bars = [trace for trace in figure.data if isinstance(trace, go.Bar)]
    for index, turn in enumerate(TURNS):
        parts = [trace.y[index] for trace in bars if trace.y[index] is not None]
        assert sum(parts) == (turn.prompt_tokens or 0)


def test_account_parts_follow_the_prompt_and_leave_out_what_never_occurs() -> None:
    assert list(by_role(account_bars(TURNS))) == ["missed", "unreported", "rounding", "lost", "new", "absent"]
    assert list(by_role(account_bars([FIRST]))) == ["new", "absent"]


def test_account_legend_names_reported_parts_first() -> None:
    turns = [*TURNS, TurnFigures(5, 200, 160, 160, 160, Account(160, 0, 4, 0, 36, None, 0))]
    bars = [trace for trace in account_bars(turns).data if isinstance(trace, go.Bar)]
    legend = [trace.meta["role"] for trace in sorted(bars, key=lambda trace: trace.legendrank)]
    assert legend == ["cached", "missed", "rounding", "lost", "new", "unreported"]


def test_unreported_part_is_hatched() -> None:
    traces = by_role(styled(account_bars(TURNS), dark=False))
    assert traces["unreported"].marker.pattern.shape == "/"
    assert traces["missed"].marker.pattern.shape is None


def test_turns_without_an_account_are_marked() -> None:
    absent = by_role(account_bars(TURNS))["absent"]
    assert list(absent.x) == [4]
    assert absent.visible


@pytest.mark.parametrize("chart", CHARTS)
@pytest.mark.parametrize("num_turns", [0, 1, 3, 70, 200])
def test_any_length(chart: Chart, num_turns: int) -> None:
    figure = chart(long_session(num_turns))
    assert 0 < figure.layout.bargap < 1
    if num_turns:
        assert tuple(figure.layout.xaxis.range) == (0.5, num_turns + 0.5)


@pytest.mark.parametrize("chart", CHARTS)
def test_nothing_known_shows_marks_and_no_invented_scale(chart: Chart) -> None:
    figure = chart([UNKNOWN])
    assert list(by_role(figure)["absent"].x) == [4]
    assert figure.layout.yaxis.showticklabels is False


@pytest.mark.parametrize("chart", CHARTS)
def test_every_figure_says_tokens_and_turn(chart: Chart) -> None:
    figure = chart(TURNS)
    assert figure.layout.yaxis.title.text == "tokens"
    assert figure.layout.xaxis.tickprefix == "turn "
    assert figure.layout.hovermode == "x unified"
    for trace in figure.data:
        if trace.meta["role"] != "absent":
            assert "tokens" in trace.hovertemplate


@pytest.mark.parametrize("dark, colours", [(False, LIGHT), (True, DARK)])
def test_styled_colours_by_role(dark: bool, colours: object) -> None:
    traces = by_role(styled(reused_against_reusable(TURNS), dark))
    assert traces["reported"].marker.color == colours.reported
    assert traces["predicted"].line.color == colours.predicted
    assert traces["predicted"].marker.color == colours.background, "hollow"
    figure = styled(account_bars(TURNS), dark)
    assert by_role(figure)["missed"].marker.color == colours.states["missed"]
    assert figure.layout.paper_bgcolor == colours.background, "a saved picture has a background"
    assert figure.layout.font.color == colours.text


def test_restyling_leaves_nothing_of_the_other_theme() -> None:
    for chart in CHARTS:
        assert styled(styled(chart(TURNS), dark=True), dark=False) == styled(chart(TURNS), dark=False)


def test_the_staircase_of_a_plan() -> None:
    plan = record_of("06").plan
    figure = plan_staircase(plan)
    traces = by_role(figure)
    assert list(traces["predicted"].y) == [384, 11_984, 13_168, 14_224]
    assert traces["predicted"].line.shape == "hvh"
    assert list(traces["prompt"].y) == [15_742, *(step.after.prompt for step in plan if step.after)]
    assert list(figure.layout.xaxis.ticktext) == ["as sent", "1. client-timestamp", "2. order", "3. history-edited"]


def test_a_step_that_was_not_verified_is_no_stair() -> None:
    first, second, third = record_of("06").plan
    unknown = replace(second, after=None, reason="no knob")
    figure = plan_staircase((first, unknown, replace(third, before=second.before)))
    assert list(by_role(figure)["predicted"].y) == [384, 11_984, 14_224]
    assert list(figure.layout.xaxis.ticktext) == ["as sent", "1. client-timestamp", "3. history-edited"]


def test_a_chart_is_saved_under_a_name_of_its_own() -> None:
    config = options("token-account")["config"]
    assert config["toImageButtonOptions"] == {
        "format": "png", "filename": "whymiss-token-account", "width": 1200, "height": 420, "scale": 2,
    }  # fmt: skip
