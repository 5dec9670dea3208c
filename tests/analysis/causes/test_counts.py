"""Counts without tokens: what who served a turn and the pause before it tell of a conversation that only grew."""

from dataclasses import replace
from typing import Any

import pytest

from analysis.causes import counts
from analysis.causes.base import Evidence
from analysis.model.finding import Cause, TurnAnalysis
from analysis.model.gap import SourceFacts
from analysis.model.session import JsonObject, Turn, Usage
from analysis.model.settings import Settings
from tests.builders import assistant, request, tokens, user
from tests.evidence import found

OPENS: tuple[JsonObject, ...] = (user("a"), assistant("b"), user("c"))


def asked(cached: int | None, now: dict[str, Any] | None = None, then: dict[str, Any] | None = None) -> Evidence:
    """A turn that appends to a previous one of 1,000 tokens; its tokens are unknown."""
    first = Turn(1, 1, "1", request(*OPENS[:1]), usage=Usage(1000, 5, 0, "reported"), started_at=0.0, ended_at=5.0)
    basis: Any = "omitted" if cached is None else "reported"
    second = replace(first, number=2, request=request(*OPENS), usage=Usage(1200, 5, cached, basis), started_at=7.0)
    second, first = replace(second, **(now or {})), replace(first, **(then or {}))
    return Evidence(TurnAnalysis(second, 1200), None, None, SourceFacts(Settings()), before=first)


@pytest.mark.parametrize(
    ("evidence", "expected"),
    [
        pytest.param(
            asked(0, {"replica": "b"}, {"replica": "a"}), ("routing/replica", "likely", 1000), id="another provider"
        ),
        pytest.param(asked(0, {"replica": "b"}), ("routing/replica", "possible", 1000), id="one is not named"),
        pytest.param(asked(0, {"started_at": 408.0}), ("capacity/eviction", "possible", 1000), id="a long pause"),
        pytest.param(asked(200), ("unexplained", "possible", 800), id="nothing tells"),
    ],
)
def test_a_conversation_that_only_grew(evidence: Evidence, expected: tuple[str, str, int]) -> None:
    assert found(evidence)[0] == [expected]


@pytest.mark.parametrize(
    ("lacks", "said"),
    [
        ((), "the messages only grew, and 0 of"),
        (("reconstructed",), "the messages only grew, and 0 of"),
        (("no_tools",), "the messages only grew (the log has no tools), and 0 of"),
        (("no_system", "no_tools"), "the messages only grew (the log has no system prompt and no tools), and 0 of"),
    ],
)
def test_what_the_log_does_not_hold_may_have_changed(lacks: tuple[str, ...], said: str) -> None:
    (cause,) = counts.explain(asked(0, {"completeness": frozenset(lacks)}))
    assert isinstance(cause, Cause) and cause.evidence.startswith(said)


NOTHING = {
    "all but the last block cached": asked(992),
    "more than half cached": asked(500),
    "unknown": asked(None),
    "an edited message": asked(0, {"request": request(user("x"), *OPENS[1:])}),
    "other tools": asked(0, {"request": request(*OPENS, tools=({"a": 1},))}),
    "another model": asked(0, {"request": request(*OPENS, model="other")}),
    "not counted before": asked(0, then={"usage": Usage()}),
    "a first turn": replace(asked(0), before=None),
}


@pytest.mark.parametrize("evidence", NOTHING.values(), ids=NOTHING)
def test_nothing_is_said_of(evidence: Evidence) -> None:
    assert list(counts.explain(evidence)) == []


def test_where_tokens_are_known_others_speak() -> None:
    evidence = asked(0)
    assert list(counts.explain(replace(evidence, now=replace(evidence.now, full_ids=tokens(1))))) == []
