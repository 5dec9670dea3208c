"""What stood before each call of a tree; lines are letters, and so are their messages."""

from collections.abc import Collection, Sequence

import pytest

from analysis.formats.tree import Moved, Node, Step, steps
from analysis.model.session import JsonObject


def written(nodes: Sequence[Node]) -> tuple[JsonObject, ...]:
    return tuple({"role": "user", "content": node.name} for node in nodes)


def tree(*lines: str) -> list[Node]:
    """Lines as ``name<parent``; a capital is a reply, with ``=`` its call, with ``+`` the tool call it answers."""
    made = []
    for place, line in enumerate(lines):
        line, _, answers = line.partition("+")
        line, _, call = line.partition("=")
        name, _, parent = line.partition("<")
        reply = call or (name if name.isupper() else None)
        made.append(
            Node(name, parent or None, float(place), reply, follows=None, answers=frozenset(filter(None, [answers])))
        )
    return made


def requests(nodes: Collection[Node], moved: Sequence[Moved] = ()) -> dict[str, str]:
    """The request of every call as the letters in it."""
    return {step.call: letters(step) for step in steps(nodes, written, moved)}


def letters(step: Step) -> str:
    return "".join(str(message["content"]) for message in step.messages)


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        pytest.param(("u", "A<u", "v<A", "B<v"), {"A": "u", "B": "uAv"}, id="a chain"),
        pytest.param(("u", "A<u", "v<A", "B<v", "w<A", "C<w"), {"A": "u", "B": "uAv", "C": "uAw"}, id="a rewind"),
        pytest.param(("u", "A<u", "v", "B<v"), {"A": "u", "B": "v"}, id="two beginnings"),
        pytest.param(
            ("u", "a<u=X", "b<a=X", "v<b", "B<v"), {"X": "u", "B": "uabv"}, id="a reply of two lines is one call"
        ),
        pytest.param(
            ("u", "a<u=X", "b<a=X", "r<a+1", "s<b+2", "B<s"), {"X": "u", "B": "uabrs"}, id="results side by side"
        ),
        pytest.param(
            ("u", "a<u=X", "r<a+1", "b<r=X", "s<b+2", "B<s"), {"X": "u", "B": "uabrs"}, id="a result within a reply"
        ),
        pytest.param(
            ("u", "a<u=X", "r<a+1", "s<a+1", "B<s"), {"X": "u", "B": "uas"}, id="a result that was given again"
        ),
        pytest.param(
            ("u", "A<u", "r<A+1", "B<r", "s<A+2"), {"A": "u", "B": "uAr"}, id="a result that came after the call"
        ),
        pytest.param(("A<A", "B<A"), {"A": "", "B": "A"}, id="a line that continues itself"),
        pytest.param(("a<b", "b<a", "C<a"), {"C": "ba"}, id="a circle"),
        pytest.param(("A<B", "B<A"), {"A": "B", "B": ""}, id="a circle of calls"),
    ],
)
def test_requests(lines: tuple[str, ...], expected: dict[str, str]) -> None:
    assert requests(tree(*lines)) == expected


def test_a_line_that_is_moved_continues_another_one_from_then_on() -> None:
    nodes = tree("u", "A<u", "v<A", "B<v", "s", "w<B", "C<w")
    assert requests(nodes) == {"A": "u", "B": "uAv", "C": "uAvBw"}
    assert requests(nodes, [Moved(4.0, "v", "s")]) == {"A": "u", "B": "uAv", "C": "svBw"}
    assert requests(nodes, [Moved(4.0, "v", "s"), Moved(5.0, "v", "u")]) == {"A": "u", "B": "uAv", "C": "uvBw"}


def test_a_conversation_that_began_anew_is_still_the_same_lineage() -> None:
    nodes = [*tree("u", "A<u"), Node("s", None, 2.0, follows="A"), Node("B", "s", 3.0, "B")]
    assert [(step.call, letters(step), step.lineage) for step in steps(nodes, written)] == [
        ("A", "u", None),
        ("B", "s", None),
    ]


@pytest.mark.parametrize(
    ("nodes", "cut"),
    [
        pytest.param(tree("u", "A<u", "B<A"), [False, False], id="whole"),
        pytest.param(tree("A<lost", "B<A"), [True, True], id="the line before is not there"),
        pytest.param([Node("u", None, 0.0, cut=True), *tree("_", "A<u")[1:]], [True], id="said by the line"),
    ],
)
def test_what_is_cut_off_stays_so(nodes: list[Node], cut: list[bool]) -> None:
    assert [step.cut for step in steps(nodes, written)] == cut


def test_retracted_lines_make_their_call_a_lineage_of_its_own() -> None:
    found = {step.call: step.lineage for step in steps(tree("u", "A<u", "B<u", "C<B"), written, (), {"B"})}
    assert found == {"A": None, "B": "retracted-1", "C": "retracted-1"}


def test_long_chains_are_no_trouble() -> None:
    lines = ["u0", *(line for i in range(1000) for line in (f"A{i}<u{i}", f"u{i + 1}<A{i}"))]
    found = list(steps(tree(*lines), written, [Moved(10.0, "u1", "u0")]))
    assert len(found) == 1000 and len(found[-1].messages) == 1998
