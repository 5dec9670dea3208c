"""A server that cut the prompt, told apart from a wrong tokenizer."""

from dataclasses import replace
from typing import Any

import pytest

from analysis.causes.truncation import truncated
from analysis.model.finding import TurnAnalysis
from analysis.model.session import Usage
from tests.builders import tokens
from tests.evidence import logged


def turn(rendered: int, counted: int | None, fidelity: Any) -> TurnAnalysis:
    made = replace(logged(tokens(range(rendered))), usage=Usage(counted))
    return TurnAnalysis(made, rendered, fidelity=fidelity)


@pytest.mark.parametrize(
    ("now", "previous", "cut"),
    [
        pytest.param(turn(2000, 1000, "mismatch"), turn(1900, 1900, "exact"), True, id="half of it"),
        pytest.param(turn(2000, 1950, "mismatch"), turn(1900, 1900, "exact"), False, id="a little below"),
        pytest.param(turn(2000, 1000, "mismatch"), turn(1900, 950, "mismatch"), False, id="a wrong tokenizer"),
        pytest.param(turn(2000, 1000, "mismatch"), None, False, id="the first turn"),
        pytest.param(turn(1000, 800, "mismatch"), turn(1900, 1900, "exact"), False, id="a shorter request"),
        pytest.param(turn(2000, None, "approximate"), turn(1900, 1900, "exact"), False, id="not counted"),
    ],
)
def test_truncated(now: TurnAnalysis, previous: TurnAnalysis | None, cut: bool) -> None:
    found = truncated(now, previous)
    assert (found is not None) is cut
    assert found is None or ("2,000" in found.evidence and "1,000" in found.evidence)
