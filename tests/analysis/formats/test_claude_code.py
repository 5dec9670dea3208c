"""Claude Code: a real session, trimmed ones of several versions, and some made for what these lack.

``project`` has a reply in four lines with tools side by side, a sub-agent, a failed call, a rewind, a refusal that
another model took over, and a compaction; ``kept`` a compaction that keeps messages; ``self_hosted`` the sub-agents of
an older version and a server that says nothing of its cache.
"""

import json
import re
from itertools import pairwise

import pytest

from analysis.formats import FormatError, claude_code, read_logs
from analysis.model.session import Log, Turn
from analysis.model.settings import Settings
from analysis.pipeline.analyse import analyse
from tests.format_samples import counts, log_of_sample, sample, turns

SESSION = "7d1c2a90-0001-4000-8000-000000000001"
PROJECT = tuple(
    f"claude-code/project/{SESSION}{rest}"
    for rest in ("/subagents/agent-b2f0.jsonl", "/subagents/agent-b2f0.meta.json", ".jsonl")
)
AGENT, META, MAIN = PROJECT
CHAIN = "claude-code/chain.jsonl"
KEPT, SELF_HOSTED = "claude-code/kept.jsonl", "claude-code/self_hosted.jsonl"
PARENT = "0a1b2c3d-4e5f-4061-8071-2a3b4c5d6e7f"


def by_id(log: Log) -> dict[str, Turn]:
    return {turn.request_id: turn for turn in turns(log)}


def texts(turn: Turn) -> list[object]:
    return [message.get("content") for message in turn.request.messages]


@pytest.mark.parametrize("names", [(CHAIN,), (MAIN,), (AGENT,), PROJECT, (KEPT,), (SELF_HOSTED,)])
def test_calls_are_the_message_ids_of_models(names: tuple[str, ...]) -> None:
    lines = [json.loads(line) for name in names if name != META for line in sample(name).read_text().splitlines()]
    replies = [line["message"] for line in lines if line["type"] == "assistant"]
    ids = {message["id"] for message in replies if message["model"] != "<synthetic>"}
    log = log_of_sample(*names)
    assert {turn.request_id for turn in turns(log)} == ids and len(list(turns(log))) == len(ids)


def test_a_folder_is_one_session_with_its_sub_agents() -> None:
    log = log_of_sample(*PROJECT)
    (session,) = log.sessions
    assert session.session_id == SESSION and session.file == " + ".join(
        name.removeprefix("claude-code/") for name in (MAIN, AGENT)
    )
    assert {turn.request_id: turn.lineage for turn in session.turns} == {
        "msg_1": None,
        "msg_2": None,
        "msg_s1": "agent b2f0",
        "msg_s2": "agent b2f0",
        "msg_3": None,
        "msg_4": "branch-1",
        "msg_5": None,
        "msg_6": "retracted-1",
        "msg_7": None,
        "msg_8": None,
    }
    assert [(problem.line, problem.message) for problem in log.problems] == [
        (14, "the call failed and counts as no turn.")
    ]


def test_a_reply_of_many_lines_is_one_message() -> None:
    turn = by_id(log_of_sample(MAIN))["msg_1"]
    assert turn.reply is not None and turn.reply["reasoning"] == "Look at both files."
    assert turn.reply["content"] == "I read both." and [call["id"] for call in turn.reply["tool_calls"]] == [  # type: ignore[union-attr,index,call-overload]
        "toolu_1",
        "toolu_2",
    ]
    assert (turn.line, turn.usage.output_tokens, turn.client) == (6, 40, "claude-code 2.1.92")
    assert turn.started_at is not None and turn.ended_at == turn.started_at + 5
    assert turn.completeness == {"no_system", "no_tools", "reconstructed"}


def test_requests_hold_their_branch_and_nothing_else() -> None:
    found = by_id(log_of_sample(MAIN))
    assert [message.get("tool_call_id") for message in found["msg_2"].request.messages] == [
        *(None, None),
        *("toolu_2", "toolu_1"),  # tools side by side: both results, in the order in which they came
    ]
    before = texts(found["msg_3"])
    assert texts(found["msg_4"]) == [*before, "It is fixed.", "Rename the function as well."]
    assert texts(found["msg_5"]) == [*before, "It is fixed.", "Rather delete the function."]
    assert texts(found["msg_6"]) == texts(found["msg_7"])
    assert {name: turn.note for name, turn in found.items() if turn.note} == {"msg_8": "behind a compaction"}
    (summary,) = found["msg_8"].request.messages
    assert isinstance(summary["content"], list) and [part["text"][:4] for part in summary["content"]] == [  # type: ignore[index,call-overload]
        "This",
        "Push",
    ]


@pytest.mark.parametrize(
    ("names", "num_pairs"), [((CHAIN,), 13), (PROJECT, 4)], ids=["a real session", "with branches and a sub-agent"]
)
def test_what_was_read_is_what_was_read_and_written_before(names: tuple[str, ...], num_pairs: int) -> None:
    """Anthropic's chain: in one lineage of one model every call reads what the call before it read and wrote.

    So the order of the calls is right, and none is counted twice.  A compaction ends the chain.
    """
    lines = [json.loads(line) for name in names if name != META for line in sample(name).read_text().splitlines()]
    said = {line["message"]["id"]: line["message"]["usage"] for line in lines if line["type"] == "assistant"}
    lineages: dict[tuple[str | None, str], list[Turn]] = {}
    for turn in turns(log_of_sample(*names)):
        lineages.setdefault((turn.lineage, turn.request.model), []).append(turn)
    pairs = [pair for found in lineages.values() for pair in pairwise(found) if pair[1].note is None]
    assert len(pairs) == num_pairs
    for before, now in pairs:
        counted = said[before.request_id]
        held = counted["cache_read_input_tokens"] + counted["cache_creation_input_tokens"]
        assert now.usage.cached_tokens == held
        assert now.request.messages[: len(before.request.messages)] == before.request.messages


def test_a_real_session_with_tools_side_by_side() -> None:
    log = log_of_sample(CHAIN)
    found = list(turns(log))
    assert not log.problems and {turn.lineage for turn in found} == {None}
    assert [message.get("tool_call_id") for message in found[2].request.messages[-2:]] == [
        "toolu_013bY7pp",
        "toolu_01N2w85j",
    ]
    assert [message["role"] for message in found[4].request.messages[-2:]] == ["assistant", "user"]  # by a hook


def test_counts_are_anthropics() -> None:
    assert counts(log_of_sample(AGENT)) == [(503, 0), (553, 500)]


def test_a_compaction_that_keeps_messages() -> None:
    """What is kept stands behind the summary from then on, and what was asked before is as it was."""
    found = by_id(log_of_sample(KEPT))
    assert texts(found["msg_c"]) == ["Start.", "Ready.", "Plan it.", "Planned.", "Go on."]
    assert texts(found["msg_d"]) == ["Summary: a plan was asked for.", "Planned.", "Go on.", "Went on.", "After it."]
    assert {turn.lineage for turn in found.values()} == {None}
    assert not any("truncated" in turn.completeness for turn in found.values())


def test_a_server_that_says_nothing_of_its_cache_is_unknown_and_no_miss() -> None:
    log = log_of_sample(SELF_HOSTED)
    assert counts(log) == [(900, None), (300, None), (340, None), (950, None), (980, None)]
    assert {turn.usage.cached_basis for turn in turns(log)} == {"omitted"}
    assert [turn.lineage for turn in turns(log)] == [None, "side-chain-1", "side-chain-1", None, None]
    (session,) = analyse(log.sessions, lambda model: None, Settings())
    assert not any(turn.causes for turn in session.turns)


def test_a_zero_counts_where_another_session_shows_that_the_model_counts() -> None:
    """Hits of one session say that a server counts; a first turn without any is then a miss of all of it."""
    hit = json.loads(sample(AGENT).read_text().splitlines()[-1])
    hit["message"]["usage"]["cache_creation_input_tokens"] = 0
    cold = {**hit, "sessionId": "cold", "uuid": "x", "parentUuid": None}
    cold["message"] = {**hit["message"], "id": "msg_x", "usage": {"input_tokens": 9, "cache_read_input_tokens": 0}}
    data = "\n".join(map(json.dumps, (cold, {**hit, "parentUuid": None})))
    assert counts(claude_code.read(data.encode(), "f", "s")) == [(9, 0), (503, 500)]
    assert counts(claude_code.read(json.dumps(cold).encode(), "f", "s")) == [(9, None)]


def test_branches_and_sub_agents_are_not_compared_with_the_session() -> None:
    """Only a change of the model in the session itself has a cost that the counts show; the last turn begins anew."""
    (session,) = analyse(log_of_sample(*PROJECT).sessions, lambda model: None, Settings())
    found = [(turn.turn.request.model, cause.code) for turn in session.turns for cause in turn.causes]
    assert found == [("claude-other", "key/lora"), ("claude-other", "client/user-edit")]
    assert session.turns[-1].causes[0].deliberate
    noted = {
        turn.turn.request_id for turn in session.turns if "measurement/lineage" in {note.code for note in turn.notes}
    }
    assert noted == {"msg_s1", "msg_s2", "msg_4", "msg_6"}


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        pytest.param(["large"], [f"a{number}" for number in range(1, 6)], id="without message ids"),
        pytest.param(["schema_drift"], ["t1", "a1"], id="an older version: tools on lines of their own"),
        pytest.param(["small"], ["a1", "msg_stage0_1", "a2", "a3"], id="placeholders are no keys"),
        pytest.param([f"subagent/{PARENT}"], ["pa1"], id="a session without its sub-agent"),
        pytest.param(
            [f"subagent/{PARENT}", f"subagent/{PARENT}/subagents/agent-a0ad4f44468bdf20d"], ["pa1", "ca1"], id="with it"
        ),
    ],
)
def test_trimmed_sessions(names: list[str], expected: list[str]) -> None:
    log = log_of_sample(*(f"claude-code/{name}.jsonl" for name in names))
    assert len(log.sessions) == 1 and [turn.request_id for turn in turns(log)] == expected
    assert all(turn.usage.cached_tokens is None for turn in turns(log))
    assert any("without a message id" in problem.message for problem in log.problems)


def test_trimmed_lines_are_left_out_and_said_to_be() -> None:
    log = log_of_sample("claude-code/small.jsonl")
    found = by_id(log)
    assert {name: turn.lineage for name, turn in found.items()} == {
        "a1": "side-chain-1",
        "msg_stage0_1": None,
        "a2": "side-chain-1 retracted-1",
        "a3": "side-chain-1",
    }
    assert found["a3"].note == "broken off by the client" and found["a2"].note is None
    lines = [json.loads(line) for line in sample("claude-code/small.jsonl").read_text().splitlines()]
    left = [line for line in lines if line["type"] in ("user", "assistant") and line["uuid"].startswith("[")]
    (said,) = [problem.message for problem in log.problems if "without an id of its own" in problem.message]
    assert re.findall(r"and (\d+) more", said) == [str(len(left) - 1)]


@pytest.mark.parametrize("folder", ["", f"{SESSION}/subagents/"], ids=["beside it", "in its folder"])
def test_a_compaction_that_is_written_as_a_sub_agent_sends_the_history(folder: str) -> None:
    """Its prompt continues a line of the session."""
    main, agent = [sample(name).read_text() for name in (MAIN, AGENT)]
    summing = agent.splitlines()[:2]
    compact = "\n".join(summing).replace("b2f0", "acompact-1").replace('"parentUuid":null', '"parentUuid":"msg_7-0"')
    files = [(f"{folder}agent-acompact-1.jsonl", compact.encode()), (f"{SESSION}.jsonl", main.encode())]
    ((_name, log),) = read_logs(files, "s")
    assert isinstance(log, Log)
    found = by_id(log)
    assert found["msg_s1"].lineage == "agent acompact-1" and "truncated" not in found["msg_s1"].completeness
    assert texts(found["msg_s1"]) == [*texts(found["msg_7"]), "Here is the note.", "Find all callers."]
    assert len(log.sessions) == 1


def test_what_a_session_copied_from_another_is_counted_there() -> None:
    whole = sample(AGENT).read_bytes()
    later = whole.replace(b"09:00", b"09:30").replace(SESSION.encode(), b"fork")
    ((_, log),) = read_logs([("b.jsonl", later), ("a.jsonl", whole)], "s")
    assert isinstance(log, Log)
    assert [(session.session_id, len(session.turns)) for session in log.sessions] == [(SESSION, 2)]
    assert [problem.message[:26] for problem in log.problems] == ["copied from another session"[:26]]


@pytest.mark.parametrize(
    ("first", "expected"),
    [
        pytest.param({"uuid": "a", "isSidechain": False, "type": "attachment"}, True, id="a line of the client"),
        pytest.param({"uuid": "a", "message": {"content": "hi"}}, True, id="a message"),
        pytest.param({"type": "summary", "summary": "s", "leafUuid": "a"}, True, id="a summary alone"),
        pytest.param({"type": "started", "key": "k", "agentId": "a"}, True, id="the journal of a workflow"),
        pytest.param({"uuid": "a", "isSidechain": False, "message": {"parts": []}}, False, id="parts are another's"),
        pytest.param({"version": 1, "entries": [{"sessionId": "s", "fullPath": "/s.jsonl"}]}, True, id="their list"),
        pytest.param({"type": "queue-operation", "operation": "enqueue"}, True, id="a queue"),
        pytest.param({"operation": "enqueue", "sessionId": "s"}, False, id="an operation of another tool"),
        pytest.param({"type": "result", "result": "x"}, False, id="a result of another tool"),
        pytest.param({"agentType": "general-purpose", "spawnDepth": 1}, True, id="beside a sub-agent"),
        pytest.param({"entries": [{"id": 1}]}, False, id="another list"),
        pytest.param({"uuid": "a"}, False, id="an id alone"),
    ],
)
def test_sniff(first: object, expected: bool) -> None:
    assert claude_code.sniff(json.dumps(first).encode()) is expected


def test_without_a_reply_it_is_refused() -> None:
    with pytest.raises(FormatError, match=r"^f: no reply of a model in it"):
        claude_code.read(b'{"agentType": "x", "spawnDepth": 1}', "f", "f")
