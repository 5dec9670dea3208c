"""Cline: a real session of two days, and the pair of files of a task, made after Cline's source (core/task, shared)."""

import json
from typing import Any

import pytest

from analysis.formats import cline, plain_transcripts, read_logs, shape
from analysis.formats.base import FormatError
from analysis.model.session import Log
from tests.builders import read_log
from tests.format_samples import counts, log_of_sample, sample, turns

REAL = "cline/session.messages.json"
HISTORY, SHOWN = "cline/task/api_conversation_history.json", "cline/task/ui_messages.json"


def test_a_real_session() -> None:
    log = log_of_sample(REAL)
    (session,) = log.sessions
    cached = [turn.usage.cached_tokens for turn in session.turns]
    assert (len(cached), cached.count(None), cached.count(0)) == (16, 0, 2)
    assert counts(log)[11:] == [(44244, 0), (45384, 44242), (51161, 45382), (51852, 51159), (12238, 12224)]
    assert [len(turn.request.messages) for turn in session.turns] == list(range(2, 34, 2))
    first, second, *_rest = session.turns
    assert session.session_id == "1784094124598_rruoq" and first.request.messages[0]["role"] == "system"
    assert second.request.messages[:2] == first.request.messages and second.request.messages[2] == first.reply
    assert second.request.messages[1] is first.request.messages[1], "messages are converted once"
    assert {turn.request.model for turn in session.turns} == {
        "anthropic/claude-opus-4.8-fast",
        "mistralai/voxtral-small-24b-2507",
    }
    assert first.completeness == {"reconstructed", "no_tools"}


def test_a_turn_begins_with_the_message_before_it() -> None:
    before, after = [*turns(log_of_sample(REAL))][10:12]
    assert before.ended_at is not None and after.started_at is not None and after.ended_at is not None
    assert (round(after.started_at - before.ended_at), round(after.ended_at - before.ended_at)) == (398, 403)


def test_files_and_results_are_text() -> None:
    turn = next(turns(log_of_sample(REAL)))
    *_system, asked = turn.request.messages
    assert isinstance(asked["content"], list) and '"use client"' in str(asked["content"][1])
    third = [*turns(log_of_sample(REAL))][2].request.messages[-1]
    assert third["role"] == "tool" and json.loads(str(third["content"]))[0]["query"].endswith(
        "agent-sidebar.tsx:462-480"
    )


@pytest.mark.parametrize("names", [(HISTORY, SHOWN), (SHOWN, HISTORY)])
def test_the_files_of_a_task_are_joined_whatever_their_order(names: tuple[str, str]) -> None:
    """The counts stand apart, the third call was stopped, and before the last one two messages were cut out."""
    log = log_of_sample(*names)
    (session,) = log.sessions
    assert counts(log) == [(9004, 0), (9084, 9000), (6010, 0)] and not log.problems
    assert [len(turn.request.messages) for turn in session.turns] == [1, 4, 5]
    assert [turn.started_at for turn in session.turns] == [1760000001, 1760000005, 1760000090]
    assert {turn.request.model for turn in session.turns} == {"claude-x"}
    assert session.turns[0].completeness == {"reconstructed", "no_system", "no_tools"}


def test_messages_alone_are_read_and_their_counts_unknown() -> None:
    log = log_of_sample(HISTORY)
    assert counts(log) == [(None, None)] * 3, "the reply that was stopped is none"
    assert {turn.usage.cached_basis for turn in turns(log)} == {"not-recorded"}


def test_counts_alone_say_what_is_missing() -> None:
    with pytest.raises(FormatError, match=r"^f: the counts of a task without its messages\. Put api_conversation_his"):
        cline.read(sample(SHOWN).read_bytes(), "f", "f")


@pytest.mark.parametrize(
    ("files", "found"),
    [
        pytest.param("a.json b.json", [("a.json", False), ("b.json", False)], id="two tasks"),
        pytest.param(
            "a.json b.json ui.json", [("a.json", False), ("b.json", False)], id="whose counts these are is not known"
        ),
        pytest.param(
            "a.json api_conversation_history.json ui.json", [("a.json", False), ("s", True)], id="known by its name"
        ),
        pytest.param("a.json ui.json ui.2.json", [("s", False)], id="two counts of one task"),
        pytest.param("d/a.json d/ui.json", [("d", True)], id="one task"),
    ],
)
def test_no_task_of_a_folder_is_lost(files: str, found: list[tuple[str, bool]]) -> None:
    history, shown = sample(HISTORY).read_bytes(), sample(SHOWN).read_bytes()
    given = [(name, shown if "ui" in name else history) for name in files.split()]
    log = cline.read_together(given, "s")
    assert [(one.session_id, one.turns[0].usage.prompt_tokens is not None) for one in log.sessions] == found
    told = [problem.file for problem in log.problems if problem.message == cline.COUNTS_ALONE]
    assert told == ([] if any(counted for _key, counted in found) else [name for name in files.split() if "ui" in name])


def test_tasks_of_several_folders_are_kept_apart() -> None:
    history, shown = sample(HISTORY).read_bytes(), sample(SHOWN).read_bytes()
    files = [("1/api.json", history), ("2/ui.json", shown), ("2/api.json", history), ("3/ui.json", shown)]
    ((_name, log),) = read_logs(files, "tasks")
    assert isinstance(log, Log)
    assert [(session.session_id, len(session.turns)) for session in log.sessions] == [("1", 3), ("2", 3)]
    assert [bool(session.turns[0].usage.prompt_tokens) for session in log.sessions] == [False, True]
    assert [(problem.file, problem.message) for problem in log.problems] == [("3/ui.json", cline.COUNTS_ALONE)]


def test_a_zero_is_one_only_where_the_model_ever_counts() -> None:
    """In whatever session: the client writes 0 where a server says nothing."""

    def session(model: str, *cached: int) -> bytes:
        replies = [
            {
                "role": "assistant",
                "content": "b",
                "modelInfo": {"id": model},
                "metrics": {"inputTokens": 9, "cacheReadTokens": hit},
            }
            for hit in cached
        ]
        messages = [one for reply in replies for one in ({"role": "user", "content": "a"}, reply)]
        return json.dumps({"sessionId": f"{model}{cached}", "system_prompt": "x", "messages": messages}).encode()

    files = [("1", session("a", 0, 8)), ("2", session("a", 0)), ("3", session("b", 0, 0))]
    ((_name, log),) = read_logs(files, "s")
    assert isinstance(log, Log) and counts(log) == [(9, 0), (9, 8), (9, 0), (9, None), (9, None)]


def test_another_agent_of_a_team_is_a_lineage_of_its_own() -> None:
    said = {"sessionId": "s", "system_prompt": "x", "agent": "reviewer", "messages": [{"role": "user", "content": "a"}]}
    said["messages"] = [{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}]
    (turn,) = turns(read_log(json.dumps(said).encode(), "f", "f"))
    assert turn.lineage == "agent reviewer" and turn.reply == {"role": "assistant", "content": "b"}


BLOCKS = [{"type": "text", "text": "a"}]
MESSAGES: dict[str, tuple[list[dict[str, Any]], bool]] = {
    "a time": ([{"role": "user", "content": BLOCKS, "ts": 1}], True),
    "a model": ([{"role": "user", "content": BLOCKS}, {"role": "assistant", "modelInfo": {}, "content": BLOCKS}], True),
    "its environment": ([{"role": "user", "content": [{"type": "text", "text": "<environment_details>"}]}], True),
    "plain blocks": ([{"role": "user", "content": BLOCKS}], False),
    "a plain text with a time": ([{"role": "user", "content": "a", "ts": 1}], False),
}


@pytest.mark.parametrize(("messages", "ours"), MESSAGES.values(), ids=MESSAGES)
def test_messages_are_known_by_what_is_noted_beside_them(messages: list[dict[str, Any]], ours: bool) -> None:
    head = json.dumps(messages).encode()
    assert cline.is_history(shape.opening(head)) is cline.sniff(head) is ours
    assert plain_transcripts.sniff(head) is not ours


def test_without_a_reply_it_is_refused() -> None:
    with pytest.raises(FormatError, match=r"^f: no reply in it"):
        cline.read(b'{"sessionId": "s", "system_prompt": "x", "messages": []}', "f", "f")
