"""Messages of two requests find each other, whatever was changed, put in or taken out between them."""

from typing import Any

import pytest

from analysis.causes.messages import (
    alike,
    calls,
    function,
    is_system,
    key,
    paired,
    reasoning,
    system_of,
    text,
    without_system,
)
from tests.builders import assistant, request, user

SYSTEM: dict[str, Any] = {"role": "system", "content": "s"}
OLD = [SYSTEM, user("a"), assistant("1"), user("b")]


@pytest.mark.parametrize(
    ("now", "pairs", "inserted", "removed"),
    [
        pytest.param([*OLD, assistant("2")], [1, 2, 3, 4], [], [], id="grown"),
        pytest.param([SYSTEM, user("A"), *OLD[2:]], [1, 2, 3], [], [], id="one changed"),
        pytest.param([SYSTEM, user("x"), assistant("y"), *OLD[1:]], [3, 4, 5], [1, 2], [], id="two put in"),
        pytest.param([SYSTEM, *OLD[2:]], [1, 2], [], [1], id="one taken out"),
        pytest.param(OLD[1:], [0, 1, 2], [], [], id="without its system message"),
        pytest.param([SYSTEM, assistant("z")], [], [], [], id="nothing in common"),
    ],
)
def test_pairs(now: list[Any], pairs: list[int], inserted: list[int], removed: list[int]) -> None:
    found = paired(request(*OLD), request(*now), assistant("2"))
    assert [pair.index for pair in found.pairs] == pairs
    assert (found.inserted, found.removed) == (inserted, removed)


def test_a_pair_knows_its_place_and_whether_it_was_the_reply() -> None:
    *_others, last = paired(request(*OLD), request(*OLD, assistant("2")), assistant("2")).pairs
    assert (last.path, last.role, last.replied) == ("messages[4]", "assistant", True)
    assert len(paired(request(*OLD), request(*OLD), None, limit=1).pairs) == 1


def test_what_makes_two_messages_the_same() -> None:
    one, other = assistant("x ", reasoning="r", path="a"), assistant("x", path="a")
    assert alike(one, other) and key(one) == key(other)
    assert not alike(one, assistant("x", path="b"))


def test_what_a_message_holds() -> None:
    parts = {"role": "user", "content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]}
    assert text(parts) == "a\nb" and text({"role": "user", "content": None}) == ""
    assert reasoning({"reasoning_content": "r"}) == "r" and reasoning({}) == ""
    assert [function(call).get("name") for call in calls(assistant(path="a"))] == ["look"]
    assert function({"id": "c"}) == {} and calls({"tool_calls": None}) == []
    assert is_system(SYSTEM) and not is_system(user("a"))
    assert system_of(request(*OLD)) == SYSTEM and system_of(request(user("a"))) is None
    assert without_system(OLD) == OLD[1:]
