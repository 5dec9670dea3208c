"""The calls in a sample: texts, messages and requests put back, and who made them."""

from typing import Any

import pytest

from analysis.formats.inspect_samples import ModelCall, model_calls


def calls(*events: dict[str, Any], **sample: Any) -> list[ModelCall]:
    return list(model_calls({"events": list(events), **sample}))


def model(**fields: Any) -> dict[str, Any]:
    return {"event": "model", **fields}


def span(span_id: str, kind: str, parent: str | None = None) -> dict[str, Any]:
    return {"event": "span_begin", "id": span_id, "type": kind, "name": f"the {kind}", "parent_id": parent}


@pytest.mark.parametrize("mark", ["attachment://", "tc://"])
def test_attachments_are_put_back_wherever_they_stand(mark: str) -> None:
    request = {"messages": [{"content": [{"text": f"{mark}k"}]}], "system": f"{mark}k"}
    event = model(
        input=[{"content": f"{mark}k"}],
        tools=[{"description": f"{mark}gone"}],
        call={"request": request, "response": {}},
    )
    (call,) = calls(event, attachments={"k": "long"})
    assert call.messages == ({"content": "long"},)
    assert call.request == {"messages": [{"content": [{"text": "long"}]}], "system": "long"}
    assert call.event["tools"] == [{"description": f"{mark}gone"}], "what is not there stays as it is"


@pytest.mark.parametrize(
    "pools",
    [
        {"message_pool": [{"m": 0}, {"m": 1}, {"m": 2}], "call_pool": ["c0", "c1"]},
        {"events_data": {"messages": [{"m": 0}, {"m": 1}, {"m": 2}], "calls": ["c0", "c1"]}},
    ],
    ids=["in the sample", "in its events_data"],
)
def test_references_are_ranges_of_a_pool(pools: dict[str, Any]) -> None:
    (call,) = calls(
        model(
            input=[],
            input_refs=[[0, 1], [2, 3], [1, 99], "x", [0]],
            call={"request": {"model": "m"}, "call_refs": [[1, 2], [0, 1]], "call_key": "contents"},
        ),
        **pools,
    )
    assert call.messages == ({"m": 0}, {"m": 2}, {"m": 1}, {"m": 2})
    assert call.request == {"model": "m", "contents": ["c1", "c0"]}


def test_messages_that_come_again_are_the_same_object() -> None:
    first, second = calls(*(model(input=[{"content": "a"}, *more]) for more in ([], [{"content": "b"}])))
    assert first.messages[0] is second.messages[0]


def test_references_do_not_fill_the_memory() -> None:
    (call,) = calls(model(input_refs=[[0, 999]] * 9999), message_pool=[{"m": 0}] * 999)
    assert len(call.messages) == 1 << 17


@pytest.mark.parametrize(
    ("spans", "lineage"),
    [
        ([], None),
        ([span("s1", "solver")], None),
        ([span("s1", "agent", "s0"), span("s0", "solver")], None),
        ([span("s1", "agent", "s0"), span("s0", "agent")], "the agent s1"),
        ([span("s1", "agent", "s0"), span("s0", "tool", "top"), span("top", "agent")], "the agent s1"),
        ([span("s1", "tool")], "the tool s1"),
        ([span("s1", "solver", "s0"), span("s0", "scorer")], "the scorer s0"),
        ([span("s1", "solver", "s0"), span("s0", "solver", "s1")], None),
        ([{"event": "span_begin", "id": "s1", "type": {}, "name": [], "parent_id": {}}], None),
    ],
    ids=[
        "none",
        "a solver",
        "the agent",
        "an agent of it",
        "an agent as tool",
        "a tool",
        "a scorer",
        "a circle",
        "damage",
    ],
)
def test_who_made_a_call(spans: list[dict[str, Any]], lineage: str | None) -> None:
    assert [call.lineage for call in calls(*spans, model(span_id="s1"))] == [lineage]


def test_older_logs_nest_calls_in_the_event_of_a_tool() -> None:
    tool = {
        "event": "tool",
        "function": "search",
        "id": "c1",
        "events": [model(), {"event": "subtask", "events": [model()]}],
    }
    assert [call.lineage for call in calls(model(), tool, {"event": "info"})] == [None, "search c1", "subtask"]
