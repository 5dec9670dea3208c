"""Another replica, or another moment."""

from typing import Any

import pytest

from analysis.causes import routing
from tests.evidence import evidence, found, said

ELSEWHERE: dict[str, Any] = {"unlimited_tokens": 64}  # what this replica had
REPLICA, FLIGHT, ENGINE = "routing/replica", "timing/in-flight", "engine/output-not-inserted"


def moved(now: str | None, then: str | None, **more: Any) -> dict[str, Any]:
    return {"now": {"replica": now}, "then": {"replica": then}, "gap": ELSEWHERE, "cached": 64, **more}


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        pytest.param(moved("b", "a"), [(REPLICA, "certain")], id="another replica"),
        pytest.param(moved("b", None), [(REPLICA, "possible")], id="before, the log names none"),
        pytest.param(moved(None, "a"), [(REPLICA, "possible")], id="now, the log names none"),
        pytest.param({"gap": {"overlaps": True}}, [(FLIGHT, "likely")], id="sent too early"),
        pytest.param({"gap": {"older_turn": 3}, "cached": 64}, [(REPLICA, "possible")], id="what an older turn left"),
        pytest.param({"source": {"only_prompts_kept": True}, "cached": 64}, [(ENGINE, "possible")], id="prompts only"),
        pytest.param({"gap": {"overlaps": True, "older_turn": 3}}, [(FLIGHT, "likely")], id="too early before older"),
        pytest.param(
            {"gap": {"older_turn": 3}, "source": {"only_prompts_kept": True}, "cached": 64},
            [(REPLICA, "possible")],
            id="older before prompts only",
        ),
        pytest.param(moved("b", "a", gap={}), [], id="another replica that had as much"),
        pytest.param(moved("a", "a", gap={}), [], id="the same replica"),
        pytest.param({}, [], id="nothing is said"),
        pytest.param({"gap": {"overlaps": True}, "first": True}, [], id="a first turn"),
        pytest.param({"gap": {"overlaps": True}, "best": 0}, [], id="nothing was missed"),
        pytest.param({"gap": {"overlaps": True}, "cached": None}, [], id="nothing was reported"),
    ],
)
def test_routing(asked: dict[str, Any], expected: list[tuple[str, str]]) -> None:
    assert said(list(routing.explain(evidence(**asked)))) == expected


def test_a_replica_owns_what_it_did_not_have() -> None:
    assert found(evidence(**moved("b", "a")))[0] == [(REPLICA, "certain", 256)]
    evicted = moved("b", "a", cached=0, gap={**ELSEWHERE, "removed_blocks": 4, "missing_blocks": 4})
    assert found(evidence(**evicted))[0] == [("capacity/eviction", "certain", 64), (REPLICA, "certain", 256)]


def test_an_older_turn_loses_to_a_long_pause_with_traffic() -> None:
    gap = {"older_turn": 3, "other_requests": 2, "idle_seconds": 60.0}
    codes = [(code, confidence) for code, confidence, _tokens in found(evidence(64, gap=gap))[0]]
    assert codes == [("capacity/eviction", "likely"), (REPLICA, "possible")]


def test_what_decides_is_said() -> None:
    asked: dict[str, Any]
    for asked in ({"gap": {"overlaps": True}}, {"gap": {"older_turn": 3}}, {"source": {"only_prompts_kept": True}}):
        (cause,) = routing.explain(evidence(64, **asked))
        assert "what decides: " in cause.evidence and "runner" in cause.evidence
