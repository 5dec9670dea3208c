"""Steps, made after Harbor's RFC 0001 (trajectory format 1.4 to 1.7), and the requests that they stand for."""

import json
from typing import Any

import pytest

from analysis.formats.atif_steps import entries, is_call, is_combined, references
from analysis.model.session import Turn

SYSTEM = {"source": "system", "message": "s"}
USER = {"source": "user", "message": "u"}
AGENT = {"source": "agent", "message": "a"}
CALLS = [{"tool_call_id": "c", "function_name": "f", "arguments": {"x": 1}}]


def turns(*steps: dict[str, Any], **agent: Any) -> list[Turn]:
    said = {"session_id": "s", "agent": {"name": "n", **agent}, "steps": list(steps)}
    return [one.turn for one in entries(said, 1, "s", None)]


def roles(turn: Turn) -> list[object]:
    return [message["role"] for message in turn.request.messages]


def test_a_request_is_what_stands_before_its_step() -> None:
    first, second = turns(SYSTEM, USER, AGENT, USER, {**AGENT, "message": "b"})
    assert (roles(first), roles(second)) == (["system", "user"], ["system", "user", "assistant", "user"])
    assert second.request.messages[2] == first.reply == {"role": "assistant", "content": "a"}
    assert second.request.messages[0] is first.request.messages[0]


RESULTS: dict[str, tuple[dict[str, Any], list[dict[str, Any]]]] = {
    "of a tool": (
        {"source_call_id": "c", "content": "o"},
        [{"role": "tool", "tool_call_id": "c", "content": "o"}],
    ),
    "of a sub-agent": (
        {"source_call_id": "c", "subagent_trajectory_ref": [{"trajectory_id": "t"}]},
        [{"role": "tool", "tool_call_id": "c", "content": ""}],
    ),
    "of an action": ({"content": "o"}, [{"role": "user", "content": "o"}]),
    "of nothing": ({}, []),
}


@pytest.mark.parametrize(("result", "expected"), RESULTS.values(), ids=RESULTS)
def test_what_came_of_a_step(result: dict[str, Any], expected: list[dict[str, Any]]) -> None:
    acted = {**AGENT, "tool_calls": CALLS, "reasoning_content": "r", "observation": {"results": [result]}}
    first, second = turns(USER, acted, AGENT)
    function = {"name": "f", "arguments": '{"x": 1}'}
    assert first.reply == {
        "role": "assistant",
        "content": "a",
        "reasoning": "r",
        "tool_calls": [{"id": "c", "type": "function", "function": function}],
    }
    assert list(second.request.messages[2:]) == expected


def test_metrics_times_and_options() -> None:
    metrics = {"prompt_tokens": 3, "cached_tokens": 2, "completion_tokens": 1}
    held = {"prompt_token_ids": [5, 6, 7], "completion_token_ids": [8]}
    step = {**AGENT, "model_name": "m", "reasoning_effort": "low", "metrics": {**metrics, **held}, "step_id": 2}
    (turn,) = turns(USER, {**step, "timestamp": "2026-03-01T10:00:00Z"}, version="1", model_name="other")
    assert (turn.usage.prompt_tokens, turn.usage.cached_tokens, turn.usage.output_tokens) == (3, 2, 1)
    assert turn.prompt_ids is not None and turn.output_ids is not None
    assert (turn.prompt_ids.tolist(), turn.output_ids.tolist()) == ([5, 6, 7], [8])
    assert (turn.request.model, turn.request.template_kwargs) == ("m", {"reasoning_effort": "low"})
    assert (turn.started_at, turn.client, turn.request_id) == (1772359200.0, "n 1", "s step 2")


@pytest.mark.parametrize(
    ("step", "call", "combined"),
    [
        pytest.param(AGENT, True, False, id="an agent"),
        pytest.param({**AGENT, "llm_call_count": 1}, True, False, id="one call"),
        pytest.param({**AGENT, "llm_call_count": 2}, True, True, id="two calls"),
        pytest.param({**AGENT, "llm_call_count": 0}, False, False, id="without a model"),
        pytest.param({**AGENT, "is_copied_context": True}, False, False, id="copied"),
        pytest.param(USER, False, False, id="a user"),
    ],
)
def test_which_steps_are_calls(step: dict[str, Any], call: bool, combined: bool) -> None:
    assert (is_call(step), is_combined(step)) == (call, combined)


def test_counts_of_several_calls_are_those_of_none() -> None:
    (turn,) = turns(USER, {**AGENT, "llm_call_count": 2, "metrics": {"prompt_tokens": 9, "cached_tokens": 0}})
    assert (turn.usage.prompt_tokens, turn.usage.cached_tokens, turn.usage.cached_basis) == (None, None, "not-recorded")
    assert turn.note == "a step stands for several calls: what each of them had cached is unknown."


def test_what_is_no_call_is_history() -> None:
    (turn,) = turns({**USER, "is_copied_context": True}, {**AGENT, "llm_call_count": 0}, USER, AGENT)
    assert roles(turn) == ["user", "assistant", "user"]


def test_behind_a_managed_context_requests_are_cut_off() -> None:
    event = {"source": "system", "message": "summarized", "observation": {"results": [{"content": "x"}]}}
    first, second = turns(SYSTEM, USER, AGENT, event, USER, AGENT)
    assert first.completeness == {"reconstructed"} and second.completeness == {"reconstructed", "truncated"}
    assert "summarized" not in json.dumps(second.request.messages)


def test_what_a_trajectory_lacks() -> None:
    (turn,) = turns(USER, {**AGENT, "tool_calls": CALLS})
    assert turn.completeness == {"reconstructed", "no_system", "no_tools"}
    (turn,) = turns(SYSTEM, USER, {**AGENT, "tool_calls": CALLS}, tool_definitions=[{"type": "function"}])
    assert turn.completeness == {"reconstructed"} and len(turn.request.tools) == 1


def test_parts_of_a_message() -> None:
    parts = [{"type": "text", "text": "t"}, {"type": "image", "source": {"media_type": "image/png", "path": "a.png"}}]
    (turn,) = turns({**USER, "message": parts}, AGENT)
    assert turn.request.messages[0]["content"] == [
        {"type": "text", "text": "t"},
        {"type": "image_url", "image_url": {"url": "a.png"}},
    ]


def test_references() -> None:
    reference = {"trajectory_id": "t"}
    step = {**AGENT, "observation": {"results": [{"content": "x"}, {"subagent_trajectory_ref": [reference]}]}}
    assert list(references({"steps": [USER, step]})) == [reference]
