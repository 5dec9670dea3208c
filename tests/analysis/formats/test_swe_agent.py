"""SWE-agent: a real run without queries, and one with them after sweagent/agent/agents.py (trajectory steps)."""

import pytest

from analysis.formats import swe_agent
from analysis.formats.base import FormatError
from tests.format_samples import counts, log_of_sample, turns


def test_a_real_run_is_put_together_from_its_history() -> None:
    log = log_of_sample("swe-agent/test-repo.traj")
    assert counts(log) == [(None, None)] * 5
    assert [len(turn.request.messages) for turn in turns(log)] == [3, 5, 7, 9, 11]
    assert all(turn.completeness == {"reconstructed"} for turn in turns(log))
    assert all(set(message) == {"role", "content"} for turn in turns(log) for message in turn.request.messages)


def test_queries_are_what_was_sent() -> None:
    first, second = turns(log_of_sample("swe-agent/queries.traj"))
    assert (len(first.request.messages), len(second.request.messages)) == (2, 4)
    assert first.reply == {"role": "assistant", "content": "I list."} and first.request.model == "qwen3"
    assert not first.completeness and (first.request_id, second.request_id) == ("step 1", "step 2")


def test_without_a_step_it_is_refused() -> None:
    with pytest.raises(FormatError, match=r"^f: no step with a reply"):
        swe_agent.read(b'{"trajectory": [], "history": []}', "f", "f")
    assert swe_agent.sniff(b'{"environment": "e", "trajectory": [], "history": []}')
    assert not swe_agent.sniff(b'{"trajectory": [1]}')
