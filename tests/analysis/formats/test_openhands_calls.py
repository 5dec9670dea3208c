"""Completion logs: real ones of the SDK, and records after its sources (llm/llm.py, llm/utils/telemetry.py)."""

import json
from typing import Any

import pytest

from analysis.formats import openhands_calls
from analysis.formats.base import FormatError
from analysis.model.session import Log
from tests.format_samples import counts, log_of_sample, turns

NATIVE, WRITTEN = "openhands-calls/llm-logs", "openhands-calls/nonfncall-llm-logs"
TOOL = {"type": "function", "function": {"name": "t", "parameters": {}}}


def read(*files: tuple[str, dict[str, Any]]) -> Log:
    return openhands_calls.read_together([(name, json.dumps(said).encode()) for name, said in files], "src")


def call(asked: str, at: float = 100.0, **fields: Any) -> dict[str, Any]:
    answer = {"id": f"r{at}", "model": "m", "choices": [{"message": {"role": "assistant", "content": "yes"}}]}
    messages = [{"role": "user", "content": asked}]
    return {"messages": messages, "kwargs": {}, "response": answer, "timestamp": at, "latency_sec": 2.0, **fields}


def test_a_folder_is_a_session() -> None:
    log = log_of_sample(NATIVE)
    (session,) = log.sessions
    assert (session.session_id, session.inferred, log.problems) == ("s", False, ())
    assert counts(log) == [(tokens, 0) for tokens in (4812, 5002, 6123, 6277, 6485, 6729)]
    assert [len(turn.request.messages) for turn in session.turns] == [2, 4, 6, 8, 10, 12]
    first = session.turns[0]
    assert first.ended_at == 1757015025.9723232 and first.started_at == pytest.approx(1757015021.3136)
    assert len(first.request.tools) == 3 and not first.completeness


def test_without_tool_calling_the_tools_are_in_the_text_that_was_sent() -> None:
    log = log_of_sample(WRITTEN)
    assert counts(log) == [(7911, 7872), (8856, 8000), (9027, 8896), (9204, 9024)]
    *_others, last = turns(log)
    assert {message["role"] for message in last.request.messages} == {"system", "user", "assistant"}
    assert last.reply is not None and str(last.reply["content"]).startswith("<function=finish>")


def test_messages_that_were_sent_again_are_the_same_object() -> None:
    first, second, *_others = turns(log_of_sample(NATIVE))
    assert first.request.messages[0] is second.request.messages[0]


def test_folders_are_apart() -> None:
    log = read(("a/1.json", call("x")), ("b/1.json", call("x")), ("b/2.json", call("x", 200)))
    assert [(session.session_id, len(session.turns)) for session in log.sessions] == [("a", 1), ("b", 2)]


def test_a_folder_of_several_conversations_is_told_apart_by_what_was_asked_first() -> None:
    """As where nobody names the folders: those without tools were made for the last conversation."""
    with_tools = {"kwargs": {"tools": [TOOL]}}
    log = read(
        *(("1.json", call("x", 1, **with_tools)), ("2.json", call("y", 2, **with_tools))),
        *(("3.json", call("sum up", 3)), ("4.json", call("x", 4, **with_tools)), ("5.json", call("sum up", 5))),
    )
    found = {session.session_id: [turn.started_at for turn in session.turns] for session in log.sessions}
    assert {key: len(times) for key, times in found.items()} == {"src": 3, "src 2": 2}


def test_a_session_that_is_named_goes_first() -> None:
    named = {"kwargs": {"extra_body": {"metadata": {"session_id": "n"}}}}
    log = read(("1.json", call("x", 1, **named)), ("2.json", call("x", 2)))
    assert [session.session_id for session in log.sessions] == ["n", "src"]


@pytest.mark.parametrize(
    ("fields", "tools", "lacks"),
    [
        ({"kwargs": {"tools": [TOOL]}}, 1, set()),
        ({"tools": [TOOL]}, 1, set()),
        ({"tools": [{"kind": "TerminalTool", "description": "d", "title": "terminal"}]}, 0, {"no_tools"}),
        ({"tools": [{"kind": "TerminalTool"}], "raw_messages": []}, 0, set()),
        ({}, 0, set()),
    ],
    ids=["sent", "of the agent", "without parameters", "in the text", "none"],
)
def test_tools(fields: dict[str, Any], tools: int, lacks: set[str]) -> None:
    (turn,) = turns(read(("1.json", call("x", **fields))))
    assert (len(turn.request.tools), turn.completeness) == (tools, lacks)


def test_what_a_server_was_given_besides() -> None:
    body = {"chat_template_kwargs": {"enable_thinking": False}, "cache_salt": "tenant-secret"}
    (turn,) = turns(read(("1.json", call("x", kwargs={"extra_body": body}))))
    assert turn.request.template_kwargs == {"enable_thinking": False}
    assert turn.request.salt not in (None, "tenant-secret")


def test_a_call_of_the_responses_api() -> None:
    said = {
        **{"llm_path": "responses", "instructions": "S", "input": [{"role": "user", "content": "x"}]},
        **{
            "tools": [{"type": "function", "name": "t", "parameters": {}}],
            "kwargs": {},
            "timestamp": 9,
            "latency_sec": 1,
        },
        "response": {
            "id": "r",
            "object": "response",
            "model": "m",
            "output": [{"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "yes"}]}],
            "usage": {"input_tokens": 50, "output_tokens": 2, "input_tokens_details": {"cached_tokens": 48}},
        },
    }
    (turn,) = turns(read(("1.json", said)))
    assert [message["content"] for message in turn.request.messages] == ["S", "x"] and len(turn.request.tools) == 1
    assert (turn.reply, turn.usage.cached_tokens) == ({"role": "assistant", "content": "yes"}, 48)


def test_a_call_that_failed_is_no_turn() -> None:
    failed = {"messages": [{"role": "user", "content": "x"}], "kwargs": {}, "latency_sec": 1, "error": {"type": "E"}}
    assert openhands_calls.sniff(json.dumps(failed).encode())
    log = read(("1.json", call("x")), ("2-error.json", failed))
    assert [(problem.file, problem.message) for problem in log.problems] == [
        ("2-error.json", "the call failed: no turn.")
    ]
    with pytest.raises(FormatError, match=r"^2-error\.json: no call with an answer in it"):
        read(("2-error.json", failed))


def test_older_logs_have_no_latency() -> None:
    said = call("x")
    del said["latency_sec"]
    (turn,) = turns(read(("1.json", {**said, "args": [], "cost": 0.1})))
    assert turn.started_at is None and turn.ended_at == 100
