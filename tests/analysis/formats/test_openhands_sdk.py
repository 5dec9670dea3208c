"""Events of the SDK as messages, after openhands-sdk (event/llm_convertible, event/condenser.py, llm/message.py)."""

from typing import Any

import numpy as np
import pytest

from analysis.formats.openhands_history import Condensed
from analysis.formats.openhands_sdk import event, is_event, is_state, model, usages
from analysis.model.session import Usage

TEXT = {"type": "text", "text": "a", "cache_prompt": False}
CALLED = {"id": "c", "type": "function", "function": {"name": "t", "arguments": "{}"}}


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        (
            {"kind": "MessageEvent", "llm_message": {"role": "user", "content": [TEXT]}, "extended_content": [TEXT]},
            {"role": "user", "content": [{"type": "text", "text": "a"}] * 2},
        ),
        (
            {
                "kind": "MessageEvent",
                "llm_message": {"role": "user", "content": [{"type": "image", "image_urls": ["u"]}]},
            },
            {"role": "user", "content": [{"type": "image_url", "image_url": {"url": "u"}}]},
        ),
        (
            {"kind": "MessageEvent", "llm_message": {"role": "assistant", "content": [], "reasoning_content": "R"}},
            {"role": "assistant", "content": "", "reasoning": "R"},
        ),
        (
            {"kind": "ActionEvent", "thought": [TEXT], "tool_call": {"id": "c", "name": "t", "arguments": "{}"}},
            {"role": "assistant", "content": "a", "tool_calls": [CALLED]},
        ),
        (
            {"kind": "ActionEvent", "thought": [], "tool_call": CALLED},
            {"role": "assistant", "content": None, "tool_calls": [CALLED]},
        ),
        (
            {"kind": "ObservationEvent", "tool_call_id": "c", "tool_name": "t", "observation": {"content": [TEXT]}},
            {"role": "tool", "tool_call_id": "c", "name": "t", "content": "a"},
        ),
        (
            {"kind": "ObservationEvent", "tool_call_id": "c", "tool_name": "t", "observation": {"output": "a"}},
            {"role": "tool", "tool_call_id": "c", "name": "t", "content": "a"},
        ),
        (
            {"kind": "AgentErrorEvent", "tool_call_id": "c", "tool_name": "t", "error": "E"},
            {"role": "tool", "tool_call_id": "c", "name": "t", "content": "E"},
        ),
        (
            {"kind": "UserRejectObservation", "tool_call_id": "c", "tool_name": "t", "rejection_reason": "no"},
            {"role": "tool", "tool_call_id": "c", "name": "t", "content": "Action rejected: no"},
        ),
        ({"kind": "CondensationSummaryEvent", "summary": "S"}, {"role": "user", "content": "S"}),
        ({"kind": "PauseEvent"}, None),
        ({"kind": "ConversationStateUpdateEvent", "value": {}}, None),
    ],
)
def test_an_event_is_a_message(said: dict[str, Any], expected: dict[str, Any] | None) -> None:
    assert event(said, "e").message == expected


def test_a_system_prompt_has_its_tools_where_they_are_whole() -> None:
    prompt = {"kind": "SystemPromptEvent", "system_prompt": TEXT}
    schema = {"type": "function", "function": {"name": "t"}}
    older, newer = event({**prompt, "tools": [schema]}, "e"), event({**prompt, "tools": [{"kind": "T"}]}, "e")
    assert (older.tools, older.lacks) == ((schema,), ()) and (newer.tools, newer.lacks) == ((), ("no_tools",))
    assert older.message == {"role": "system", "content": "a"}


def test_ids_parents_and_times() -> None:
    said = {"kind": "TokenEvent", "parent_id": "p", "timestamp": "2026-03-01T12:00:00", "prompt_token_ids": [1, 2]}
    found = event({**said, "response_token_ids": [3]}, "e")
    assert (found.parent, found.at) == ("p", 1772366400.0)
    assert np.array_equal(found.prompt_ids, [1, 2]) and np.array_equal(found.output_ids, [3])


def test_a_condensation() -> None:
    said = {"kind": "Condensation", "forgotten_event_ids": ["a"], "summary": "S", "summary_offset": 2}
    assert event(said, "e").condensed == Condensed(frozenset({"a"}), "S", 2)


def test_a_state_has_the_counts_of_every_call_and_a_zero_says_nothing() -> None:
    one = {"prompt_tokens": 40, "completion_tokens": 3, "cache_read_tokens": 0, "response_id": "a"}
    metrics = {"token_usages": [one, {**one, "cache_read_tokens": 16, "response_id": "b"}, {"prompt_tokens": 1}]}
    state = {"agent": {"llm": {"model": "m"}}, "workspace": {}, "stats": {"usage_to_metrics": {"agent": metrics}}}
    assert is_state(state) and model(state) == "m" and not is_state({"agent": {}})
    assert usages(state) == {"a": Usage(40, 3, None, "omitted"), "b": Usage(40, 3, 16, "reported")}


def test_an_event_is_told_by_its_fields() -> None:
    said = {"kind": "MessageEvent", "source": "user", "timestamp": "t", "id": "e"}
    assert is_event(said) and not is_event({key: said[key] for key in ("kind", "id")})
