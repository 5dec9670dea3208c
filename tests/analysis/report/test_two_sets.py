"""Two sets side by side: shares, causes at one size, and which sessions did the same."""

from dataclasses import replace

import pytest

from analysis.model.baseline import Baseline, Moved, SetFigures, WasteFigures
from analysis.model.settings import Settings
from analysis.report.baseline import baseline_of
from analysis.report.two_sets import Member, added, causes_moved, members_in, moved, shares, tasks
from tests.sample_store import record_of

SILENT = baseline_of([record_of("12")], Settings())  # its server reported nothing
STRIPPED = baseline_of([record_of("02")], Settings())


def side(checked: int, reported: int | None = None, **causes: int) -> Baseline:
    """A set that wasted these tokens of so many prompt tokens; the first letter of a name stands for its family."""
    codes = {"t_order": "tools/order", "k_salt": "key/cache-salt", "unexplained": "unexplained"}
    waste = WasteFigures(checked, checked, 0, checked if reported is None else reported, 0, 0, 0)
    return Baseline({}, SetFigures(1, 0, 0, 0, 0), {}, {codes[name]: tokens for name, tokens in causes.items()}, waste)


def member(key: int | None, session_id: str, cached: int, opening: int | None = None, is_named: bool = True) -> Member:
    return Member(key, session_id, is_named, opening, SetFigures(1, 0, 0, 100, cached))


def test_every_share_of_a_sample_is_over_what_is_known() -> None:
    found = {one.name: one for one in shares(STRIPPED, SILENT)}
    turns = record_of("02").turns
    prompt = sum(turn.prompt_tokens or 0 for turn in turns)
    reported = sum(turn.cached_tokens or 0 for turn in turns)
    assert found["hit rate"] == Moved("hit rate", pytest.approx(100 * reported / prompt), None)
    assert found["wasted"].before == pytest.approx(100 * 2176 / prompt) and found["wasted"].after is None
    assert found["lost"].after == 0 and found["missed"].after is None, "lost text needs no word of the server"
    assert found["ideal share"].before > found["reusable share"].before


def test_a_file_without_waste_knows_none() -> None:
    found = {one.name: one.before for one in shares(replace(STRIPPED, waste=None), STRIPPED)}
    assert found["hit rate"] is not None
    assert [found[name] for name in ("ideal share", "wasted", "lost", "missed")] == [None] * 4
    (cause,) = causes_moved(replace(STRIPPED, waste=None), STRIPPED)
    assert cause.tokens == (2176, 2176) and cause.rate.before is None and cause.fate == "unknown"


@pytest.mark.parametrize(
    ("before", "after", "tokens", "fate"),
    [
        pytest.param(side(1000), side(1000, t_order=50), (0, 50), "gained", id="gained"),
        pytest.param(side(1000, t_order=50), side(1000), (50, 0), "gone", id="gone"),
        pytest.param(side(1000, t_order=50), side(1000, t_order=60), (50, 60), "grown", id="grown"),
        pytest.param(
            side(1000, t_order=50), side(9000, t_order=60), (50, 60), "shrunk", id="more tokens, a larger set"
        ),
        pytest.param(side(1000, t_order=50), side(2000, t_order=100), (50, 100), "unchanged", id="twice the set"),
        pytest.param(side(1000, k_salt=50), side(1000, 0), (50, None), "unknown", id="missed, and nothing reported"),
        pytest.param(side(1000, t_order=50), side(1000, 0), (50, 0), "gone", id="lost, and nothing reported"),
        pytest.param(side(1000, 500, k_salt=50), side(1000, k_salt=50), (50, 50), "shrunk", id="reported for a half"),
        pytest.param(side(1000, unexplained=5), side(1000, 0), (5, None), "unknown", id="unexplained may be missed"),
        pytest.param(side(1000, t_order=5), side(0), (5, None), "unknown", id="nothing is known of a set"),
    ],
)
def test_causes_are_held_against_each_other_at_one_size(
    before: Baseline, after: Baseline, tokens: tuple[int, int | None], fate: str
) -> None:
    (cause,) = causes_moved(before, after)
    assert (cause.tokens, cause.fate) == (tokens, fate)


def test_what_costs_most_more_stands_first_and_the_unknown_last() -> None:
    found = causes_moved(side(1000, t_order=90, k_salt=10), side(1000, t_order=10, k_salt=60, unexplained=20))
    assert [one.code for one in found] == ["key/cache-salt", "unexplained", "tools/order"]
    assert found[0].rate == Moved("key/cache-salt", 10, 60)
    silent = causes_moved(side(1000, t_order=90, k_salt=10), side(1000, 0))
    assert [one.code for one in silent] == ["tools/order", "key/cache-salt"]


def test_sessions_of_one_id_then_of_one_first_prompt_did_the_same() -> None:
    before = [member(1, "a", 90, 7), member(2, "b", 50, 8), member(3, "inferred-0001", 80, 9, False)]
    after = [member(4, "a", 60, 9), member(5, "c", 55, 8), member(6, "inferred-0001", 10, 5, False)]
    found = tasks(before, after)
    assert [(one.name, one.basis, one.worst.change) for one in found] == [
        ("a", "session id", -30),
        ("c", "first prompt", 5),
    ], "an id that was made up is no name, and 4 is taken by its id"
    assert moved(found) == found


def test_several_sessions_of_one_task_are_added_up() -> None:
    before = [member(1, "x", 90, 7), member(2, "y", 70, 7)]
    (task,) = tasks(before, [member(3, "z", 80, 7)])
    assert (task.hit_rate, len(task.before)) == (Moved("hit rate", 80, 80), 2)
    assert moved([task]) == ()


def test_what_stands_in_both_sets_moved_nowhere() -> None:
    both = member(1, "a", 90)
    assert tasks([both], [both]) == ()
    (task,) = tasks([both, member(2, "a", 50)], [both, member(3, "a", 40)])
    assert [len(one) for one in (task.before, task.after)] == [1, 1]
    assert tasks([member(None, "a", 90)], [member(None, "a", 90)]), "a file has no keys: it is matched by its ids"


def test_nothing_adds_up_to_nothing() -> None:
    assert added([]) == SetFigures(0, 0, 0, 0, 0)
    assert added([SetFigures(1, 2, 3, 4, 5), SetFigures(1, 1, 1, 1, 1)]) == SetFigures(2, 3, 4, 5, 6)


def test_members_of_a_baseline_are_named_where_the_log_gave_the_id() -> None:
    kept = baseline_of([record_of("03"), replace(record_of("02"), session_id="inferred-0001")], Settings())
    assert [(one.key, one.session_id, one.is_named) for one in members_in(kept)] == [
        (None, record_of("03").session_id, True),
        (None, "inferred-0001", False),
    ]
