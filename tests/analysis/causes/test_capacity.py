"""Blocks that had to go: removals, the pool model, a pause with traffic, or the one slot of another server."""

from dataclasses import replace
from typing import Any

import pytest

from analysis.causes import capacity
from analysis.model.evidence import Counters
from tests.evidence import SETTINGS, evidence, found, said

POOL = {"settings": replace(SETTINGS, num_blocks=200)}
VLLM: dict[str, Any] = {"server_version": "vllm-0.32.0-abc"}
PAUSE: dict[str, Any] = {"other_requests": 4, "other_tokens": 9000, "idle_seconds": 95.0}
CERTAIN, LIKELY, POSSIBLE = (("capacity/eviction", word) for word in ("certain", "likely", "possible"))
SLOT = ("capacity/slot", "possible")
REMOVED: dict[str, Any] = {"removed_blocks": 20, "missing_blocks": 20}
KEPT: dict[str, Any] = {"kept_tokens": 64, "predicted_tokens": 64}


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        pytest.param({"gap": REMOVED}, [CERTAIN], id="removals"),
        pytest.param({"gap": REMOVED, "first": True}, [CERTAIN], id="removals, before a first turn"),
        pytest.param({"gap": KEPT, "cached": 64, "source": POOL}, [LIKELY], id="the pool keeps exactly this"),
        pytest.param({"gap": KEPT, "cached": 64, "source": POOL, "first": True}, [LIKELY], id="on a first turn too"),
        pytest.param({"gap": PAUSE, "now": VLLM}, [LIKELY], id="a long pause with traffic"),
        pytest.param({"gap": {**PAUSE, "idle_seconds": 29.0}, "now": VLLM}, [POSSIBLE], id="a short pause"),
        pytest.param({"gap": {**PAUSE, "idle_seconds": None}, "now": VLLM}, [POSSIBLE], id="a pause of unknown length"),
        pytest.param({"gap": {**PAUSE, "last_request_tokens": 70}, "cached": 64}, [SLOT], id="the request before"),
        pytest.param({"gap": {**PAUSE, "last_request_tokens": 5}}, [SLOT], id="nothing shared, nothing hit"),
        pytest.param(
            {"gap": {**PAUSE, "last_request_tokens": 70}, "cached": 64, "now": VLLM}, [LIKELY], id="vLLM has no slots"
        ),
        pytest.param(
            {"gap": {**PAUSE, "last_request_tokens": 70}, "cached": 64, "source": POOL}, [LIKELY], id="nor has a pool"
        ),
        pytest.param({"gap": {**PAUSE, "last_request_tokens": 70}, "cached": 160}, [LIKELY], id="more than it shared"),
        pytest.param({}, [], id="no traffic in between"),
        pytest.param({"gap": {"idle_seconds": 3600.0}}, [], id="a pause alone"),
        pytest.param(
            {"gap": {**PAUSE, "removed_blocks": 0, "missing_blocks": 20}}, [], id="the events tell of no removal"
        ),
        pytest.param({"gap": KEPT, "cached": 128, "source": POOL}, [], id="the pool keeps less than was hit"),
        pytest.param({"gap": {**PAUSE, "unlimited_tokens": 0}}, [], id="other keys explain it"),
        pytest.param({"gap": REMOVED, "best": 0}, [], id="nothing was missed"),
        pytest.param({"gap": REMOVED, "cached": None}, [], id="nothing was reported"),
    ],
)
def test_capacity(asked: dict[str, Any], expected: list[tuple[str, str]]) -> None:
    assert said(list(capacity.explain(evidence(**asked)))) == expected


def test_the_evidence_says_how_long_how_much_and_who() -> None:
    taken = ("b turn 3", "c turn 1", "b turn 2", "d turn 1")
    (cause,) = capacity.explain(
        evidence(64, gap={**KEPT, **PAUSE, "evicted_by": taken, "blocks_needed": 412}, source=POOL)
    )
    assert cause.evidence == (
        "a pool of 200 blocks keeps exactly what was hit; missed are blocks 4 to 19; 95 s after the previous turn,"
        " 4 other requests of 9,000 prompt tokens in between; taken by “b turn 3”, “c turn 1”, “b turn 2”;"
        " a pool of 412 blocks would have kept them;"
        " what decides: BlockRemoved among the server's KV events"
    )
    (certain,) = capacity.explain(evidence(gap=REMOVED, first=True))
    assert certain.evidence == (
        "KV cache events announce the removal of 20 of the 20 missing blocks; missed are blocks 0 to 19"
    )


def test_traffic_outside_the_log_takes_blocks_as_well() -> None:
    """The server counted more prompt tokens than the log holds; without them there is nothing to accuse."""
    (cause,) = capacity.explain(evidence(source={"outside_tokens": 9_000}))
    assert (cause.code, cause.confidence) == ("capacity/eviction", "possible")
    assert "asked for 9,000 tokens that are not in this log" in cause.evidence
    assert not list(capacity.explain(evidence(source={"outside_tokens": 0})))


@pytest.mark.parametrize(
    ("gap", "preemptions", "expected"),
    [
        pytest.param(PAUSE, 3.0, ["capacity/eviction", "capacity/preemption"], id="a runner-up"),
        pytest.param({}, 3.0, ["capacity/preemption"], id="alone"),
        pytest.param(PAUSE, 0.0, ["capacity/eviction"], id="the counter did not rise"),
        pytest.param(PAUSE, None, ["capacity/eviction"], id="no such counter"),
        pytest.param(REMOVED, 3.0, ["capacity/eviction"], id="events say what happened"),
        pytest.param(KEPT, 3.0, ["capacity/eviction"], id="the pool explains it"),
    ],
)
def test_preemption(gap: dict[str, Any], preemptions: float | None, expected: list[str]) -> None:
    cached = 64 if gap is KEPT else 0
    source = {"counters": Counters(preemptions=preemptions), **(POOL if gap is KEPT else {})}
    found = capacity.explain(evidence(cached, gap=gap, source=source, now=VLLM))
    assert [one.code for one in found] == expected


def test_eviction_loses_to_a_key_and_wins_from_the_tokens_it_left() -> None:
    salted = evidence(now={"salt": "B"}, then={"salt": "A"}, gap={**PAUSE, **REMOVED, "unlimited_tokens": 96})
    assert found(salted)[0] == [("key/cache-salt", "certain", 224), ("capacity/eviction", "certain", 96)]
    likely = evidence(now={"salt": "B"}, then={"salt": "A"}, gap={**PAUSE, "unlimited_tokens": 96})
    assert found(likely)[0] == [("key/cache-salt", "certain", 224), ("capacity/eviction", "likely", 96)]


def test_a_possible_eviction_loses_to_a_likely_cause() -> None:
    asked = evidence(gap={**PAUSE, "idle_seconds": 0.0, "overlaps": True}, now=VLLM)
    assert [code for code, _confidence, _tokens in found(asked)[0]] == ["timing/in-flight", "capacity/eviction"]
