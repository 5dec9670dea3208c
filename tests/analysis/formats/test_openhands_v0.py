"""Actions and observations, after OpenHands (events/serialization/event.py, memory/conversation_memory.py)."""

from typing import Any

import pytest

from analysis.formats.openhands_history import Condensed
from analysis.formats.openhands_v0 import event, is_event

CALL = {"id": "c", "type": "function", "function": {"name": "t", "arguments": "{}"}}
ANSWER = {"id": "r", "choices": [{"message": {"role": "assistant", "content": "I do.", "tool_calls": [CALL]}}]}
METADATA = {"function_name": "t", "tool_call_id": "c", "model_response": ANSWER, "total_calls_in_response": 1}


@pytest.mark.parametrize(
    ("said", "message", "response_id"),
    [
        ({"action": "message", "source": "user", "args": {"content": "hi"}}, {"role": "user", "content": "hi"}, None),
        (
            {"action": "message", "source": "user", "args": {"content": "hi", "image_urls": ["u"]}},
            {
                "role": "user",
                "content": [{"type": "text", "text": "hi"}, {"type": "image_url", "image_url": {"url": "u"}}],
            },
            None,
        ),
        (
            {"action": "message", "source": "agent", "args": {"content": "yes"}},
            {"role": "assistant", "content": "yes"},
            "message e",
        ),
        (
            {"action": "run", "source": "agent", "args": {}, "tool_call_metadata": METADATA},
            {"role": "assistant", "content": "I do.", "tool_calls": [CALL]},
            "r",
        ),
        (
            {"action": "finish", "source": "agent", "args": {"thought": "x"}, "tool_call_metadata": METADATA},
            {"role": "assistant", "content": "I do."},
            "r",
        ),
        (
            {"observation": "run", "content": "out", "tool_call_metadata": METADATA},
            {"role": "tool", "tool_call_id": "c", "name": "t", "content": "out"},
            None,
        ),
        ({"observation": "error", "content": "bad"}, {"role": "user", "content": "bad"}, None),
        ({"observation": "agent_state_changed", "content": "x"}, None, None),
        ({"observation": "recall", "content": "x"}, None, None),
        ({"action": "recall", "args": {}}, None, None),
    ],
)
def test_an_event_is_a_message(said: dict[str, Any], message: dict[str, Any] | None, response_id: str | None) -> None:
    found = event(said, "e")
    assert (found.message, found.response_id) == (message, response_id)
    assert found.answer == (ANSWER if response_id == "r" else None)


def test_the_system_message_names_the_tools() -> None:
    tool = {"type": "function", "function": {"name": "t"}}
    found = event({"action": "system", "args": {"content": "S", "tools": [tool]}}, "e")
    assert (found.message, found.tools, found.lacks) == ({"role": "system", "content": "S"}, (tool,), ())
    assert event({"action": "system", "args": {"content": "S", "tools": None}}, "e").lacks == ("no_tools",)


@pytest.mark.parametrize(
    ("args", "expected"),
    [
        (
            {"forgotten_event_ids": [1, 2], "summary": "S", "summary_offset": 1},
            Condensed(frozenset({"1", "2"}), "S", 1),
        ),
        ({"forgotten_events_start_id": 3, "forgotten_events_end_id": 5}, Condensed(frozenset({"3", "4", "5"}))),
        ({"forgotten_events_start_id": 0, "forgotten_events_end_id": 2**30}, Condensed(frozenset())),
        ({}, Condensed(frozenset())),
    ],
)
def test_a_condensation(args: dict[str, Any], expected: Condensed) -> None:
    assert event({"action": "condensation", "args": args}, "e").condensed == expected


@pytest.mark.parametrize(
    ("said", "ours"),
    [
        ({"id": 1, "source": "user", "action": "message", "args": {}}, True),
        ({"timestamp": "t", "cause": 1, "observation": "run", "content": ""}, True),
        ({"action": "message", "args": {}}, False),
        ({"id": 1, "source": "user", "action": "message"}, False),
        ({"thought": "t", "action": "ls", "observation": "out"}, False),
    ],
)
def test_an_event_is_told_by_its_fields(said: dict[str, Any], ours: bool) -> None:
    assert is_event(said) is ours
