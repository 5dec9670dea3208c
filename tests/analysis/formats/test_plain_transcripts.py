"""Transcripts in the shapes that tools write (ShareGPT, tau-bench v1 and v2, vLLM's multi-turn benchmark)."""

import json

import pytest

from analysis.formats import plain_transcripts
from analysis.formats.base import FormatError
from tests.builders import assistant, user
from tests.format_samples import counts, log_of_sample, sample, turns

SHAPES = {  # sessions, and messages of the request of every turn
    "array.json": (["array.json"], [2, 4]),
    "messages.jsonl": (["messages.jsonl"], [2, 4]),
    "fine_tuning.jsonl": (["fine_tuning.jsonl:1", "fine_tuning.jsonl:2"], [2, 2]),
    "sharegpt.json": (["g1"], [1, 3]),
    "tau_bench.json": (["3-1"], [2, 4]),
    "tau2.json": (["u1-0"], [2]),
    "multi_turn.json": (["m1"], [1, 3]),
}


@pytest.mark.parametrize("name", SHAPES)
def test_every_reply_is_a_request_with_what_stands_before(name: str) -> None:
    keys, lengths = SHAPES[name]
    log = log_of_sample(f"transcript/{name}")
    assert [session.session_id for session in log.sessions] == keys and not log.problems
    assert [len(turn.request.messages) for turn in turns(log)] == lengths
    assert counts(log) == [(None, None)] * len(lengths)
    assert all("reconstructed" in turn.completeness for turn in turns(log))


def test_what_is_missing_is_marked() -> None:
    (first, _second) = turns(log_of_sample("transcript/tau_bench.json"))
    assert first.completeness == {"reconstructed", "no_tools"}
    assert next(turns(log_of_sample("transcript/sharegpt.json"))).completeness == {"reconstructed", "no_system"}
    with_tools, without = turns(log_of_sample("transcript/fine_tuning.jsonl"))
    assert with_tools.request.tools and not without.request.tools


def test_roles_of_sharegpt_are_renamed() -> None:
    *_first, last = turns(log_of_sample("transcript/sharegpt.json"))
    assert [message["role"] for message in last.request.messages] == ["user", "assistant", "user"]
    assert last.reply == {"role": "assistant", "content": "d"}


def test_two_runs_of_one_task_are_two_sessions() -> None:
    runs = [{"task_id": 7, "traj": [user("a"), assistant(said), user("c"), assistant("d")]} for said in ("b", "x")]
    log = plain_transcripts.read(json.dumps(runs).encode(), "f", "f")
    assert [(one.session_id, len(one.turns)) for one in log.sessions] == [("7", 2), ("7 (run 2)", 2)]


def test_a_system_text_beside_the_messages_is_the_first() -> None:
    data = b'{"system": "s", "conversations": [{"from": "human", "value": "a"}, {"from": "gpt", "value": "b"}]}'
    (turn,) = turns(plain_transcripts.read(data, "f", "f"))
    assert [message["content"] for message in turn.request.messages] == ["s", "a"]
    assert turn.completeness == {"reconstructed"}


def test_without_a_reply_there_is_nothing_to_compare() -> None:
    with pytest.raises(FormatError, match=r"^f: no reply of a model in it"):
        plain_transcripts.read(b'[{"role": "user", "content": "a"}, {"b": 1}]', "f", "f")


def test_a_request_is_no_transcript() -> None:
    assert not plain_transcripts.sniff(b'{"model": "m", "messages": [{"role": "user", "content": "a"}]}')
    assert plain_transcripts.sniff(
        b'{"model": "m", "messages": [{"role": "user", "content": "a"}, {"role": "assistant"}]}'
    )
    assert not plain_transcripts.sniff(sample("mini-swe-agent/sympy.traj.json").read_bytes())
