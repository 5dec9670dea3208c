"""The verdict on two sets: which is worse, by how much, why, and what the figures do not say."""

import pytest

from analysis.model.baseline import Baseline, SetFigures, WasteFigures
from analysis.model.settings import Settings
from analysis.report.baseline import baseline_of
from analysis.report.set_verdict import verdict
from tests.sample_store import record_of


def sample(start: str) -> Baseline:
    return baseline_of([record_of(start)], Settings())


def side(cached: int | None, reusable: int, lost: int = 0, missed: int = 0, **causes: int) -> Baseline:
    """A set of 1,000 prompt tokens; without ``cached`` its server reported nothing."""
    codes = {"order": "tools/order", "eviction": "capacity/eviction"}
    known = 0 if cached is None else 1000
    waste = WasteFigures(1000, 1000, lost, known, missed, 0, 0)
    figures = SetFigures(1, 1000, reusable, known, cached or 0)
    return Baseline({}, figures, {}, {codes[name]: tokens for name, tokens in causes.items()}, waste)


def test_the_worse_set_by_how_much_and_the_cause_that_costs_most() -> None:
    assert verdict(sample("01"), sample("02")) == [
        "Set B is worse: its hit rate is 89.7%, 1.8 percentage points below the 91.5% of set A.",
        "What costs most: the chat template strips earlier reasoning (template/reasoning-stripped), 45.6 wasted of"
        " every 1,000 prompt tokens, 0.0 in set A.",
    ]


def test_swapped_sets_have_the_same_verdict_with_other_names() -> None:
    first, why = verdict(sample("02"), sample("01"))
    assert first.startswith("Set A is worse: its hit rate is 89.7%, 1.8 percentage points below the 91.5% of set B.")
    assert why.endswith("45.6 wasted of every 1,000 prompt tokens, 0.0 in set B.")


def test_the_same_is_no_difference() -> None:
    assert verdict(sample("02"), sample("02")) == [
        "No difference: the hit rate is 89.7% in both sets.",
        "No cause wastes more or less in one of them.",
    ]
    found = verdict(side(800, 800, lost=20, order=20), side(800, 800))
    assert found[1] == "The causes differ all the same: the tools came in another order (tools/order) is gone."


def test_a_silent_server_leaves_what_could_be_reused() -> None:
    found = verdict(side(None, 800), side(700, 600, lost=200, order=200))
    assert found == [
        "Set B is worse: its reusable share is 60.0%, 20.0 percentage points below the 80.0% of set A.",
        "The hit rate is unknown in set A, so what could be reused is compared.",
        "What costs most: the tools came in another order (tools/order), 200.0 wasted of every 1,000 prompt tokens,"
        " 0.0 in set A.",
    ]


def test_what_may_cost_most_is_named_where_the_other_set_is_silent() -> None:
    assert verdict(sample("12"), sample("07"))[2:] == [
        "What costs most: the cache salt changed (key/cache-salt), 578.2 wasted of every 1,000 prompt tokens, in set A"
        " it is unknown.",
    ], "and nothing is said of how much of the difference is waste"


def test_a_small_difference_is_called_one() -> None:
    found = verdict(side(800, 800), side(795, 800))
    assert found[0] == "Hardly a difference: set B's hit rate is 79.5%, 0.5 percentage points below the 80.0% of set A."


def test_nothing_known_is_no_verdict() -> None:
    nothing = Baseline({}, SetFigures(3, 0, 0, 0, 0), {}, {})
    said, remedy = verdict(nothing, sample("01"))
    assert said == "It cannot be told which set is worse." and "--enable-prompt-tokens-details" in remedy


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        pytest.param(side(800, 800), side(600, 600), "But none of it is waste: most", id="no waste at all"),
        pytest.param(
            side(800, 800), side(600, 600, lost=50, order=50), "But only 5.0 of the 20.0 points are waste", id="a part"
        ),
    ],
)
def test_other_tasks_are_no_fault(before: Baseline, after: Baseline, said: str) -> None:
    assert any(said in sentence for sentence in verdict(before, after))


def test_a_server_that_did_not_hit_is_told_from_requests_that_changed() -> None:
    evicted = verdict(side(800, 800), side(600, 800, missed=200, eviction=200))
    assert evicted[-1].startswith("What could be reused did not fall with it, so it is the server that did not hit")
    edited = verdict(side(800, 800), side(600, 600, lost=200, order=200))
    assert not any("it is the server" in sentence for sentence in edited)


def test_waste_that_no_cause_owns_up_to_is_said() -> None:
    without = Baseline({}, SetFigures(1, 0, 0, 1000, 800), {}, {})
    found = verdict(without, side(600, 600))
    assert found[1] == "What was wasted is not known on both sides, so no cause can be named."
