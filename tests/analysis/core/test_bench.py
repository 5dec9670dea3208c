"""The bench of the template check: every render once, and where two of them part."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.core.bench import (
    EMPTY_THINK_BLOCK,
    FIXED_TIME,
    Bench,
    NotApplicable,
    common,
    difference,
    evidence,
    shown,
    taken,
)
from analysis.core.conversations import Conversation, Shape, conversation, user
from analysis.model.session import JsonObject
from analysis.model.template_check import TextDifference

ASKED = conversation(Shape(), user(0))


def test_nothing_is_rendered_twice() -> None:
    asked: list[tuple[JsonObject, float, bool]] = []

    def render(_conversation: Conversation, arguments: JsonObject, at: float, generating: bool) -> str:
        asked.append((arguments, at, generating))
        return "text"

    bench = Bench(render)
    other = bench.with_arguments({"keep": True})
    assert other.with_arguments({"day": "1"}).arguments == {"keep": True, "day": "1"}
    for _ in range(2):
        bench.prompt(ASKED), bench.history(ASKED), bench.prompt(ASKED, 5.0), other.prompt(ASKED)
    assert asked == [
        ({}, FIXED_TIME, True),
        ({}, FIXED_TIME, False),
        ({}, 5.0, True),
        ({"keep": True}, FIXED_TIME, True),
    ]


def test_a_refusal_is_remembered() -> None:
    asked = []

    def render(*_: object) -> str:
        asked.append(1)
        raise ValueError("no")

    bench = Bench(render)
    for _ in range(2):
        with pytest.raises(ValueError, match="no"):
            bench.prompt(ASKED)
    assert len(asked) == 1


@pytest.mark.parametrize(
    ("prompt", "history", "length"),
    [
        pytest.param("[u|hi][a|", "[u|hi]", 6, id="a generation prompt"),
        pytest.param("[u|hi]", "[u|hi]", 6, id="none"),
        pytest.param("[u|hi] and[a|", "[u|hi]<end>", 6, id="a history that ends otherwise"),
    ],
)
def test_where_the_generation_prompt_begins(prompt: str, history: str, length: int) -> None:
    bench = Bench(lambda _asked, _arguments, _at, generating: prompt if generating else history)
    assert bench.body_length(ASKED) == length


@given(st.text("ab", max_size=12), st.text("ab", max_size=12))
def test_common_front(old: str, new: str) -> None:
    length = common(old, new)
    assert old[:length] == new[:length] and (length == min(len(old), len(new)) or old[length] != new[length])
    assert difference(old, new) == (None if new.startswith(old) else length)


def test_evidence_begins_with_the_marker_that_differs() -> None:
    found = evidence("user<end>\n<think>why", "user<end>\n<tool_call>")
    assert found == TextDifference(12, "user<end>\n", "<think>why", "<tool_call>")
    assert evidence("<a>one", "<a>two") == TextDifference(3, "<a>", "one", "two")
    assert evidence("a < b, c", "a < b, d").old == "c"
    assert evidence("x" * 500 + "a", "x" * 500 + "b").before == "x" * 60


def test_what_is_not_printed() -> None:
    taken("hello", "ell", "user")
    shown("hello", "ell", "nothing")
    with pytest.raises(ValueError, match="user messages are not printed"):
        taken("hello", "x", "user")
    with pytest.raises(NotApplicable, match="no tools"):
        shown("hello", "x", "no tools")


@pytest.mark.parametrize("text", ["<think>\n\n</think>", "<think></think>", "<|channel>thought\n<channel|>"])
def test_empty_think_blocks(text: str) -> None:
    assert EMPTY_THINK_BLOCK.search(f"a{text}b") and not EMPTY_THINK_BLOCK.search("<think>so</think>")
