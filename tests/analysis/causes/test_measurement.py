"""Notes on what was not measured: where they stand and where they must not."""

from dataclasses import replace
from typing import get_args

import pytest

from analysis.causes.base import Evidence
from analysis.causes.measurement import USAGE_MISSING, WHY, explain
from analysis.model.finding import Note, TurnAnalysis
from analysis.model.session import CachedBasis, Usage
from tests.builders import turn, user


def said(usage: Usage) -> list[Note]:
    found = list(explain(Evidence(TurnAnalysis(replace(turn(user("hi")), usage=usage), 10), None)))
    assert all(isinstance(one, Note) for one in found), "an unknown is no fault"
    return [one for one in found if isinstance(one, Note)]


@pytest.mark.parametrize(
    ("basis", "remedy"),
    [
        pytest.param("disabled", "--enable-prompt-tokens-details", id="switched off"),
        pytest.param("omitted", "0 or unknown", id="left out by an older server"),
        pytest.param("not-recorded", "include_usage", id="not in the log"),
    ],
)
def test_an_unknown_count_names_its_reason(basis: CachedBasis, remedy: str) -> None:
    (note,) = said(Usage(100, 10, None, basis))
    assert note.code == USAGE_MISSING and remedy in note.evidence


@pytest.mark.parametrize("cached", [0, 96])
def test_a_reported_count_needs_no_note(cached: int) -> None:
    assert said(Usage(100, 10, cached, "reported")) == []


def test_every_way_not_to_know_has_its_words() -> None:
    assert set(WHY) == set(get_args(CachedBasis)) - {"reported"}
