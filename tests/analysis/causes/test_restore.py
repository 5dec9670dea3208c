from typing import Any

import pytest

from analysis.causes.fixes import Sent
from analysis.causes.restore import restored
from tests.builders import assistant, request, user

REPLY = assistant("yes")


def system(text: str) -> dict[str, Any]:
    return {"role": "system", "content": text}


def clocked(*, salts: str = "abc") -> list[Sent]:
    """Three turns with another time and another salt in each."""
    grown: list[Any] = [user("a")]
    turns = []
    for number, salt in enumerate(salts):
        head = system(f"You are a build helper. Be short and kind. 10:30:0{number}")
        turns.append(Sent(request(head, *grown, salt=salt), float(number)))
        grown = [*grown, REPLY, user("b")]
    return turns


def test_every_value_is_that_of_the_first_turn() -> None:
    found = restored("key/cache-salt", clocked(), [REPLY] * 3)
    assert found is not None and [one.request.salt for one in found] == ["a", "a", "a"]
    found = restored("volatile-head/client-timestamp", clocked(), [REPLY] * 3)
    assert found is not None and len({one.request.messages[0]["content"] for one in found}) == 1
    assert [one.request.salt for one in found] == ["a", "b", "c"]


def test_nothing_is_carried_over_what_was_deliberate() -> None:
    found = restored("key/cache-salt", clocked(salts="abcd"), [REPLY] * 4, starts={2})
    assert found is not None and [one.request.salt for one in found] == ["a", "a", "c", "c"]


def test_tools_of_a_later_turn_are_there_from_the_first() -> None:
    look, run = ({"type": "function", "function": {"name": name}} for name in ("look", "run"))
    turns = [Sent(request(user("a"), tools=tools), None) for tools in ((look,), (run, look), (run,))]
    found = restored("tools/set-changed", turns, [REPLY] * 3)
    assert found is not None and all(one.request.tools == (look, run) for one in found)


def test_a_knob_is_set_on_every_turn() -> None:
    found = restored("template/reasoning-stripped", clocked(), [REPLY] * 3, knob={"keep": True})
    assert found is not None and all(one.request.template_kwargs == {"keep": True} for one in found)


@pytest.mark.parametrize("code", ["template/reasoning-stripped", "volatile-head/per-session-text", "capacity/eviction"])
def test_what_no_request_can_undo_has_no_restored_turns(code: str) -> None:
    assert restored(code, clocked(), [REPLY] * 3) is None


def test_what_stays_as_it_is_stays_the_same_object() -> None:
    turns = clocked()
    found = restored("client/whitespace", turns, [REPLY] * 3)
    assert found is not None and all(one is other for one, other in zip(found, turns, strict=True))
