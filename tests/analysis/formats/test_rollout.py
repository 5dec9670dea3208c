"""Lines of a rollout, made after codex-rs (protocol and core), and which call each of them belongs to."""

from collections.abc import Sequence
from typing import Any

import pytest

from analysis.formats.rollout import Call, Rollout, parent

Line = tuple[str, dict[str, Any]]


def asked(text: str) -> Line:
    return "response_item", {"type": "message", "role": "user", "content": [{"type": "input_text", "text": text}]}


def said(text: str) -> Line:
    return "response_item", {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": text}]}


def did(call_id: str) -> Line:
    return "response_item", {"type": "function_call", "name": "shell", "arguments": "{}", "call_id": call_id}


def came(call_id: str, output: object = "ok") -> Line:
    return "response_item", {"type": "function_call_output", "call_id": call_id, "output": output}


def counted(prompt: int, cached: int = 0, total: int | None = None) -> Line:
    last = {"input_tokens": prompt, "cached_input_tokens": cached, "output_tokens": 1}
    info = {"last_token_usage": last, "total_token_usage": {"total_tokens": prompt if total is None else total}}
    return "event_msg", {"type": "token_count", "info": info}


NULL: Line = ("event_msg", {"type": "token_count", "info": None})
META: Line = ("session_meta", {"id": "t"})


def calls(lines: Sequence[Line], seconds: float = 10.0) -> list[Call]:
    """The calls of these lines, which are so many seconds apart."""
    rollout = Rollout()
    for number, (kind, payload) in enumerate(lines, 1):
        rollout.read(number, kind, payload, number * seconds)
    return rollout.calls()


def told(found: Sequence[Call]) -> list[tuple[object, int, object]]:
    """Of each call its prompt tokens, how many messages it sent, and what it replied: a text or the id of a tool call.

    A call without a reply has None.
    """
    return [(one.counts.get("input_tokens"), len(one.messages), _reply(one.reply)) for one in found]


def _reply(reply: Any) -> object:
    return None if reply is None else reply.get("content") or reply["tool_calls"][0]["id"]


ORDERS: dict[str, list[Line]] = {
    "counts before the reply": [
        *(META, asked("a"), NULL, counted(10), did("c1"), came("c1")),
        *(counted(10), counted(20, total=30), said("b"), counted(20, total=30)),
    ],
    "counts behind the reply": [
        *(META, asked("a"), did("c1"), counted(10), came("c1"), counted(10)),
        *(said("b"), counted(20, total=30), counted(20, total=30)),
    ],
}


@pytest.mark.parametrize("lines", ORDERS.values(), ids=ORDERS)
def test_each_count_is_one_call_with_its_reply(lines: list[Line]) -> None:
    assert told(calls(lines)) == [(10, 1, "c1"), (20, 3, "b")]


def test_a_call_begins_with_the_last_thing_that_was_sent() -> None:
    first, second = calls(ORDERS["counts before the reply"])
    assert (first.started_at, first.ended_at, second.started_at, second.ended_at) == (20.0, 40.0, 60.0, 80.0)


NO_CALLS: dict[str, list[Line]] = {
    "nothing counted": [META, NULL, counted(0), asked("a"), said("b")],
    "what a fork copied": [("session_meta", {"id": "t", "forked_from_id": "p"}), asked("a"), counted(9), said("b")],
    "what a sub-agent was given": [
        ("session_meta", {"source": {"subagent": {"thread_spawn": {"parent_thread_id": "p"}}}}),
        *(asked("a"), said("b"), counted(9)),
    ],
}


@pytest.mark.parametrize("lines", NO_CALLS.values(), ids=NO_CALLS)
def test_no_call_is_made_up_of(lines: list[Line]) -> None:
    assert calls(lines, seconds=0.01) == []


def test_a_fork_goes_on_from_what_it_copied() -> None:
    rollout = Rollout()
    lines = [("session_meta", {"id": "t", "forked_from_id": "p"}), ("session_meta", {"id": "p"}), asked("a"), said("b")]
    for number, line in enumerate([*lines, counted(9)], 1):
        rollout.read(number, *line, 0.001 * number)
    for number, line in enumerate([asked("c"), said("d"), counted(30, total=39)], 6):
        rollout.read(number, *line, 60.0)
    assert told(rollout.calls()) == [(30, 3, "d")] and rollout.meta["id"] == "t"


def test_a_compaction_replaces_the_history() -> None:
    new: Line = ("compacted", {"message": "sum", "replacement_history": [asked("a")[1], {"type": "compaction"}]})
    old: Line = ("compacted", {"message": "sum"})
    start = [META, asked("a"), counted(10), said("b"), asked("c"), counted(20, total=30), said("d")]
    for compacted, content, cut in ((new, "a", False), (old, "sum", True)):
        *_before, after = calls([*start, compacted, counted(5, total=35), said("e")])
        assert [message["content"] for message in after.messages] == [content] and after.cut is cut


def test_a_compaction_call_has_the_whole_history_and_no_reply() -> None:
    compacted: Line = ("compacted", {"message": "sum"})
    found = calls([META, asked("a"), said("b"), counted(10), counted(20, total=30), compacted, asked("c")])
    assert told(found) == [(10, 1, "b"), (20, 2, None)]


def test_an_aborted_call_is_history_and_no_call() -> None:
    rollout = Rollout()
    aborted: Line = ("event_msg", {"type": "turn_aborted", "reason": "interrupted"})
    lines = [META, asked("a"), said("b"), counted(10), asked("c"), did("c1"), aborted, asked("d"), said("e")]
    for number, line in enumerate([*lines, counted(20, total=30)], 1):
        rollout.read(number, *line, float(number))
    assert told(rollout.calls()) == [(10, 1, "b"), (20, 5, "e")] and rollout.aborted_line == 7


def test_turns_of_the_client_are_told_from_their_running_sum() -> None:
    def completed(prompt: int) -> Line:
        return "event_msg", {"type": "turn.completed", "usage": {"input_tokens": prompt, "cached_input_tokens": 2}}

    found = calls([META, completed(10), completed(25), completed(7), completed(0)])
    assert [(one.counts, one.turn) for one in found] == [
        ({"input_tokens": 10, "cached_input_tokens": 2}, True),
        ({"input_tokens": 15, "cached_input_tokens": 0}, True),
        ({"input_tokens": 7, "cached_input_tokens": 2}, True),  # a sum that shrinks is none
    ]


def test_an_output_of_one_part_is_its_text() -> None:
    *_, last = calls(
        [META, asked("a"), did("c"), came("c", {"type": "input_text", "text": "t"}), counted(9), said("b")]
    )
    assert last.messages[-1] == {"role": "tool", "tool_call_id": "c", "content": "t"}


def test_items_of_a_hosted_api_do_not_part_a_reply() -> None:
    search: Line = ("response_item", {"type": "web_search_call", "status": "completed"})
    (call,) = calls([META, asked("a"), counted(9), did("c"), search, said("b")])
    assert call.reply is not None and call.reply["content"] == "b" and call.reply["tool_calls"]


def test_the_parent_of_a_thread() -> None:
    assert parent({"parent_thread_id": "p"}) == parent(NO_CALLS["what a sub-agent was given"][0][1]) == "p"
    assert parent({"source": "cli"}) is None
