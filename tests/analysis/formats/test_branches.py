"""Lineages of calls that name the one they continue."""

import pytest

from analysis.formats.branches import lineages

Calls = dict[str, tuple[str | None, float, float]]


def calls(*names: str, strand: str | None = None) -> Calls:
    return {name: (strand, float(place), float(place)) for place, name in enumerate(names)}


@pytest.mark.parametrize(
    ("of", "continued", "retracted", "expected"),
    [
        pytest.param(calls("a", "b"), {"a": None, "b": "a"}, "", {"a": None, "b": None}, id="one conversation"),
        pytest.param(
            calls("a", "b", "c"),
            {"a": None, "b": "a", "c": "a"},
            "",
            {"a": None, "b": "branch-1", "c": None},
            id="rewound: what went on last is the conversation",
        ),
        pytest.param(
            calls("a", "b", "c", "d"),
            {"a": None, "b": "a", "c": "a", "d": "b"},
            "",
            {"a": None, "b": None, "c": "branch-1", "d": None},
            id="gone back to",
        ),
        pytest.param(
            calls("a", "b", "c", "d", "e"),
            {"a": None, "b": "a", "c": "b", "d": "b", "e": "a"},
            "",
            {"a": None, "b": "branch-1", "c": "branch-2", "d": "branch-1", "e": None},
            id="a branch of a branch",
        ),
        pytest.param(
            calls("a", "b"), {"a": None, "b": None}, "", {"a": "branch-1", "b": None}, id="rewound to the very start"
        ),
        pytest.param(
            calls("a", "b", "c"),
            {"a": None, "b": "a", "c": "a"},
            "c",
            {"a": None, "b": None, "c": "retracted-1"},
            id="taken back, although it is the last",
        ),
        pytest.param(
            calls("a", "b"), {"a": None, "b": "a"}, "b", {"a": None, "b": None}, id="taken back, with none beside it"
        ),
        pytest.param(
            calls("a", "d") | calls("x", "b", "c", strand="agent 1"),
            {"a": None, "x": None, "b": "x", "c": "x", "d": "a"},
            "",
            {"a": None, "d": None, "x": "agent 1", "b": "agent 1 branch-1", "c": "agent 1"},
            id="a sub-agent with a branch",
        ),
        pytest.param(
            calls("a") | calls("b", strand="agent 1"),
            {"a": None, "b": "a"},
            "",
            {"a": None, "b": "agent 1"},
            id="a sub-agent that continues the session",
        ),
        pytest.param(
            calls("a", "b"),
            {"a": "b", "b": "nowhere"},
            "",
            {"a": "branch-1", "b": None},
            id="what comes later or is not there is not continued",
        ),
    ],
)
def test_lineages(of: Calls, continued: dict[str, str | None], retracted: str, expected: dict[str, str | None]) -> None:
    assert lineages(of, continued, retracted) == expected
