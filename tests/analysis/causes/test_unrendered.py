"""Without a renderer the requests alone say what may have happened, and say that it is no more than that."""

from dataclasses import replace
from typing import Any

import numpy as np

from analysis.causes import CHANGES
from analysis.causes.comparison import Comparison
from analysis.causes.unrendered import APPROXIMATE, listed
from tests.builders import assistant, user
from tests.visible_cases import beside

SYSTEM: dict[str, Any] = {"role": "system", "content": "Be brief. It is 10:21."}
OLD = [SYSTEM, user("a"), assistant("", "why", path="a"), user("b")]
NOW = [{**SYSTEM, "content": "Be brief. It is 10:22."}, user("A!"), *OLD[2:], assistant("x"), user("c")]
TOOLS = tuple({"type": "function", "function": {"name": name}} for name in "ab")


def found(comparison: Comparison) -> list[tuple[str, int | None]]:
    return [(one.suspect.code, one.token) for one in listed(comparison, CHANGES)]


def test_changes_stand_in_the_order_of_most_prompts_and_the_first_where_the_tokens_part() -> None:
    comparison = beside(OLD, NOW, tools=(TOOLS, TOOLS[::-1]))
    assert found(comparison) == [
        ("volatile-head/client-timestamp", 0),
        ("tools/order", None),
        ("client/history-edited", None),
    ]
    for one in listed(comparison, CHANGES):
        assert one.suspect.confidence == "possible" and one.suspect.evidence.startswith(APPROXIMATE)


def test_nothing_is_said_of_what_follows_a_deliberate_event() -> None:
    assert found(beside(OLD, [*OLD[:3], user("else")])) == [("client/user-edit", 0)]


def test_reasoning_in_a_history_that_only_grew_may_have_been_stripped() -> None:
    assert found(beside(OLD, [*OLD, assistant("x"), user("c")])) == [("template/reasoning-stripped", 0)]
    plain = [SYSTEM, user("a")]
    assert found(beside(plain, [*plain, assistant("x"), user("c")])) == [("unexplained", 0)]


def test_arguments_that_the_server_writes_anew() -> None:
    call = {"id": "c", "type": "function", "function": {"name": "f", "arguments": '{"a":1}'}}
    reply = {"role": "assistant", "content": "", "tool_calls": [call]}
    comparison = beside([user("a")], [user("a"), reply], reply)
    later = replace(comparison, prompt_tokens=0)
    assert found(later) == [("args/separators", 0)] and found(comparison) == [("unexplained", 0)]


def test_prompts_that_do_not_part_have_no_cause() -> None:
    comparison = beside(OLD, NOW)
    assert found(replace(comparison, new_ids=np.concatenate([comparison.old_ids, comparison.new_ids]))) == []
