"""A batch that LangSmith's own client sent (langsmith-sdk, python/tests), and runs after its run data format."""

import json

import pytest

from analysis.formats import langsmith
from analysis.formats.base import FormatError
from analysis.model.session import Json, Usage
from tests.format_samples import counts, log_of_sample, turns

BATCH = "langsmith/langsmith_py_wrap_openai_reasoning.json"


def test_a_patch_completes_the_run_that_was_posted() -> None:
    log = log_of_sample(BATCH)
    (session,) = log.sessions
    (turn,) = session.turns
    assert session.session_id == "a8b34ded-ccd2-4fb7-bccb-9cd625066a14"
    assert turn.usage == Usage(43, 2497, 0, "reported") and turn.request.model == "o1-mini"
    assert turn.reply is not None and str(turn.reply["content"]).startswith("Certainly!")
    assert turn.started_at is not None and turn.ended_at is not None
    assert turn.ended_at - turn.started_at == pytest.approx(15.138, abs=0.001)
    assert not log.problems and not turn.completeness and turn.server_version == "fp_692002f015"


def test_a_thread_over_two_traces_is_one_session() -> None:
    log = log_of_sample("langsmith/runs.jsonl")
    (session,) = log.sessions
    assert session.session_id == "thread-1", "session_id of a run is its project"
    assert counts(log) == [(120, 0), (60, None), (160, 128), (190, 176)]
    assert [turn.lineage for turn in session.turns] == [None, "LangGraph r4", None, None]
    assert [[message["role"] for message in turn.request.messages] for turn in session.turns] == [
        ["system", "user"],
        ["system", "user"],
        ["system", "user", "assistant", "tool"],
        ["system", "user", "assistant", "tool", "assistant", "user"],
    ]
    assert session.turns[2].request.messages[2] == session.turns[0].reply
    assert all(len(turn.request.tools) == 1 and not turn.completeness for turn in session.turns)


def test_what_is_no_turn_is_said() -> None:
    problems = log_of_sample("langsmith/runs.jsonl").problems
    assert [(problem.line, problem.message[:16]) for problem in problems] == [
        (8, "the call failed "),
        (9, "a call without i"),
    ]


RUN: dict[str, Json] = {
    "id": "r",
    "trace_id": "t",
    "dotted_order": "20260101T000000000000Zr",
    "run_type": "llm",
    "inputs": {"messages": [{"role": "user", "content": "hi"}]},
    "outputs": {},
}


@pytest.mark.parametrize(
    "said",
    [
        {
            "outputs": {
                "usage_metadata": {"input_tokens": 100, "output_tokens": 5, "input_token_details": {"cache_read": 90}}
            }
        },
        {
            "outputs": {
                "usage": {"prompt_tokens": 100, "completion_tokens": 5, "prompt_tokens_details": {"cached_tokens": 90}}
            }
        },
        {
            "outputs": {
                "llm_output": {
                    "token_usage": {
                        "prompt_tokens": 100,
                        "completion_tokens": 5,
                        "prompt_tokens_details": {"cached_tokens": 90},
                    }
                }
            }
        },
        {
            "extra": {
                "metadata": {
                    "usage_metadata": {
                        "input_tokens": 10,
                        "output_tokens": 5,
                        "total_tokens": 105,
                        "input_token_details": {"cache_read": 90},
                    }
                }
            }
        },
    ],
    ids=["usage_metadata", "usage", "llm_output", "metadata, counted apart"],
)
def test_counts_wherever_they_stand(said: dict[str, Json]) -> None:
    (turn,) = turns(langsmith.read(json.dumps({**RUN, **said}).encode(), "f", "s"))
    assert turn.usage == Usage(100, 5, 90, "reported")


def test_the_counts_of_a_run_know_nothing_of_the_cache() -> None:
    (turn,) = turns(
        langsmith.read(json.dumps({**RUN, "prompt_tokens": 100, "completion_tokens": 5}).encode(), "f", "s")
    )
    assert turn.usage == Usage(100, 5, None, "omitted")


@pytest.mark.parametrize(
    ("record", "is_ours"),
    [
        (RUN, True),
        ({"post": [RUN]}, True),
        ({"runs": [RUN]}, True),
        ({"data": [RUN]}, True),
        ({"post": [], "patch": []}, True),
        ({"dotted_order": "x"}, False),
        ({"run_type": "llm", "inputs": {}}, False),
        ({"data": []}, False),
    ],
)
def test_runs_are_known(record: dict[str, Json], is_ours: bool) -> None:
    assert langsmith.sniff(json.dumps(record).encode()) is is_ours


def test_runs_within_runs_are_read_and_a_wrapper_is_no_second_call() -> None:
    inner = {**RUN, "id": "i", "dotted_order": "20260101T000000000000Zr.20260101T000001000000Zi", "prompt_tokens": 9}
    log = langsmith.read(json.dumps({**RUN, "child_runs": [inner]}).encode(), "f", "s")
    assert [(turn.request_id, turn.usage.prompt_tokens) for turn in turns(log)] == [("i", 9)]


def test_runs_without_ids_are_calls_of_their_own() -> None:
    bare = [{**RUN, "id": None, "inputs": {"messages": [{"role": "user", "content": text}]}} for text in "abc"]
    log = langsmith.read(json.dumps({"runs": bare}).encode(), "f", "s")
    assert [turn.request.messages[0]["content"] for turn in turns(log)] == ["a", "b", "c"]


def test_without_a_call_it_is_refused() -> None:
    with pytest.raises(
        FormatError, match=r"^f: no call of a model with its prompt in it\. Whymiss reads LangSmith runs"
    ):
        langsmith.read(json.dumps({**RUN, "run_type": "chain"}).encode(), "f", "f")
