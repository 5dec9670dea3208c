"""Counts without tokens: what who served a turn and the pause before it tell of a conversation that only grew."""

from dataclasses import replace
from typing import Any

import pytest

from analysis.causes import counts
from analysis.causes.base import Evidence
from analysis.model.finding import Cause, Note, TurnAnalysis
from analysis.model.gap import SourceFacts
from analysis.model.session import JsonObject, Session, Turn, Usage
from analysis.model.settings import Settings
from analysis.pipeline.analyse import analyse
from tests.builders import assistant, request, tokens, user
from tests.evidence import found

OPENS: tuple[JsonObject, ...] = (user("a"), assistant("b"), user("c"))


def asked(
    cached: int | None,
    now: dict[str, Any] | None = None,
    then: dict[str, Any] | None = None,
    later: int | None = None,
    never: bool = False,
) -> Evidence:
    """A turn that appends to a previous one of 1,000 tokens; its tokens are unknown.

    ``later`` is what the turn behind it had cached, ``never`` that no turn of the model had anything cached.
    """
    first = Turn(1, 1, "1", request(*OPENS[:1]), usage=Usage(1000, 5, 0, "reported"), started_at=0.0, ended_at=5.0)
    basis: Any = "omitted" if cached is None else "reported"
    second = replace(first, number=2, request=request(*OPENS), usage=Usage(1200, 5, cached, basis), started_at=7.0)
    second, first = replace(second, **(now or {})), replace(first, **(then or {}))
    facts = SourceFacts(Settings(), never_cached=frozenset([second.request.model] if never else []))
    third = None
    if later is not None:
        grown = replace(second.request, messages=(*second.request.messages, assistant("d"), user("e")))
        third = replace(second, number=3, request=grown, usage=Usage(1300, 5, later, "reported"))
    return Evidence(TurnAnalysis(second, 1200), None, None, facts, before=first, after=third)


@pytest.mark.parametrize(
    ("evidence", "expected"),
    [
        pytest.param(
            asked(0, {"replica": "b"}, {"replica": "a"}), ("routing/replica", "likely", 1000), id="another provider"
        ),
        pytest.param(asked(0, {"replica": "b"}), ("routing/replica", "possible", 1000), id="one is not named"),
        pytest.param(asked(0, {"started_at": 408.0}), ("capacity/eviction", "possible", 1000), id="a long pause"),
        pytest.param(asked(200), ("unexplained", "possible", 800), id="nothing tells"),
        pytest.param(asked(600, later=1152), ("unexplained", "possible", 400), id="a gap that the next turn has not"),
        pytest.param(
            asked(600, {"replica": "b"}, {"replica": "a"}, later=1152),
            ("routing/replica", "likely", 400),
            id="a gap at another provider",
        ),
        pytest.param(
            asked(0, then={"usage": Usage(1100)}, never=True),
            ("disabled/flag", "possible", 1100),
            id="nothing was ever cached",
        ),
        pytest.param(
            asked(0, {"request": request(*OPENS, model="other")}), ("key/lora", "likely", 1000), id="another model"
        ),
    ],
)
def test_a_conversation_that_only_grew(evidence: Evidence, expected: tuple[str, str, int]) -> None:
    assert found(evidence)[0] == [expected]


@pytest.mark.parametrize(
    ("lacks", "said"),
    [
        ((), "the messages only grew, and 9 of"),
        (("reconstructed",), "the messages only grew, and 9 of"),
        (("no_tools",), "the messages only grew (the log has no tools), and 9 of"),
        (("no_system", "no_tools"), "the messages only grew (the log has no system prompt and no tools), and 9 of"),
    ],
)
def test_what_the_log_does_not_hold_may_have_changed(lacks: tuple[str, ...], said: str) -> None:
    (cause,) = counts.explain(asked(9, {"completeness": frozenset(lacks)}))
    assert isinstance(cause, Cause) and cause.evidence.startswith(said)


NOTHING = {
    "all but the last block cached": asked(992),
    "more than half cached": asked(500),
    "unknown": asked(None),
    "an edited message": asked(0, {"request": request(user("x"), *OPENS[1:])}),
    "other tools": asked(0, {"request": request(*OPENS, tools=({"a": 1},))}),
    "a prompt that many services cache nothing of": asked(0),
    "a short prompt of a model that never had a hit": asked(0, never=True),
    "a gap, and nothing behind it": asked(600),
    "a gap that stays": asked(600, later=640),
    "a small gap that the next turn has not": asked(800, later=1152),
    "another turn behind it, edited": replace(asked(600), after=asked(1152, {"request": request(user("x"))}).now.turn),
    "a request that was cut off": asked(0, {"completeness": frozenset(["truncated"])}),
    "a request that was blacked out": asked(0, then={"completeness": frozenset(["redacted"])}),
    "a model that is not named": asked(0, {"request": request(*OPENS, model="")}),
    "not counted before": asked(0, then={"usage": Usage()}),
    "a first turn": replace(asked(0), before=None),
}


@pytest.mark.parametrize("evidence", NOTHING.values(), ids=NOTHING)
def test_nothing_is_said_of(evidence: Evidence) -> None:
    assert list(counts.explain(evidence)) == []


def test_where_tokens_are_known_others_speak() -> None:
    evidence = asked(0)
    assert list(counts.explain(replace(evidence, now=replace(evidence.now, full_ids=tokens(1))))) == []


@pytest.mark.parametrize(
    ("evidence", "words"),
    [
        (
            asked(9),
            "the messages only grew, and 9 of the 1,000 tokens of the previous prompt were cached; 2 s after the",
        ),
        (asked(9), "counts alone do not tell eviction from another replica; decides: token ids"),
        (asked(9, later=1152), "the next turn had 1,152 cached again: the log holds no lasting edit of the prefix"),
        (asked(0, {"started_at": 408.0}, later=1152), "403 s after the previous turn; the messages only grew"),
    ],
    ids=["the pause", "undecided", "recovered", "expired"],
)
def test_the_evidence_says_what_the_counts_show(evidence: Evidence, words: str) -> None:
    (cause,) = counts.explain(evidence)
    assert words in cause.evidence


def test_another_model_that_cost_nothing_is_a_note() -> None:
    """Its own requests left what it needs; what the turn before had is another model's."""
    evidence = asked(990, {"request": request(user("hello"), model="other"), "started_at": 90.0})
    (note,) = counts.explain(evidence)
    assert isinstance(note, Note) and note.code == "measurement/lineage"
    assert note.evidence.startswith("the model is “other” and was “bytes”, 85 s after the previous turn; blocks are")


def test_marks_for_caching_that_move_are_no_edit() -> None:
    """Clients put cache_control on the newest message of each turn; no prompt holds it."""
    marked: JsonObject = {"role": "user", "content": [{"type": "text", "text": "a", "cache_control": {"type": "e"}}]}
    plain: JsonObject = {"role": "user", "content": [{"type": "text", "text": "a"}]}
    evidence = asked(9, {"request": request(plain, *OPENS[1:])}, {"request": request(marked)})
    assert found(evidence)[0] == [("unexplained", "possible", 991)]


def test_two_turns_are_compared_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """A turn asks whether the next one goes on from it, and the next one asks again."""
    compared: list[tuple[int, int]] = []
    grew = counts._history_grew

    def noted(then: Turn, now: Turn) -> bool:
        compared.append((then.number, now.number))
        return grew(then, now)

    monkeypatch.setattr(counts, "_history_grew", noted)
    told = [user("a")]
    turns = []
    for number in range(1, 7):
        turns.append(Turn(number, number, "", request(*told, model="m"), usage=Usage(5000, 9, 0, "reported")))
        told += [assistant("b"), user("c")]
    (found,) = analyse([Session("s", "f", "f", "test", tuple(turns))], lambda name: None, Settings())
    assert [len(turn.causes) for turn in found.turns] == [0, 1, 1, 1, 1, 1]
    assert compared == [(number, number + 1) for number in range(1, 6)]


def test_another_model_with_another_history_cost_nothing_that_is_known() -> None:
    evidence = asked(0, {"request": request(user("x"), model="other")})
    assert [type(one) for one in counts.explain(evidence)] == [Note]
