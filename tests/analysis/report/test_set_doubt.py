"""When a difference between two sets says nothing: too few sessions of it, or one session that makes it."""

import pytest

from analysis.model.baseline import SetFigures
from analysis.report.baseline import HIT_RATE, REUSABLE
from analysis.report.set_doubt import LEAST_SESSIONS, LONGEST_NAME, hangs_on_one, too_few
from analysis.report.two_sets import Member


def members(*cached: int | None, first: int = 1, size: int = 100) -> list[Member]:
    """Sessions by how much of their prompts was cached; None is one of which the server reported nothing."""
    sums = [SetFigures(1, size, 50, 0 if n is None else size, n or 0) for n in cached]
    return [Member(key, f"s{key}", True, None, figures) for key, figures in enumerate(sums, first)]


MANY = members(90, 80, 85, first=100)


def test_a_session_of_which_nothing_is_known_does_not_count() -> None:
    side = members(50, 60, None)
    assert too_few(HIT_RATE, (MANY, side)) == (
        "set B has 2 sessions of which the hit rate is known, and with fewer than 3 it may be chance"
    )
    assert too_few(REUSABLE, (MANY, side)) is None, "what could be reused is known of all three"
    assert too_few(HIT_RATE, (MANY, members(*[50] * LEAST_SESSIONS))) is None
    assert "set A has 0 sessions and set B has 1 session" in str(too_few(HIT_RATE, ([], members(1))))


@pytest.mark.parametrize(
    ("after", "said"),
    [
        pytest.param(members(40, 50, 45), None, id="all are worse"),
        pytest.param(members(90, 80, 85, 0), "without session s4 the hit rate is 85.0% in set A and 85.0%", id="one"),
        pytest.param(members(95, 90, 95, 0), "without session s4 the hit rate is 85.0% in set A and 93.3%", id="turn"),
        pytest.param([*members(95, 95, 95), *members(10, first=9, size=9000)], "without session s9", id="a long one"),
        pytest.param(members(90, 80, 85, 40, 40), None, id="two of them"),
    ],
)
def test_the_session_that_makes_the_difference_is_named(after: list[Member], said: str | None) -> None:
    found = hangs_on_one(HIT_RATE, (MANY, after))
    assert found is None if said is None else found is not None and found.startswith(said)


def test_a_session_of_both_sets_is_left_out_of_both() -> None:
    both = Member(7, "both", True, None, SetFigures(1, 900, 0, 900, 0))
    before, after = [*members(*[90] * 5), both], [*members(*[40] * 5, first=100), both]
    assert hangs_on_one(HIT_RATE, (before, after)) is None, "left out of set B alone it would turn the difference round"
    alone = hangs_on_one(HIT_RATE, (before, after[:-1]))
    assert alone == "without session both the hit rate is 90.0% in set A and 40.0% in set B"


def test_sessions_of_two_files_are_other_ones_though_their_ids_are_the_same() -> None:
    before, after = ([Member(None, one.session_id, True, None, one.figures) for one in MANY] for _ in range(2))
    assert hangs_on_one(HIT_RATE, (before, [*after, *members(0)])) is not None
    assert hangs_on_one(HIT_RATE, (before, after)) is not None, "no difference does not hold without any of them"


def test_a_long_name_is_cut() -> None:
    long = Member(1, "x" * 500, True, None, SetFigures(1, 100, 0, 100, 0))
    found = str(hangs_on_one(HIT_RATE, (MANY, [*members(90, 80, 85, first=2), long])))
    assert found.startswith(f"without session {'x' * LONGEST_NAME}… the hit rate")


def test_what_is_unknown_without_a_session_is_no_figure() -> None:
    found = str(hangs_on_one(HIT_RATE, (MANY, [*members(None, None), *members(10, first=9)])))
    assert found == "without session s9 the hit rate is 85.0% in set A and ? in set B"
