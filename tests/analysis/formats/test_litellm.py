"""LiteLLM's logs, made after its sources (litellm/types/utils.py StandardLoggingPayload; schema.prisma SpendLogs)."""

import json

import pytest

from analysis.formats import litellm
from analysis.formats.base import FormatError
from analysis.model.session import Json, Usage
from tests.format_samples import counts, log_of_sample, sample, turns

PAYLOAD, ROWS = "litellm/payload.jsonl", "litellm/spend_logs.json"


def test_a_payload_is_a_turn_with_its_deployment() -> None:
    session, _blacked_out = log_of_sample(PAYLOAD).sessions
    first, second = session.turns
    assert session.session_id == "s1" and (first.usage, second.usage.cached_tokens) == (
        Usage(100, 5, 0, "reported"),
        64,
    )
    assert (first.replica, second.replica) == ("dep-a", "dep-b"), "which deployment answered decides about its cache"
    assert first.started_at is not None and first.first_token_at == first.started_at + 0.5
    assert first.request.tools and first.request.salt not in (None, "tenant-secret")
    assert first.request.salt == second.request.salt


def test_what_went_to_no_model_is_no_turn() -> None:
    problems = log_of_sample(PAYLOAD).problems
    assert [(problem.line, problem.message.partition(":")[0]) for problem in problems] == [
        (3, "answered from LiteLLM's own cache"),
        (4, "the call failed"),
        (6, "call_type aembedding is no chat"),
    ]


def test_a_history_that_is_sent_again_is_kept_once() -> None:
    told, tool = [{"role": "user", "content": f"{number}"} for number in range(6)], {"type": "function"}
    calls = [
        {"call_type": "completion", "session_id": "s", "model_parameters": {"tools": [tool]}, "messages": told[:number]}
        for number in range(1, 7)
    ]
    read = list(turns(litellm.read("\n".join(map(json.dumps, calls)).encode(), "f", "f")))
    assert [list(turn.request.messages) for turn in read] == [told[:number] for number in range(1, 7)]
    assert len({id(message) for turn in read for message in turn.request.messages}) == 6
    assert len({id(tool) for turn in read for tool in turn.request.tools}) == 1


def test_a_prompt_that_was_blacked_out_is_marked() -> None:
    *_others, last = turns(log_of_sample(PAYLOAD))
    assert last.completeness == {"redacted"} and last.usage.cached_tokens == 64


def test_rows_take_their_counts_from_the_metadata_and_their_prompt_from_either_field() -> None:
    log = log_of_sample(ROWS)
    (session,) = log.sessions
    assert session.session_id == "s9" and counts(log) == [(100, 48)] * 2
    assert [turn.completeness for turn in session.turns] == [set(), {"truncated"}]
    assert "store_prompts_in_spend_logs" in log.problems[0].message


@pytest.mark.parametrize(
    ("field", "said"),
    [("trace_id", {}), ("session_id", {"spend": 0.1})],
    ids=["a payload", "a row, whose session is its trace"],
)
def test_a_chat_whose_calls_have_traces_of_their_own_is_one_session(field: str, said: dict[str, Json]) -> None:
    messages: list[Json] = [{"role": "user", "content": "a"}]
    lines = []
    for number in range(4):
        call = {"call_type": "acompletion", "model_group": "g", "model": "m", "messages": [*messages], **said}
        lines.append(json.dumps({**call, "id": f"{number}", "startTime": 10.0 + number, field: f"made-up-{number}"}))
        messages += [{"role": "assistant", "content": "b"}, {"role": "user", "content": f"{number}"}]
    (session,) = litellm.read("\n".join(lines).encode(), "f", "f").sessions
    assert len(session.turns) == 4 and session.inferred


@pytest.mark.parametrize(
    "row", [{"call_type": "acompletion", "spend": 0}, {"call_type": "aembedding", "messages": "x"}]
)
def test_without_a_prompt_it_is_refused_with_the_first_reason(row: dict[str, Json]) -> None:
    with pytest.raises(FormatError, match=r"^f: no call with its prompt in it\. .* First problem: line 1: "):
        litellm.read(json.dumps(row).encode(), "f", "f")


def test_a_row_of_another_table_is_not_ours() -> None:
    assert litellm.sniff(sample(ROWS).read_bytes()) and not litellm.sniff(b'{"call_type": "x"}')
