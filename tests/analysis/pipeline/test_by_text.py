"""Which requests are compared by text, and what is left out where a log lacks part of them."""

from dataclasses import replace

import pytest

from analysis.model.finding import TextComparison
from analysis.model.session import JsonObject, Mark, Turn
from analysis.model.settings import Settings
from analysis.pipeline.analyse import analyse
from analysis.pipeline.by_text import text_comparison, without_ids
from tests.builders import ByteRenderer, assistant, of_turns, turn, user

SYSTEM: JsonObject = {"role": "system", "content": "It is 10:21."}
LATER: JsonObject = {"role": "system", "content": "It is 10:22."}
TOOLS = ({"type": "function", "function": {"name": "a"}},)
FIRST = turn(SYSTEM, user("hello"), reply=assistant("so"), tools=TOOLS)


def lacking(one: Turn, *marks: Mark) -> Turn:
    return replace(one, completeness=frozenset(marks))


def place(found: TextComparison | None) -> str | None:
    assert found is not None
    return found.divergence.segment.path if found.divergence else None


@pytest.mark.parametrize(
    ("marks", "now", "path"),
    [
        pytest.param((), turn(LATER, user("hello"), tools=TOOLS), "messages[0].content", id="whole requests"),
        pytest.param((), turn(SYSTEM, user("hello")), "messages[1].content", id="tools that are gone"),
        pytest.param(("no_tools",), turn(SYSTEM, user("hello")), None, id="tools that are not in the log"),
        pytest.param(("no_system",), turn(user("hallo")), "messages[0].content", id="no system prompt in the log"),
        pytest.param(("truncated",), turn(SYSTEM, user("hallo"), tools=TOOLS), "messages[1].content", id="cut off"),
    ],
)
def test_only_what_both_requests_hold_is_compared(marks: tuple[Mark, ...], now: Turn, path: str | None) -> None:
    then = FIRST if "no_system" not in marks else turn(user("hello"))
    assert place(text_comparison(lacking(then, *marks), lacking(now, *marks), {})) == path


@pytest.mark.parametrize(
    ("then", "now"),
    [
        pytest.param((), ("no_system",), id="one with its system prompt"),
        pytest.param(("truncated",), (), id="one that was cut off"),
        pytest.param(("redacted",), ("redacted",), id="blacked out"),
    ],
)
def test_what_cannot_be_compared_is_not(then: tuple[Mark, ...], now: tuple[Mark, ...]) -> None:
    sides = lacking(FIRST, *then), lacking(FIRST, *now)
    assert text_comparison(*sides, {}) is None and without_ids(*sides, None, None) is None


def test_a_request_without_text_is_not_compared() -> None:
    assert text_comparison(FIRST, turn(), {}) is None
    assert text_comparison(FIRST, replace(FIRST, request=replace(FIRST.request, kind="completion")), {}) is None


def test_families_get_the_same_two_requests() -> None:
    found = without_ids(lacking(FIRST, "no_tools"), FIRST, 1, FIRST.request)
    assert found is not None and found.then.request.tools == found.now.request.tools == ()
    assert (found.reply, found.continues, found.later) == (FIRST.reply, 1, FIRST.request)
    assert len(found.old_ids) == len(found.new_ids) == found.prompt_tokens == 0


def test_each_lineage_is_compared_with_its_own_turns_and_tokens_go_before_text() -> None:
    second = turn(LATER, user("hello"), assistant("so"), user("more"), tools=TOOLS)
    title = replace(turn(user("a title")), lineage="title")
    made = of_turns(FIRST, title, second)
    (blind,) = analyse([made], lambda _model: None, Settings())
    assert [one.text and one.text.previous for one in blind.turns] == [None, None, 1]
    (cause,) = blind.turns[2].causes
    assert (cause.code, cause.confidence, cause.tokens) == ("volatile-head/client-timestamp", "likely", None)
    (seen,) = analyse([made], lambda _model: ByteRenderer(), Settings())
    assert [one.text for one in seen.turns] == [None, None, None] and seen.turns[2].divergence is not None


def test_a_title_call_without_a_mark_is_a_side_request() -> None:
    title = turn({"role": "system", "content": "Name this chat in five words."}, user("hello, so"))
    third = turn(SYSTEM, user("hello"), assistant("so"), user("more"), tools=TOOLS)
    (found,) = analyse([of_turns(FIRST, title, third)], lambda _model: None, Settings())
    codes = [[(cause.code, cause.deliberate) for cause in one.causes] for one in found.turns]
    assert codes == [[], [("client/side-request", True)], [("client/branch", True)]]
