"""mini-swe-agent: ten calls of a real run (format 1), and format 1.1 after minisweagent/agents/default.py."""

import json

import pytest

from analysis.formats import mini_swe_agent
from analysis.formats.base import FormatError
from analysis.model.settings import Settings
from analysis.pipeline.analyse import analyse
from tests.builders import assistant, user
from tests.format_samples import counts, log_of_sample, turns

REAL = "mini-swe-agent/sympy.traj.json"


def test_a_real_run() -> None:
    log = log_of_sample(REAL)
    (session,) = log.sessions
    assert session.session_id == "sympy__sympy-13031" and not log.problems
    assert [cached for _prompt, cached in counts(log)] == [0, 0, 0, 0, 2035, 0, 0, 4054, 4046, 2022]
    assert [len(turn.request.messages) for turn in session.turns] == list(range(2, 22, 2))
    assert session.turns[0].client == "mini-swe-agent 1.15.0" and session.turns[0].completeness == {"reconstructed"}
    assert all(set(message) == {"role", "content"} for message in session.turns[-1].request.messages)


def test_turns_served_by_another_provider_are_routing() -> None:
    """Without any tokenizer: the provider changed, the messages only grew, and little was cached."""
    (session,) = analyse(log_of_sample(REAL).sessions, lambda model: None, Settings())
    codes = {turn.turn.number - 1: [cause.code for cause in turn.causes] for turn in session.turns}
    replicas = [turn.turn.replica for turn in session.turns]
    changed = [number for number in range(1, 10) if replicas[number] != replicas[number - 1]]
    assert changed == [3, 5, 9]
    assert [number for number, found in codes.items() if found == ["routing/replica"]] == changed


def test_format_1_1_has_ids_tools_and_an_end() -> None:
    first, second = turns(log_of_sample("mini-swe-agent/v1_1.traj.json"))
    assert first.prompt_ids is not None and len(first.prompt_ids) == 20
    assert (second.usage.prompt_tokens, second.usage.cached_tokens) == (40, 16)
    assert second.completeness == {"reconstructed", "no_tools"}
    assert [message["role"] for message in second.request.messages] == ["system", "user", "assistant", "tool"]
    assert first.ended_at is not None and first.started_at == first.ended_at - 2.5


def test_two_runs_of_one_instance_are_two_sessions() -> None:
    runs = [
        {"trajectory_format": "mini-swe-agent-1", "instance_id": "i", "messages": [user("a"), assistant(said)]}
        for said in ("b", "x")
    ]
    log = mini_swe_agent.read(json.dumps(runs).encode(), "f", "f")
    assert [(one.session_id, len(one.turns)) for one in log.sessions] == [("i", 1), ("i (run 2)", 1)]


def test_without_a_reply_it_is_refused() -> None:
    with pytest.raises(FormatError, match=r"^f: no reply of a model in it"):
        mini_swe_agent.read(b'{"trajectory_format": "mini-swe-agent-1", "messages": []}', "f", "f")
