"""Langfuse's own traces (packages/shared/scripts/seeder), and samples after its API and its export fields."""

import csv
import io
import json

import pytest

from analysis.formats import langfuse
from analysis.formats.base import FormatError
from analysis.model.session import Json, Usage
from tests.format_samples import counts, log_of_sample, sample, turns


@pytest.mark.parametrize(
    ("name", "num_turns", "known", "lacks"),
    [
        ("agno-2025-06-11", 4, 0, [{"no_system"}, {"no_system", "no_tools"}] * 2),
        ("langgraph-python-2025-08-22", 2, 2, [set()] * 2),
        ("openai-agents-2025-09-30", 2, 2, [set()] * 2),
        ("pydantic-ai-tools-2025-12-04", 4, 0, [set()] * 4),
        ("vercel-aisdk-2025-11-17", 2, 0, [{"no_tools"}, set()]),
    ],
)
def test_real_traces(name: str, num_turns: int, known: int, lacks: list[set[str]]) -> None:
    log = log_of_sample(f"langfuse/{name}.trace.json")
    cached = [number for _prompt, number in counts(log)]
    assert (len(cached), sum(number is not None for number in cached)) == (num_turns, known)
    assert not any(cached), "none of them was served from a cache"
    assert [set(turn.completeness) for turn in turns(log)] == lacks


def test_tools_among_the_messages_are_tools() -> None:
    first, second = turns(log_of_sample("langfuse/langgraph-python-2025-08-22.trace.json"))
    assert [message["role"] for message in second.request.messages] == ["user", "user", "assistant", "tool"]
    assert [tool["function"]["name"] for tool in second.request.tools] == ["Web-Search"]  # type: ignore[index,call-overload]
    assert first.reply is not None and first.reply["tool_calls"] == second.request.messages[2]["tool_calls"]


def test_instructions_and_tools_of_a_response_are_those_of_the_request() -> None:
    first, second = turns(log_of_sample("langfuse/openai-agents-2025-09-30.trace.json"))
    assert first.request.messages[0] == {"role": "system", "content": "You are a helpful agent."}
    assert [len(turn.request.tools) for turn in (first, second)] == [1, 1]
    assert second.request.messages[:2] == first.request.messages


def test_another_agent_of_a_trace_is_another_lineage() -> None:
    lineages = [turn.lineage for turn in turns(log_of_sample("langfuse/pydantic-ai-tools-2025-12-04.trace.json"))]
    assert lineages == [None, None, None, "side-1"]


@pytest.mark.parametrize("name", ["agno-2025-06-11", "vercel-aisdk-2025-11-17"])
def test_calls_within_calls_that_count_otherwise_are_said(name: str) -> None:
    log = log_of_sample(f"langfuse/{name}.trace.json")
    assert [turn.lineage for turn in turns(log)] == [None, "inner calls"] * (len(counts(log)) // 2)
    assert [problem.message.partition(":")[0] for problem in log.problems] == [
        "a call stands within another call that counts other tokens"
    ]


def test_observations_of_a_session_over_two_traces() -> None:
    log = log_of_sample("langfuse/observations.json")
    (session,) = log.sessions
    assert session.session_id == "s1"
    assert counts(log) == [(120, 0), (10, None), (160, 128), (190, 160), (9000, None)]
    assert [turn.request_id for turn in session.turns] == ["g1", "g2", "g3", "g4", "g7"], (
        "g0 is g1, told by its wrapper"
    )
    assert [turn.lineage for turn in session.turns] == [None, "researcher a2", None, None, "side-1"]
    assert [set(turn.completeness) for turn in session.turns[3:]] == [
        {"no_tools"},
        {"no_system", "no_tools", "truncated"},
    ]
    assert session.turns[0].request.template_kwargs == {"enable_thinking": False}
    assert session.turns[0].first_token_at == pytest.approx(session.turns[0].started_at + 0.4)  # type: ignore[operator]
    assert [(problem.line, problem.message[:16]) for problem in log.problems] == [
        (8, "the call failed "),
        (9, "a call without i"),
    ]


def test_rows_of_the_blob_storage_are_the_same() -> None:
    log = log_of_sample("langfuse/blob.jsonl")
    assert counts(log) == [(120, 0), (10, None), (160, 128)]
    assert [turn.lineage for turn in turns(log)] == [None, "researcher a2", None]


@pytest.mark.parametrize("name", ["observations.json", "blob.jsonl"])
def test_a_table_gives_what_the_same_observations_give(name: str) -> None:
    text = sample(f"langfuse/{name}").read_text("utf-8")
    rows = json.loads(text) if name.endswith("json") else [json.loads(line) for line in text.splitlines()]
    table = io.StringIO()
    writer = csv.DictWriter(table, fieldnames=[*rows[0]], extrasaction="ignore")
    writer.writeheader()
    for row in rows:
        writer.writerow({key: cell if isinstance(cell, str | None) else json.dumps(cell) for key, cell in row.items()})
    data = table.getvalue().encode()
    assert langfuse.sniff(data)
    log, whole = langfuse.read(data, "f", "s"), log_of_sample(f"langfuse/{name}")
    assert counts(log) == counts(whole)
    assert [turn.request.messages for turn in turns(log)] == [turn.request.messages for turn in turns(whole)]
    assert [turn.lineage for turn in turns(log)] == [turn.lineage for turn in turns(whole)]


@pytest.mark.parametrize(
    ("said", "usage"),
    [
        pytest.param(
            {"input": 10, "input_cached_tokens": 90, "output": 5}, Usage(100, 5, 90, "reported"), id="taken off"
        ),
        pytest.param(
            {"input": 10, "input_cached_tokens": 90, "output": 5, "total": 105},
            Usage(100, 5, 90, "reported"),
            id="taken off, as the total says",
        ),
        pytest.param(
            {"input": 100, "input_cache_read": 90, "output": 5, "total": 105},
            Usage(100, 5, 90, "reported"),
            id="not taken off, as the total says",
        ),
        pytest.param(
            {"input": 6, "input_cached_tokens": 90, "input_cache_creation": 3, "input_audio": 1, "output": 2}
            | {"output_reasoning": 3, "total": 105},
            Usage(100, 5, 90, "reported"),
            id="with other details",
        ),
        pytest.param(
            {"input": 100, "prompt_details.cache_read": 90, "output": 5},
            Usage(100, 5, 90, "reported"),
            id="the client's",
        ),
        pytest.param(
            {"input": 6, "cache_read_input_tokens": 90, "cache_creation_input_tokens": 4, "output": 5},
            Usage(100, 5, 90, "reported"),
            id="Anthropic's",
        ),
        pytest.param(
            {"input": 100, "cache_creation_input_tokens": 60, "output": 5},
            Usage(160, 5, None, "omitted"),
            id="Anthropic's, nothing read",
        ),
        pytest.param({"input": 100, "input_cache_read": 0, "output": 5}, Usage(100, 5, 0, "reported"), id="zero"),
        pytest.param({"input": 99, "input_audio": 1, "output": 5}, Usage(100, 5, None, "omitted"), id="not said"),
        pytest.param({"promptTokens": 100, "completionTokens": 5}, Usage(100, 5, None, "omitted"), id="older names"),
        pytest.param({}, Usage(), id="nothing"),
    ],
)
def test_counts(said: dict[str, Json], usage: Usage) -> None:
    assert langfuse.counted(said) == usage


SEEN: dict[str, Json] = {"id": "o", "traceId": "t", "type": "GENERATION", "parentObservationId": None, "input": "hi"}


@pytest.mark.parametrize(
    ("record", "is_ours"),
    [
        ({"trace": {}, "observations": []}, True),
        ({"id": "t", "observations": []}, True),
        ({"observations": [], "actions": []}, False),
        (SEEN, True),
        ({"data": [SEEN], "meta": {}}, True),
        ({"data": [SEEN]}, False),
        ({"data": [{"id": 1}], "meta": {}}, False),
        ({"id": "o", "traceId": "t"}, False),
        ({"input": {"messages": []}, "model": "m"}, False),
    ],
)
def test_observations_are_known(record: dict[str, Json], is_ours: bool) -> None:
    assert langfuse.sniff(json.dumps(record).encode()) is is_ours


def test_a_trace_of_the_api_and_a_page_are_read() -> None:
    trace = {"id": "t", "sessionId": "s9", "observations": [SEEN]}
    page = {"data": [SEEN], "meta": {"page": 1}}
    ids = [langfuse.read(json.dumps(one).encode(), "f", "s").sessions[0].session_id for one in (trace, page)]
    assert ids == ["s9", "t"], "a session where there is one, else the trace"


def test_observations_without_ids_are_calls_of_their_own() -> None:
    bare: list[Json] = [{**SEEN, "id": None, "input": f"question {number}"} for number in range(3)]
    log = langfuse.read(json.dumps({"data": bare, "meta": {}}).encode(), "f", "s")
    assert [turn.request.messages[0]["content"] for turn in turns(log)] == [f"question {n}" for n in range(3)]


def test_tools_that_langfuse_took_out() -> None:
    defined = {"f": '{"description": "d", "parameters": {}}'}
    (turn,) = turns(langfuse.read(json.dumps({**SEEN, "toolDefinitions": defined}).encode(), "f", "s"))
    assert turn.request.tools == (
        {"type": "function", "function": {"name": "f", "description": "d", "parameters": {}}},
    )


def test_without_a_generation_it_is_refused() -> None:
    with pytest.raises(FormatError, match=r"^f: no call of a model with its prompt in it\. Whymiss reads Langfuse"):
        langfuse.read(json.dumps({**SEEN, "type": "SPAN"}).encode(), "f", "f")
