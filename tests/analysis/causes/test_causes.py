"""All families together: the best proven cause first, every token owned once, and an honest remainder."""

from dataclasses import replace
from itertools import product
from typing import Any

import pytest

from analysis.causes import INVISIBLE, RANK, explain
from analysis.model.evidence import Counters
from tests.evidence import SETTINGS, evidence, found

PAUSE: dict[str, Any] = {"other_requests": 2, "other_tokens": 900, "idle_seconds": 40.0}


def test_nothing_missed_nothing_said() -> None:
    assert found(evidence(320)) == ([], [])
    assert found(evidence(None))[0] == []
    assert found(evidence(336)) == ([], []), "more than was predicted is no miss"


def test_without_evidence_it_stays_unexplained_with_the_facts() -> None:
    (cause,), _notes = explain(evidence(64, gap={"idle_seconds": 12.0}))
    assert (cause.code, cause.confidence, cause.tokens) == ("unexplained", "possible", 256)
    assert "256 tokens were there to reuse and were not, 64 were cached, 12 s after" in cause.evidence
    assert "with no other requests in the log" in cause.evidence and "what decides: " in cause.evidence


def test_no_events_of_removal_leave_it_unexplained() -> None:
    asked = evidence(0, gap={**PAUSE, "removed_blocks": 0, "missing_blocks": 20})
    (cause,), _notes = explain(asked)
    assert cause.code == "unexplained" and "with 2 other requests in the log" in cause.evidence


def test_the_best_proven_comes_first_and_one_runner_up_stays() -> None:
    source = {"all_zero": True, "counters": Counters(hits=5, external_queries=9, external_hits=0)}
    codes, _notes = found(evidence(0, gap={**PAUSE, "older_turn": 1}, source=source, now={"server_version": "vllm-0"}))
    assert codes == [("capacity/eviction", "likely", 320), ("disabled/flag", "possible", 0)]


def test_what_is_certain_leaves_no_room_for_patterns() -> None:
    codes, _notes = found(evidence(0, gap={**PAUSE, "cleared": True}, source={"all_zero": True}))
    assert codes == [("lifecycle/reset", "certain", 320)]


def test_every_family_says_nothing_of_an_unmeasured_turn() -> None:
    for family in INVISIBLE:
        said = list(family.explain(evidence(None, now={"skips_cache": True}, then={"salt": "A"})))
        assert [type(one).__name__ for one in said] in ([], ["Note"])


CACHED = (0, 64, 304)
GAPS: tuple[dict[str, Any], ...] = (
    {},
    {"unlimited_tokens": 96},
    {"unlimited_tokens": 0},
    {**PAUSE, "last_request_tokens": 64},
    {**PAUSE, "kept_tokens": 64, "predicted_tokens": 64},
    {**PAUSE, "overlaps": True, "removed_blocks": 3, "missing_blocks": 9},
    {"cleared": True, "older_turn": 1},
)
SOURCES: tuple[dict[str, Any], ...] = (
    {},
    {"all_zero": True, "dropped_at": (50.0,)},
    {"short_by_block": True, "only_prompts_kept": True},
    {"settings": replace(SETTINGS, num_blocks=200, window=64)},
    {"unit": 64, "counters": Counters(hits=5, external_queries=9, external_hits=0)},
)
TURNS: tuple[dict[str, Any], ...] = ({}, {"salt": "B", "model": "sql"}, {"replica": "b"}, {"skips_cache": True})


@pytest.mark.parametrize("now", TURNS, ids=str)
def test_whatever_is_known_every_missed_token_is_owned_once(now: dict[str, Any]) -> None:
    """In order of proof, with at most two that are not certain."""
    for cached, gap, source, first in product(CACHED, GAPS, SOURCES, (False, True)):
        asked = evidence(cached, gap=gap, source=source, now=now, first=first)
        causes, _notes = explain(asked)
        assert causes, "a miss is always named, if only as unexplained"
        assert all(cause.tokens >= 0 for cause in causes)
        assert sum(cause.tokens for cause in causes) <= asked.missed
        assert [RANK[cause.confidence] for cause in causes] == sorted(RANK[cause.confidence] for cause in causes)
        assert sum(cause.confidence != "certain" for cause in causes) <= 2
        assert len({cause.code for cause in causes}) == len(causes)
