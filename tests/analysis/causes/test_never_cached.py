"""Turns of which none was ever cached, and what their requests say of it."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.causes.base import Evidence
from analysis.causes.never_cached import but_for_marks, configured, marks
from analysis.model.finding import SessionAnalysis, TurnAnalysis
from analysis.model.gap import SourceFacts
from analysis.model.session import JsonObject, Request, Session, Turn, Usage
from analysis.model.settings import Settings
from analysis.pipeline.analyse import analyse
from tests.builders import assistant, request, user

CLAUDE = "litellm_proxy/claude-sonnet-4-20250514"
EPHEMERAL: JsonObject = {"type": "ephemeral"}
PART: JsonObject = {"type": "text", "text": "a", "cache_control": EPHEMERAL}
MARKED = {
    "a message": request({"role": "user", "content": "a", "cache_control": EPHEMERAL}),
    "a part of one": request({"role": "user", "content": [PART]}),
    "a tool": request(user("a"), tools=({"type": "function", "function": {"name": "f"}, "cache_control": EPHEMERAL},)),
}


def said(model: str, never: bool = True, asked: Request | None = None, **fields: Any) -> tuple[str, ...] | None:
    """Code, confidence and remedy of a turn of this model."""
    sent = replace(asked or request(user("a")), model=model)
    turn = Turn(2, 2, "2", sent, usage=Usage(1200, 5, 0, "reported"), **fields)
    facts = SourceFacts(Settings(), never_cached=frozenset([model] if never else []))
    found = configured(Evidence(TurnAnalysis(turn, 1200), None, None, facts), 1000)
    return None if found is None else (found.code, found.confidence, found.fix.partition(" ")[0])


def test_a_service_that_caches_what_is_marked_and_no_mark() -> None:
    assert said(CLAUDE) == ("disabled/flag", "likely", "Mark")


def test_a_transcript_does_not_say_what_was_marked() -> None:
    assert said(CLAUDE, completeness=frozenset(["reconstructed"])) == ("disabled/flag", "possible", "Mark")


@pytest.mark.parametrize("asked", MARKED.values(), ids=MARKED)
def test_requests_that_mark_something(asked: Request) -> None:
    assert marks(asked) and said(CLAUDE, asked=asked) == ("disabled/flag", "possible", "Start")


def test_any_other_model() -> None:
    assert said("qwen3") == ("disabled/flag", "possible", "Start") and not marks(request(user("a")))


def test_nothing_is_said_of_a_model_that_had_a_hit() -> None:
    assert said(CLAUDE, never=False) is None


class Sealed(dict[str, Any]):
    """A message that nobody may look into."""

    def refuse(self, *_asked: object) -> Any:
        raise AssertionError("looked into")

    __eq__ = __getitem__ = keys = get = values = refuse  # type: ignore[assignment]
    __hash__ = None  # type: ignore[assignment]


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        pytest.param([{"content": (PART,)}], [{"content": [{"type": "text", "text": "a"}]}], True, id="a mark less"),
        pytest.param([PART], [{**PART, "cache_control": None}], True, id="another mark"),
        pytest.param(["cache_control"], ["cache"], False, id="the word in a text"),
        pytest.param([{"a": 1}], [{"a": 1, "b": None}], False, id="a field more"),
        pytest.param([{"a": 1}], [{"b": 1}], False, id="another field"),
        pytest.param([1], [1, 2], False, id="longer"),
        pytest.param({}, [], False, id="an object and a list"),
    ],
)
def test_the_same_but_for_marks(one: object, other: object, same: bool) -> None:
    assert but_for_marks(one, other) is but_for_marks(other, one) is same


VALUES: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.integers(0, 2) | st.sampled_from(["a", "cache_control"]),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from(["a", "cache_control"]), inner),
    max_leaves=6,
)


def stripped(value: Any) -> Any:
    """A copy without the marks."""
    if isinstance(value, dict):
        return {key: stripped(item) for key, item in value.items() if key != "cache_control"}
    return [stripped(item) for item in value] if isinstance(value, list) else value


@given(one=VALUES, other=VALUES)
def test_the_same_as_of_copies_without_the_marks(one: Any, other: Any) -> None:
    assert but_for_marks(one, other) == (stripped(one) == stripped(other))
    assert but_for_marks(one, stripped(one))


def test_what_is_shared_is_not_looked_into_nor_what_stands_behind_the_first_difference() -> None:
    shared = [Sealed() for _ in range(3)]
    assert but_for_marks((*shared, PART), (*shared, {"type": "text", "text": "a"}))
    assert not but_for_marks((user("a"), Sealed()), (user("b"), Sealed()))


def test_the_newest_message_is_looked_at_first_for_a_mark() -> None:
    assert marks(request(Sealed(), {"role": "user", "content": [PART]}))


def growing(*cached: int | None, model: str = CLAUDE) -> SessionAnalysis:
    """A conversation whose turns append to each other and had so much cached, analysed."""
    messages: list[JsonObject] = [{"role": "system", "content": [{"type": "text", "text": "s"}]}]
    turns = []
    for number, hit in enumerate(cached, 1):
        messages += [user(f"u{number}")]
        counted = Usage(5000 + 100 * number, 9, hit, "omitted" if hit is None else "reported")
        turns.append(Turn(number, number, f"{number}", request(*messages, model=model), usage=counted))
        messages += [assistant(f"a{number}")]
    (found,) = analyse([Session("s", "f", "f", "test", tuple(turns))], lambda name: None, Settings())
    return found


def causes(found: SessionAnalysis) -> list[list[tuple[str, str, int]]]:
    return [[(cause.code, cause.confidence, cause.tokens) for cause in turn.causes] for turn in found.turns]


def test_six_turns_of_claude_with_nothing_marked() -> None:
    """No turn had a token cached, and no request has a cache_control: the configuration, not the prefix."""
    first, *rest = causes(growing(0, 0, 0, 0, 0, 0))
    assert first == [] and rest == [[("disabled/flag", "likely", 5000 + 100 * number)] for number in range(1, 6)]


def test_one_hit_anywhere_and_it_is_no_configuration() -> None:
    assert causes(growing(0, 0, 5100, 0))[1] == [("unexplained", "possible", 5100)]


def test_two_turns_are_too_few_to_tell() -> None:
    assert causes(growing(0, 0))[1] == [("unexplained", "possible", 5100)]


def test_what_is_not_reported_is_unknown_and_no_miss() -> None:
    found = growing(None, None, None, model="qwen3-on-vllm")
    assert causes(found) == [[], [], []]
    assert {note.code for turn in found.turns for note in turn.notes} == {"measurement/usage-missing"}
