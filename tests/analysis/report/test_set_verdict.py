"""The verdict on two sets: which is worse, by how much, why, and what the figures do not say."""

from dataclasses import replace

import pytest

from analysis.model.baseline import Baseline, SetFigures, WasteFigures
from analysis.model.settings import Settings
from analysis.report import set_verdict
from analysis.report.baseline import baseline_of
from analysis.report.two_sets import members_in
from tests.sample_store import record_of

NUM_SESSIONS = 4


def verdict(before: Baseline, after: Baseline) -> list[str]:
    """The verdict on two sets whose sessions are those of their baselines."""
    return set_verdict.verdict(before, after, (members_in(before), members_in(after)))


def sample(start: str) -> Baseline:
    """A set of sessions that are all as the one of a sample."""
    record = record_of(start)
    return baseline_of([replace(record, session_id=f"s{number}") for number in range(NUM_SESSIONS)], Settings())


def side(cached: int | None, reusable: int, lost: int = 0, missed: int = 0, **causes: int) -> Baseline:
    """A set of four sessions of 1,000 prompt tokens each; without ``cached`` its server reported nothing."""
    codes = {"order": "tools/order", "eviction": "capacity/eviction"}
    known, n = (0 if cached is None else 1000), NUM_SESSIONS
    waste = WasteFigures(n * 1000, n * 1000, n * lost, n * known, n * missed, 0, 0)
    one = SetFigures(1, 1000, reusable, known, cached or 0)
    whole = SetFigures(n, n * 1000, n * reusable, n * known, n * (cached or 0))
    sessions = {f"s{number}": one for number in range(n)}
    return Baseline({}, whole, sessions, {codes[name]: n * tokens for name, tokens in causes.items()}, waste)


def few(baseline: Baseline, count: int) -> Baseline:
    """The same figures as those of fewer sessions."""
    return replace(baseline, sessions=dict(list(baseline.sessions.items())[:count]))


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
        "It is unknown which set is worse: the server reported no cached_tokens in set A.",
        "What could be reused is known: the reusable share is 80.0% in set A and 60.0% in set B.",
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
    nothing = Baseline({}, SetFigures(3, 0, 0, 0, 0), {"s": SetFigures(3, 0, 0, 0, 0)}, {})
    said, remedy = verdict(nothing, sample("01"))
    assert said == "It is unknown which set is worse." and "--enable-prompt-tokens-details" in remedy


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
    without = replace(side(800, 800), waste=None)
    found = verdict(without, side(600, 600))
    assert found[1] == "What was wasted is not known on both sides, so no cause can be named."


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        pytest.param(few(side(800, 800), 1), side(600, 600), "set A has 1 session of which the hit", id="one session"),
        pytest.param(side(800, 800), few(side(600, 600), 2), "set B has 2 sessions of which the hit", id="two"),
        pytest.param(
            few(side(800, 800), 1), few(side(600, 600), 1), "set A has 1 session and set B has 1 session", id="both"
        ),
        pytest.param(few(side(800, 800), 2), side(800, 800), "set A has 2 sessions", id="no difference"),
    ],
)
def test_few_sessions_are_no_verdict(before: Baseline, after: Baseline, said: str) -> None:
    first, values, *_more = verdict(before, after)
    assert first.startswith(f"Too little to tell which set is worse: {said}") and first.endswith("it may be chance.")
    assert values.startswith("The hit rate is 80.0% in ")
    assert not any(" is worse: its" in one or "No difference" in one for one in (first, values))


def test_a_difference_of_one_session_is_no_verdict_and_names_it() -> None:
    after = side(800, 800)
    whole = SetFigures(4, 4000, 3200, 4000, 2400)  # three as before, one that hit nothing
    after = replace(after, whole=whole, sessions={**after.sessions, "s3": SetFigures(1, 1000, 800, 1000, 0)})
    assert verdict(side(800, 800), after)[:2] == [
        "Too little to tell which set is worse: the difference hangs on one session.",
        "The hit rate is 80.0% in set A and 60.0% in set B; without session s3 the hit rate is 80.0% in set A and 80.0%"
        " in set B.",
    ]


def test_what_cost_most_is_said_of_few_sessions_too() -> None:
    said = verdict(few(side(800, 800), 1), side(600, 600, lost=200, order=200))
    assert said[-1].startswith("What costs most: the tools came in another order (tools/order), 200.0 wasted of every")


def test_a_silent_server_and_few_sessions_are_both_said() -> None:
    first, values, doubt = verdict(few(side(None, 800), 1), side(700, 600))
    assert first.startswith("It is unknown which set is worse: ") and values.startswith("What could be reused is known")
    assert doubt.startswith("Too little to tell which set is worse: set A has 1 session of which the reusable share is")
