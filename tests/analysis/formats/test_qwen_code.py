"""Qwen Code: a synthetic chat of another project, and one with telemetry, a rewind and a compression."""

import json

import pytest

from analysis.formats import FormatError, qwen_code
from analysis.model.session import Json, JsonObject, Turn
from analysis.model.settings import Settings
from analysis.pipeline.analyse import analyse
from tests.format_samples import counts, log_of_sample, sample, turns

CHAT, BRANCHES = "qwen-code/chat.jsonl", "qwen-code/branches.jsonl"


def texts(turn: Turn) -> list[object]:
    return [message.get("content") for message in turn.request.messages]


@pytest.mark.parametrize("name", [CHAT, BRANCHES])
def test_calls_are_the_replies_and_not_what_telemetry_says_again(name: str) -> None:
    lines = [json.loads(line) for line in sample(name).read_text("utf-8").splitlines()]
    log = log_of_sample(name)
    assert [turn.request_id for turn in turns(log)] == [line["uuid"] for line in lines if line["type"] == "assistant"]
    assert not log.problems


def test_a_chat_without_counts() -> None:
    first, second = turns(log_of_sample(CHAT))
    assert counts(log_of_sample(CHAT)) == [(None, None)] * 2 and second.usage.cached_basis == "not-recorded"
    assert first.reply is not None and first.reply["reasoning_content"] == "I should read the synthetic file."
    assert [message["role"] for message in second.request.messages] == ["user", "assistant", "tool"]
    assert second.completeness == {"no_system", "no_tools", "reconstructed"}
    assert (second.client, second.started_at, second.ended_at) == ("qwen-code 0.21.13", 1786968002.0, 1786968003.0)


def test_a_rewind_is_a_branch_and_a_compression_begins_anew() -> None:
    log = log_of_sample(BRANCHES)
    (session,) = log.sessions
    assert {turn.request_id: turn.lineage for turn in session.turns} == {
        "a1": None,
        "a2": None,
        "a3": "branch-1",
        "a4": None,
        "a5": None,
    }
    first, second, given_up, fourth, last = session.turns
    assert texts(second) == ["List the files.", None, "a b", "no file"]
    assert texts(given_up) == [*texts(second), "a and b", "Delete a."]
    assert texts(fourth) == [*texts(second), "a and b", "Delete b."]
    assert texts(last) == ["<state_snapshot>b was deleted</state_snapshot>", "Got it.", "What is left?"]
    assert counts(log) == [(500, 0), (560, 512), (580, 560), (580, 560), (210, 0)]
    assert first.usage.output_tokens == 20
    assert [turn.note for turn in session.turns] == [None, None, None, None, "behind a compression of the history"]
    (found,) = analyse(log.sessions, lambda model: None, Settings())
    assert [cause.code for turn in found.turns for cause in turn.causes] == ["client/compaction"]
    assert found.turns[-1].causes[0].deliberate


def line(uuid: str, parent: str | None, kind: str, text: str | None = None, **said: Json) -> JsonObject:
    role = "model" if kind == "assistant" else "user"
    message: JsonObject = {"role": role, "parts": [{"text": text}]} if text is not None else {"role": role, "parts": []}
    return {"uuid": uuid, "parentUuid": parent, "sessionId": "s", "type": kind, "message": message, **said}


def read(*lines: JsonObject) -> tuple[list[Turn], list[str]]:
    log = qwen_code.read("\n".join(json.dumps(one) for one in lines).encode(), "f", "s")
    return list(turns(log)), [problem.message.partition(":")[0] for problem in log.problems]


ZERO: JsonObject = {"promptTokenCount": 100, "cachedContentTokenCount": 0}


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        pytest.param([line("r", "u", "user", "!", subtype="realtime_message")], ["hi"], id="never sent"),
        pytest.param([line("r", "u", "user", "more", subtype="mid_turn_user_message")], ["hi", "more"], id="sent"),
        pytest.param([line("r", "u", "system", "x", subtype="ui_telemetry")], ["hi"], id="a line of the client"),
        pytest.param([line("r", "u", "assistant", "copied", forkedFrom={})], ["hi", "copied"], id="a copied reply"),
        pytest.param([line("r", "u", "assistant")], ["hi"], id="a reply without a part"),
        pytest.param(
            [
                line(
                    "r",
                    None,
                    "system",
                    subtype="agent_bootstrap",
                    systemPayload={"history": [{"role": "user", "parts": [{"text": "task"}]}]},
                )
            ],
            ["task"],
            id="a sub-agent with a history",
        ),
    ],
)
def test_what_a_request_holds(lines: list[JsonObject], expected: list[str]) -> None:
    (turn,), problems = read(line("u", None, "user", "hi"), *lines, line("a", "r", "assistant", "yes"))
    assert texts(turn) == expected and not problems


def test_a_zero_of_a_model_without_another_count_is_unknown() -> None:
    (turn,), _ = read(line("u", None, "user", "hi"), line("a", "u", "assistant", "yes", model="m", usageMetadata=ZERO))
    assert (turn.usage.prompt_tokens, turn.usage.cached_tokens, turn.usage.cached_basis) == (100, None, "omitted")


def test_a_sub_agent_is_a_lineage() -> None:
    agent: dict[str, Json] = {"isSidechain": True, "agentId": "x-1"}
    found, _ = read(
        line("u", None, "user", "hi"),
        line("s", None, "user", "task", **agent),
        line("b", "s", "assistant", "done", **agent),
        line("a", "u", "assistant", "yes"),
    )
    assert {turn.request_id: turn.lineage for turn in found} == {"a": None, "b": "agent x-1"}


def test_damage_is_said() -> None:
    (first, _second), problems = read(
        line("u", "lost", "user", "hi"),
        {"sessionId": "s", "type": "user"},
        line("a", "u", "assistant", "yes"),
        line("a", "u", "assistant", "again"),
        line("b", "a", "assistant", "more"),
    )
    assert problems == ["the line that this one continues is not in the log", "a line without an id of its own"]
    assert "truncated" in first.completeness and texts(_second) == ["hi", "yes"]


def test_without_a_reply_it_is_refused() -> None:
    with pytest.raises(FormatError, match=r"^f: no reply of a model in it"):
        qwen_code.read(b'{"uuid": "a", "sessionId": "s", "type": "system", "systemPayload": {}}', "f", "f")


@pytest.mark.parametrize(
    ("first", "expected"),
    [
        ({"uuid": "a", "sessionId": "s", "systemPayload": {}}, True),
        ({"uuid": "a", "sessionId": "s", "message": {"parts": []}}, True),
        ({"uuid": "a", "sessionId": "s", "message": {"content": []}}, False),
        ({"message": {"parts": []}}, False),
    ],
)
def test_sniff(first: object, expected: bool) -> None:
    assert qwen_code.sniff(json.dumps(first).encode()) is expected
