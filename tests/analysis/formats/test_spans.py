"""Trees of spans: who repeats whom, and whose call is a sub-agent's."""

import pytest

from analysis.formats.spans import NESTED, Node, Tree

AGENT = {"agent": "planner"}


def tree(*nodes: Node) -> Tree:
    return Tree({node.span_id: node for node in nodes})


@pytest.mark.parametrize(
    ("nodes", "left_out"),
    [
        pytest.param([Node("a", None, (9, 1)), Node("b", "a", (9, 1))], {"a"}, id="the same counts"),
        pytest.param([Node("a", None, (None, None)), Node("b", "a", (9, 1))], {"a"}, id="no counts of its own"),
        pytest.param(
            [Node("a", None, (9, 3)), Node("b", "a", (4, 1)), Node("c", "a", (5, 2))], {"a"}, id="the sum of them"
        ),
        pytest.param([Node("a", None, (9, 1)), Node("b", "a", (8, 1))], set(), id="other counts"),
        pytest.param([Node("a", None, (9, 1)), Node("s", "a"), Node("b", "s", (9, 1))], {"a"}, id="a span between"),
        pytest.param(
            [Node("a", None, (9, 1)), Node("b", "a", (9, 1)), Node("c", "b", (9, 1))], {"a", "b"}, id="told three times"
        ),
        pytest.param(
            [Node("a", None, (9, 1)), Node("b", "a", (9, 1), has_prompt=False)], {"b"}, id="only the outer has a prompt"
        ),
        pytest.param([Node("a", None, (9, 1)), Node("b", None, (9, 1))], set(), id="beside each other"),
        pytest.param([Node("a", "b", (9, 1)), Node("b", "a", None)], set(), id="a circle"),
        pytest.param([Node("a", "gone", (9, 1))], set(), id="a parent that is not in the file"),
    ],
)
def test_a_call_that_is_told_twice_is_one(nodes: list[Node], left_out: set[str]) -> None:
    assert tree(*nodes).repeats() == left_out


@pytest.mark.parametrize(
    ("nodes", "lineages"),
    [
        pytest.param(
            [Node("a", None, agent="p"), Node("x", "a", (1, 1)), Node("b", "a", agent="r"), Node("y", "b", (2, 2))],
            {"y": "r b"},
            id="an agent within an agent that calls",
        ),
        pytest.param(
            [Node("a", None, agent="w"), Node("b", "a", agent="r"), Node("y", "b", (2, 2))],
            {},
            id="an agent around one that calls is a wrapper",
        ),
        pytest.param(
            [
                Node("a", None, agent="w"),
                Node("b", "a", agent="r"),
                Node("c", "a", agent="s"),
                Node("x", "b", (1, 1)),
                Node("y", "c", (2, 2)),
            ],
            {},
            id="agents beside each other are told apart by their messages",
        ),
        pytest.param([Node("a", None, (9, 1)), Node("b", "a", (8, 1))], {"b": NESTED}, id="a call within a call"),
        pytest.param([Node("a", None, (9, 1)), Node("b", "a", (9, 1))], {}, id="unless that one is left out"),
    ],
)
def test_sub_agents_are_lineages(nodes: list[Node], lineages: dict[str, str]) -> None:
    known = tree(*nodes)
    assert known.lineages(known.repeats()) == lineages


def test_the_spans_around_one_are_nearest_first() -> None:
    known = tree(Node("a", None), Node("b", "a"), Node("c", "b"))
    assert [node.span_id for node in known.above("c")] == ["b", "a"]
    assert [*known.above("a")] == [*known.above("nowhere")] == []
