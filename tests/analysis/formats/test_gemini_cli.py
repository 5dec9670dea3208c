"""Gemini CLI: trimmed sessions of both versions, and one with updates, a rewind and a history that was rewritten."""

import json

import pytest

from analysis.formats import FormatError, gemini_cli, read_logs
from analysis.model.session import Json, JsonObject, Log, Turn
from analysis.model.settings import Settings
from analysis.pipeline.analyse import analyse
from tests.format_samples import counts, log_of_sample, sample, turns

OBJECT, LINES, BRANCHES = "gemini-cli/small.json", "gemini-cli/jsonl_v040.jsonl", "gemini-cli/branches.jsonl"


def texts(turn: Turn) -> list[object]:
    return [message.get("content") for message in turn.request.messages]


@pytest.mark.parametrize("name", [LINES, BRANCHES])
def test_calls_are_the_ids_of_replies_with_tokens(name: str) -> None:
    lines = [json.loads(line) for line in sample(name).read_text().splitlines()]
    ids = dict.fromkeys(line["id"] for line in lines if line.get("type") == "gemini" and line.get("tokens"))
    log = log_of_sample(name)
    assert [turn.request_id for turn in turns(log)] == list(ids) and not log.problems


def test_a_session_in_one_object() -> None:
    log = log_of_sample(OBJECT)
    (turn,) = turns(log)
    assert (log.sessions[0].session_id, turn.request_id) == ("session-2026-01-16T18-34-3739ef95", "m2")
    assert counts(log) == [(10, None)] and turn.usage.cached_basis == "omitted"
    assert texts(turn) == ["Hello"] and turn.reply == {"role": "assistant", "content": "Hi!"}
    assert turn.completeness == {"no_system", "no_tools", "reconstructed"}


def test_a_session_in_lines() -> None:
    log = log_of_sample(LINES)
    first, second = turns(log)
    assert counts(log) == [(11855, 0), (12069, 11502)]
    assert [message["role"] for message in second.request.messages] == ["user", "assistant", "tool"]
    assert first.reply is not None and first.reply["tool_calls"] is not None and first.usage.output_tokens == 81
    assert str(second.request.messages[2]["content"]).startswith("Output: AgentSessions/")
    assert (first.ended_at, second.started_at) == (1777498775.125, 1777498775.364)


def test_a_rewind_is_a_branch_and_a_rewritten_history_begins_anew() -> None:
    log = log_of_sample(BRANCHES)
    (session,) = log.sessions
    assert {turn.request_id: turn.lineage for turn in session.turns} == {
        "m2": None,
        "m4": None,
        "m6": "branch-1",
        "m8": None,
        "m10": None,
    }
    first, second, given_up, fourth, last = session.turns
    assert texts(second) == ["List the files.", "I look.", "a b"]
    assert texts(given_up) == [*texts(second), "a and b", "Delete a."]
    assert texts(fourth) == [*texts(second), "a and b", "Delete b."]
    assert texts(last) == ["<state_snapshot>b was deleted</state_snapshot>", "Got it.", "What is left?"]
    assert (first.line, first.usage.output_tokens) == (3, 15)
    (found,) = analyse(log.sessions, lambda model: None, Settings())
    assert [cause.code for turn in found.turns for cause in turn.causes] == ["client/compaction"]
    assert found.turns[-1].causes[0].deliberate


HEAD: JsonObject = {"sessionId": "s", "projectHash": "h"}
COUNTS: JsonObject = {"input": 10, "output": 1, "cached": 0}


def message(own: str, kind: str, content: Json, **said: Json) -> JsonObject:
    return {"id": own, "type": kind, "content": content, **said}


def read(*lines: JsonObject, head: JsonObject = HEAD, file: str = "f") -> list[Turn]:
    data = "\n".join(json.dumps(one) for one in (head, *lines)).encode()
    (session,) = gemini_cli.read(data, file, "s").sessions
    return list(session.turns)


USER = message("u", "user", "hi")
TOOL: JsonObject = {
    "id": "t",
    "name": "ls",
    "args": {},
    "result": [{"functionResponse": {"id": "t", "response": {"output": "a"}}}],
}


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        pytest.param([message("g", "gemini", "yes", tokens=COUNTS)], ["g"], id="counted"),
        pytest.param([message("g", "gemini", "yes", model="m")], ["g"], id="not counted"),
        pytest.param([message("g", "gemini", "Got it."), message("h", "gemini", "a", model="m")], ["h"], id="made up"),
        pytest.param(
            [message("g", "gemini", "yes", tokens=COUNTS), message("h", "gemini", "and", model="m")],
            ["g"],
            id="a piece of the reply before it",
        ),
        pytest.param(
            [message("g", "gemini", "yes", tokens=COUNTS, toolCalls=[TOOL]), message("h", "gemini", "and", model="m")],
            ["g", "h"],
            id="behind tools a reply of its own",
        ),
        pytest.param(
            [message("g", "gemini", "yes", model="m"), message("g", "gemini", "yes", model="m", tokens=COUNTS)],
            ["g"],
            id="written again",
        ),
        pytest.param([{"$rewindTo": "nowhere"}, message("g", "gemini", "yes", model="m")], ["g"], id="all rewound"),
    ],
)
def test_calls(lines: list[JsonObject], expected: list[str]) -> None:
    assert [turn.request_id for turn in read(USER, *lines)] == expected


def test_a_rewritten_history_repeats_no_call_and_no_result() -> None:
    """Its contents hold the calls of tools and their results once more."""
    called: Json = [{"text": "I look."}, {"functionCall": {"id": "t", "name": "ls", "args": {}}}]
    reply = message("g", "gemini", called, tokens=COUNTS, toolCalls=[TOOL, TOOL])
    results = message("r", "user", [{"functionResponse": {"id": "t", "response": {"output": "a"}}}])
    first, last = read(
        USER, reply, {"$set": {"messages": [USER, reply, results]}}, message("h", "gemini", "a", tokens=COUNTS)
    )
    assert (first.request_id, last.request_id) == ("g", "h")
    assert [one["role"] for one in last.request.messages] == ["user", "assistant", "tool"]
    assert [call["id"] for call in last.request.messages[1]["tool_calls"]] == ["t"]  # type: ignore[union-attr,index,call-overload]


@pytest.mark.parametrize(
    ("file", "key"), [("chats/parent/s.jsonl", "parent"), ("s.jsonl", "s")], ids=["in its folder", "alone"]
)
def test_a_sub_agent_is_a_lineage_of_the_session_that_called_it(file: str, key: str) -> None:
    data = "\n".join(map(json.dumps, ({**HEAD, "kind": "subagent"}, USER, message("g", "gemini", "a", model="m"))))
    (session,) = gemini_cli.read(data.encode(), file, "s").sessions
    assert (session.session_id, session.turns[0].lineage) == (key, "agent s")


def test_a_session_in_two_files_is_counted_once() -> None:
    """Where an older version wrote the first file, resuming the session copies it into the second."""
    old = {**HEAD, "messages": [USER, message("g", "gemini", "a", tokens=COUNTS)]}
    more = (message("v", "user", "more"), message("h", "gemini", "b", tokens={**COUNTS, "cached": 8}))
    new = "\n".join(map(json.dumps, (HEAD, *old["messages"], *more)))  # type: ignore[misc]
    ((_name, log),) = read_logs([("s.jsonl", new.encode()), ("s.json", json.dumps(old).encode())], "s")
    assert isinstance(log, Log)
    assert [(one.file, [turn.request_id for turn in one.turns]) for one in log.sessions] == [
        ("s.json", ["g"]),
        ("s.jsonl", ["h"]),
    ]
    assert counts(log) == [(10, 0), (10, 8)]
    assert [(one.file, one.line, one.message) for one in log.problems] == [
        ("s.jsonl", 3, "also in another file of this session: counted there.")
    ]


def test_a_prompt_of_no_tokens_was_not_counted() -> None:
    (turn,) = read(USER, message("g", "gemini", "a", tokens={"input": 0, "output": 0, "cached": 0}))
    assert turn.usage.prompt_tokens is None and turn.usage.cached_basis == "not-recorded"


def test_without_a_reply_it_is_refused() -> None:
    with pytest.raises(FormatError, match=r"^f: no reply of a model in it"):
        gemini_cli.read(json.dumps({**HEAD, "messages": [USER]}).encode(), "f", "f")
