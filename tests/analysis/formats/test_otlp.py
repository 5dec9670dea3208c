"""Samples after the OTLP JSON encoding, the GenAI conventions, OpenLLMetry, OpenInference, Phoenix's API."""

import json

import pytest

from analysis.formats import otlp
from analysis.formats.base import FormatError
from analysis.model.session import Json, Log
from tests.format_samples import counts, log_of_sample, turns


def lengths(log: Log) -> list[tuple[str | None, int]]:
    return [(turn.lineage, len(turn.request.messages)) for turn in turns(log)]


def test_a_conversation_over_two_traces_is_one_session() -> None:
    log = log_of_sample("otlp/genai.jsonl")
    (session,) = log.sessions
    assert (session.session_id, session.inferred) == ("conv-1", False)
    assert counts(log) == [(120, 0), (200, 64), (160, 128), (190, 160)], "the agent's own counts are those of its calls"
    assert lengths(log) == [(None, 2), ("researcher 00f067aa0ba90204", 2), (None, 4), (None, 6)]
    assert all(len(turn.request.tools) == 1 and not turn.completeness for turn in session.turns)
    first = session.turns[0]
    assert (first.request_id, first.replica, first.server_version) == ("chatcmpl-1", "10.0.0.5:8000", "vllm-0.32.0-tp1")
    assert (first.started_at, first.ended_at) == (1_764_500_001.0, 1_764_500_002.0)


def test_what_is_no_turn_is_said() -> None:
    failed, no_prompt = log_of_sample("otlp/genai.jsonl").problems
    assert (failed.line, failed.message) == (1, "the call failed and counts as no turn.")
    assert (no_prompt.line, "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT" in no_prompt.message) == (2, True)


def test_older_attributes_and_events() -> None:
    log = log_of_sample("otlp/older.json")
    assert [session.session_id for session in log.sessions] == ["old-1", "old-2"]
    assert counts(log) == [(120, 0), (160, 128), (50, None), (60, None)], "the total says whether cached is within"
    assert [[message["role"] for message in turn.request.messages] for turn in turns(log)] == [
        ["system", "user"],
        ["system", "user", "assistant", "tool"],
        ["system", "user"],
        ["system", "user", "assistant", "user"],
    ]
    assert [turn.usage.cached_basis for turn in turns(log)] == ["reported", "reported", "omitted", "omitted"]


def test_openinference_in_the_same_envelope() -> None:
    log = log_of_sample("otlp/openinference.json")
    (session,) = log.sessions
    assert session.session_id == "oi-1"
    assert counts(log) == [(120, 0), (160, 128), (170, None), (180, 144)], "a span around the same call is no other"
    assert [set(turn.completeness) for turn in session.turns] == [set(), set(), {"truncated"}, {"redacted"}]
    first = session.turns[0].request
    assert first.template_kwargs == {"enable_thinking": False} and first.salt not in (None, "tenant-secret")


@pytest.mark.parametrize(
    ("name", "counted"),
    [("phoenix.jsonl", [(120, 0), (120, None), (160, 128)]), ("phoenix_page.json", [(120, 0), (120, None)])],
)
def test_phoenix_in_lines_rows_and_pages(name: str, counted: list[tuple[int, int | None]]) -> None:
    log = log_of_sample(f"otlp/{name}")
    assert counts(log) == counted
    assert {session.session_id for session in log.sessions} == {"oi-1"} and not log.problems
    assert [turn.usage.cached_basis for turn in turns(log)][1] == "disabled", "the response in output.value says why"


SPAN: dict[str, Json] = {"traceId": "t", "spanId": "s", "attributes": [], "startTimeUnixNano": "1764500000000000000"}
CHAT = [
    {"key": "gen_ai.operation.name", "value": {"stringValue": "chat"}},
    {"key": "gen_ai.prompt", "value": {"stringValue": '[{"role": "user", "content": "hi"}]'}},
]


@pytest.mark.parametrize(
    ("record", "is_ours"),
    [
        ({"resourceSpans": []}, True),
        ({"resource_spans": []}, True),
        (SPAN, True),
        ({"data": [SPAN]}, True),
        ({"spans": [SPAN]}, True),
        ({"context": {"trace_id": "t", "span_id": "s"}, "attributes": {}}, True),
        ({"context.trace_id": "t", "context.span_id": "s", "attributes.a": 1}, True),
        ({"traceId": "t", "spanId": "s"}, False),
        ({"data": [{"id": 1}]}, False),
        ({"messages": []}, False),
    ],
)
def test_spans_are_known(record: dict[str, Json], is_ours: bool) -> None:
    assert otlp.sniff(json.dumps(record).encode()) is is_ours


def test_a_trace_without_a_session_is_one() -> None:
    spans = [{**SPAN, "attributes": CHAT}, {**SPAN, "traceId": "u", "attributes": CHAT}]
    log = otlp.read(json.dumps(spans).encode(), "f", "s")
    assert [(session.session_id, len(session.turns)) for session in log.sessions] == [("t", 1), ("u", 1)]


def test_dropped_attributes_are_marked() -> None:
    (turn,) = turns(otlp.read(json.dumps({**SPAN, "attributes": CHAT, "droppedAttributesCount": 3}).encode(), "f", "s"))
    assert turn.completeness == {"truncated"}


def test_without_a_call_it_is_refused() -> None:
    with pytest.raises(
        FormatError, match=r"^f: no call of a model with its prompt in it\. Whymiss reads OpenTelemetry"
    ):
        otlp.read(json.dumps(SPAN).encode(), "f", "f")
