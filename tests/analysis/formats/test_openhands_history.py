"""Calls from events: replies in pieces, branches, condensations, token ids."""

import numpy as np
import pytest

from analysis.formats.openhands_history import Call, Condensed, Event, calls, joined
from analysis.model.session import JsonObject


def told(event_id: str, role: str = "user", **fields: object) -> Event:
    return Event(event_id, message={"role": role, "content": event_id}, **fields)  # type: ignore[arg-type]


def piece(event_id: str, response_id: str, **fields: object) -> Event:
    message: JsonObject = {"role": "assistant", "content": None, "tool_calls": [{"id": event_id}]}
    return Event(event_id, message=message, response_id=response_id, **fields)  # type: ignore[arg-type]


def sent(call: Call) -> list[object]:
    """What stands in the request: texts, and the calls of a reply."""
    return [
        said["content"] if said["content"] is not None else [one["id"] for one in said["tool_calls"]]  # type: ignore[index, union-attr]
        for said in call.messages
    ]


def test_a_reply_in_pieces_is_one_call_and_one_message() -> None:
    first, second = calls(
        [told("u"), piece("a", "r1"), piece("b", "r1"), told("t1", "tool"), told("t2", "tool"), piece("c", "r2")]
    )
    assert sent(first) == ["u"] and first.reply["tool_calls"] == [{"id": "a"}, {"id": "b"}]
    assert sent(second) == ["u", ["a", "b"], "t1", "t2"]


def test_a_reply_that_is_repeated_whole_is_said_once() -> None:
    answer: JsonObject = {"id": "r1"}
    _first, second = calls(
        [
            told("u"),
            piece("a", "r1", answer=answer),
            told("t1", "tool"),
            piece("a2", "r1", answer=answer),
            piece("c", "r2"),
        ]
    )
    assert sent(second) == ["u", ["a"], "t1"]


@pytest.mark.parametrize(
    ("condensed", "expected"),
    [
        (Condensed(frozenset({"b", "c"}), "sum", 1), ["a", "sum", "d"]),
        (Condensed(frozenset({"b", "c"})), ["a", "d"]),
        (Condensed(frozenset({"b"}), "sum", None), ["a", "c", "d"]),
        (Condensed(frozenset(), "sum", 99), ["a", "b", "c", "d", "sum"]),
    ],
)
def test_a_condensation_drops_events_for_a_summary(condensed: Condensed, expected: list[str]) -> None:
    (call,) = calls([*(told(one) for one in "abcd"), Event("e", condensed=condensed), piece("r", "r1")])
    assert sent(call) == expected


def test_a_new_summary_takes_the_place_of_the_old_one() -> None:
    (call,) = calls(
        [
            *(told(one) for one in "ab"),
            Event("e1", condensed=Condensed(frozenset({"b"}), "first", 1)),
            told("c"),
            Event("e2", condensed=Condensed(frozenset({"c"}), "second", 1)),
            piece("r", "r1"),
        ]
    )
    assert sent(call) == ["a", "second"]


def test_a_branch_goes_on_from_its_parent() -> None:
    events = [
        told("u"),
        piece("a", "r1", parent="u"),
        told("t", "tool", parent="a"),
        told("v", parent="u"),
        piece("b", "r2", parent="v"),
        piece("c", "r3", parent="unknown"),
    ]
    assert [sent(call) for call in calls(events)] == [["u"], ["u", "v"], ["u", "v", ["b"]]]


def test_token_ids_stand_behind_their_reply() -> None:
    ids = np.array([1, 2], np.int32)
    first, second = calls(
        [
            Event("early", prompt_ids=ids),
            *(told("u"), piece("a", "r1"), told("t", "tool"), Event("i1", prompt_ids=ids, output_ids=ids)),
            *(Event("i2", prompt_ids=ids[:1]), piece("b", "r2")),
        ]
    )
    assert first.prompt_ids is ids and first.output_ids is ids and second.prompt_ids is None


def test_a_call_begins_with_the_event_before_it() -> None:
    (call,) = calls([told("u", at=5.0), Event("x", at=7.0), Event("y"), piece("a", "r1", at=9.0)])
    assert (call.asked_at, call.first.at) == (7.0, 9.0)


def test_joined_keeps_what_has_no_calls() -> None:
    assert joined({"content": "a"}, {"content": "b"}) == {"content": "a"}
