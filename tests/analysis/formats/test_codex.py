"""Codex: a real run of 39 calls, a fixture with every kind of line, and the event stream of ``codex exec --json``."""

import json
from typing import Any

import pytest

from analysis.formats import codex, openai_chat
from analysis.formats.base import FormatError
from tests.builders import read_log
from tests.format_samples import counts, log_of_sample, sample, turns

REAL, EVERY, USAGE = (
    f"codex/{name}" for name in ("rollout-2025-11-17T15-30-28.jsonl", "small.jsonl", "codex_051_usage.jsonl")
)


@pytest.mark.parametrize(
    ("name", "expected"), [(REAL, (39, 39, 37)), (EVERY, (1, 1, 1)), (USAGE, (2, 2, 2))], ids=["real", "every", "usage"]
)
def test_turns_and_their_cached_tokens(name: str, expected: tuple[int, int, int]) -> None:
    """Turns, those whose cached tokens are known, those where they are not zero."""
    cached = [cached for _prompt, cached in counts(log_of_sample(name))]
    known = [one for one in cached if one is not None]
    assert (len(cached), len(known), len([one for one in known if one])) == expected


def test_a_real_run() -> None:
    log = log_of_sample(REAL)
    (session,) = log.sessions
    assert session.session_id == "019a93b9-f380-7600-98ff-940e6b99603c" and not log.problems
    assert counts(log)[:4] == [(10128, 0), (10334, 0), (11862, 10240), (12496, 9216)]
    assert [len(turn.request.messages) for turn in session.turns] == list(range(2, 80, 2))
    first, second = session.turns[:2]
    assert second.request.messages[2] == first.reply and first.reply is not None and first.reply["tool_calls"]
    assert (first.request.model, first.request.template_kwargs) == ("gpt-5.1-codex", {"reasoning_effort": "high"})
    assert first.completeness == {"reconstructed", "no_tools", "no_system"} and first.client == "codex_cli_rs 0.58.0"
    assert first.ended_at is not None and second.started_at == pytest.approx(first.ended_at, abs=0.01)


def test_newer_rollouts_carry_instructions_and_the_tools_of_a_client() -> None:
    log = log_of_sample(EVERY)
    (turn,) = turns(log)
    assert [message["role"] for message in turn.request.messages] == ["system", "user", "assistant", "tool", "tool"]
    assert [tool["function"] for tool in turn.request.tools] == [
        {"name": "example_tool", "description": "[trimmed for fixture]", "parameters": TOOL}
    ]
    assert turn.completeness == {"reconstructed", "no_tools"}, "the built-in tools are not in it"
    assert turn.reply is not None and "Found 2 files." in str(turn.reply["content"])
    assert [problem.line for problem in log.problems] == [20]


TOOL = {"type": "object", "properties": {}}


def test_the_usage_of_whole_turns_says_so() -> None:
    log = log_of_sample(USAGE)
    assert counts(log) == [(1420, 380), (1420, 1040)], "the file counts from the beginning of the thread"
    assert {turn.note for turn in turns(log)} == {"all calls of a turn together"}
    assert all("truncated" in turn.completeness for turn in turns(log))
    assert [(problem.line, problem.message) for problem in log.problems] == [(2, codex.SUMS)]


def lines(*records: dict[str, Any]) -> bytes:
    return "\n".join(map(json.dumps, records)).encode()


def test_the_event_stream_of_exec() -> None:
    data = lines(
        {"type": "thread.started", "thread_id": "t1"},
        {"type": "item.completed", "item": {"type": "agent_message", "text": "a"}},
        {"type": "turn.completed", "usage": {"input_tokens": 50, "cached_input_tokens": 0, "output_tokens": 3}},
        {"type": "turn.completed", "usage": {"input_tokens": 120, "cached_input_tokens": 48, "output_tokens": 5}},
    )
    (session,) = read_log(data, "f", "f").sessions
    found = [(turn.usage.prompt_tokens, turn.usage.cached_tokens) for turn in session.turns]
    assert (session.session_id, found) == ("t1", [(50, 0), (70, 48)])


def test_a_zero_that_the_client_may_have_made_up_is_unknown() -> None:
    usage = {"input_tokens": 50, "cached_input_tokens": 0}
    (turn,) = turns(codex.read(lines({"type": "turn.completed", "usage": usage}), "f", "f"))
    assert (turn.usage.cached_tokens, turn.usage.cached_basis) == (None, "omitted")


@pytest.mark.parametrize(
    ("meta", "expected"),
    [
        pytest.param({"id": "a"}, ("a", None), id="a session"),
        pytest.param({"id": "a", "forked_from_id": "p"}, ("a", None), id="a fork"),
        pytest.param({"id": "a", "parent_thread_id": "p"}, ("p", "sub-agent a"), id="a sub-agent"),
        pytest.param(
            {"id": "a", "session_id": "root", "parent_thread_id": "p", "agent_nickname": "Ada"},
            ("root", "sub-agent Ada"),
            id="a sub-agent of a sub-agent",
        ),
        pytest.param({}, ("f", None), id="no id"),
    ],
)
def test_session_and_lineage(meta: dict[str, Any], expected: tuple[str, str | None]) -> None:
    content = [{"type": "input_text", "text": "hi"}]
    usage = {"last_token_usage": {"input_tokens": 9}, "total_token_usage": {"input_tokens": 9}}
    data = lines(
        {"type": "session_meta", "payload": meta},
        {"type": "response_item", "payload": {"type": "message", "role": "user", "content": content}},
        {"type": "event_msg", "payload": {"type": "token_count", "info": usage}},
    )
    (session,) = codex.read(data, "f", "s").sessions
    assert (session.session_id, session.turns[0].lineage) == expected
    assert session.turns[0].usage.cached_basis == "omitted", "unknown is not zero"


def test_a_review_is_no_request() -> None:
    """Its payload has a prompt, as a request to /v1/completions has."""
    review = {"type": "event_msg", "payload": {"type": "entered_review_mode", "prompt": "look"}}
    data = lines({"type": "session_meta", "payload": {"id": "a"}}, review)
    assert codex.sniff(data) and not openai_chat.sniff(data)


def test_without_a_call_it_is_refused() -> None:
    opening = sample(REAL).read_bytes().split(b"\n")[0]
    with pytest.raises(FormatError, match=r"^f: no call of a model in it"):
        codex.read(opening, "f", "f")
