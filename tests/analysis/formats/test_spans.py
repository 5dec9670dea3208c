"""Trees of spans: who repeats whom, and whose call is a sub-agent's."""

import pytest

from analysis.formats.spans import NESTED, NOTHING, Branch, SpanTree

AGENT = {"agent": "planner"}


def tree(*branches: Branch) -> SpanTree:
    return SpanTree({branch.span_id: branch for branch in branches})


@pytest.mark.parametrize(
    ("branches", "left_out"),
    [
        pytest.param([Branch("a", None, (9, 1)), Branch("b", "a", (9, 1))], {"a"}, id="the same counts"),
        pytest.param([Branch("a", None, (None, None)), Branch("b", "a", (9, 1))], {"a"}, id="no counts of its own"),
        pytest.param(
            [Branch("a", None, (9, 3)), Branch("b", "a", (4, 1)), Branch("c", "a", (5, 2))], {"a"}, id="the sum of them"
        ),
        pytest.param([Branch("a", None, (9, 1)), Branch("b", "a", (8, 1))], set(), id="other counts"),
        pytest.param(
            [Branch("a", None, (9, 1)), Branch("s", "a"), Branch("b", "s", (9, 1))], {"a"}, id="a span between"
        ),
        pytest.param(
            [Branch("a", None, (9, 1)), Branch("b", "a", (9, 1)), Branch("c", "b", (9, 1))],
            {"a", "b"},
            id="told three times",
        ),
        pytest.param(
            [Branch("a", None, (9, 1)), Branch("b", "a", (9, 1), has_prompt=False)],
            {"b"},
            id="only the outer has a prompt",
        ),
        pytest.param([Branch("a", None, (9, 1)), Branch("b", "a", NOTHING)], {"b"}, id="only the outer has counts"),
        pytest.param(
            [Branch("a", None, (9, 1)), Branch("b", "a", NOTHING), Branch("c", "a", NOTHING)],
            set(),
            id="several without counts are no one call",
        ),
        pytest.param([Branch("a", None, (9, 1)), Branch("b", None, (9, 1))], set(), id="beside each other"),
        pytest.param([Branch("a", "b", (9, 1)), Branch("b", "a", None)], set(), id="a circle"),
        pytest.param([Branch("a", "gone", (9, 1))], set(), id="a parent that is not in the file"),
    ],
)
def test_a_call_that_is_told_twice_is_one(branches: list[Branch], left_out: set[str]) -> None:
    assert tree(*branches).repeats() == left_out


@pytest.mark.parametrize(
    ("branches", "lineages"),
    [
        pytest.param(
            [
                Branch("a", None, agent="p"),
                Branch("x", "a", (1, 1)),
                Branch("b", "a", agent="r"),
                Branch("y", "b", (2, 2)),
            ],
            {"y": "r b"},
            id="an agent within an agent that calls",
        ),
        pytest.param(
            [Branch("a", None, agent="w"), Branch("b", "a", agent="r"), Branch("y", "b", (2, 2))],
            {},
            id="an agent around one that calls is a wrapper",
        ),
        pytest.param(
            [
                Branch("a", None, agent="w"),
                Branch("b", "a", agent="r"),
                Branch("c", "a", agent="s"),
                Branch("x", "b", (1, 1)),
                Branch("y", "c", (2, 2)),
            ],
            {},
            id="agents beside each other are told apart by their messages",
        ),
        pytest.param([Branch("a", None, (9, 1)), Branch("b", "a", (8, 1))], {"b": NESTED}, id="a call within a call"),
        pytest.param([Branch("a", None, (9, 1)), Branch("b", "a", (9, 1))], {}, id="unless that one is left out"),
    ],
)
def test_sub_agents_are_lineages(branches: list[Branch], lineages: dict[str, str]) -> None:
    known = tree(*branches)
    assert known.lineages(known.repeats()) == lineages


def test_the_spans_around_one_are_nearest_first() -> None:
    known = tree(Branch("a", None), Branch("b", "a"), Branch("c", "b"))
    assert [branch.span_id for branch in known.above("c")] == ["b", "a"]
    assert [*known.above("a")] == [*known.above("nowhere")] == []
