"""What was done to a history as a whole: meant or not, and never said of a history that stands."""

from typing import Any

import pytest

from analysis.causes.structure import changes, pairing, shape
from tests.builders import assistant, user
from tests.visible_cases import analysed, beside, own_renderer, told

SYSTEM: dict[str, Any] = {"role": "system", "content": "You are a careful build helper. Answer in a few words."}
OTHER: dict[str, Any] = {"role": "system", "content": "Write a title!"}
OLD = [SYSTEM, user("one"), assistant("1"), user("two"), assistant("2"), user("three")]
TOOL = {"type": "function", "function": {"name": "look"}}


@pytest.mark.parametrize(
    ("now", "fields", "code"),
    [
        pytest.param(
            [SYSTEM, user("All so far, in short."), assistant("Yes."), user("go")], {}, "compaction", id="compacted"
        ),
        pytest.param([SYSTEM, user("Summary of all so far.")], {}, "compaction", id="to one message"),
        pytest.param([*OLD[:5], user("three, please")], {}, "user-edit", id="the last question edited"),
        pytest.param([*OLD[:3], user("else")], {}, "user-edit", id="an earlier question edited"),
        pytest.param(OLD[:4], {}, "regenerate", id="an earlier question again"),
        pytest.param([SYSTEM, *OLD[3:], assistant("3"), user("four")], {}, "window-trim", id="trimmed"),
        pytest.param(
            [SYSTEM, OLD[1], *OLD[4:], assistant("3"), user("four")], {}, "window-trim", id="trimmed behind its head"
        ),
        pytest.param(
            [*OLD[:3], user("else"), assistant("e"), user("f")], {"continues": 1}, "branch", id="branched off"
        ),
        pytest.param([OTHER, user("one, two")], {"later": OLD}, "side-request", id="a title"),
        pytest.param(
            [SYSTEM, user("a"), assistant("b")],
            {"tools": ((TOOL,), ()), "later": OLD},
            "side-request",
            id="other tools",
        ),
    ],
)
def test_a_history_that_was_left(now: list[dict[str, Any]], fields: dict[str, Any], code: str) -> None:
    (found,) = changes(beside(OLD, now, **fields))
    assert found.code == f"client/{code}"
    assert found.deliberate is (code != "window-trim")


@pytest.mark.parametrize(
    ("before", "words"),
    [
        pytest.param(OLD[:4], "it is the user's", id="none"),
        pytest.param(OLD[:5], "it is the user's and 1 later message is gone", id="one"),
        pytest.param(OLD, "it is the user's and 2 later messages are gone", id="two"),
    ],
)
def test_messages_that_went_with_an_edited_question_are_counted(before: list[dict[str, Any]], words: str) -> None:
    (found,) = changes(beside(before, [*OLD[:3], user("else")]))
    assert found.evidence.endswith(words)


@pytest.mark.parametrize(
    ("now", "fields"),
    [
        pytest.param([*OLD, assistant("3"), user("four")], {}, id="grown"),
        pytest.param([OTHER, *OLD[1:], assistant("3"), user("four")], {}, id="another system message"),
        pytest.param(
            [*OLD[:2], assistant("edited"), *OLD[3:], assistant("3"), user("f")], {"continues": 1}, id="one edited"
        ),
        pytest.param(
            [OTHER, user("one, two")], {"later": [OTHER, user("one, two"), assistant("x"), user("y")]}, id="stays"
        ),
    ],
)
def test_a_history_that_stands_or_goes_on_elsewhere(now: list[dict[str, Any]], fields: dict[str, Any]) -> None:
    assert "client/side-request" not in [found.code for found in changes(beside(OLD, now, **fields))]
    if len(now) > len(OLD):
        assert shape(beside(OLD, now, **fields)) is None


def test_messages_behind_the_break_have_no_pair() -> None:
    cut = pairing(beside(OLD, [*OLD[:3], user("else")]))
    assert [pair.index for pair in cut.pairs] == [1, 2]


def test_a_missing_lookahead_leaves_a_side_request_possible() -> None:
    (found,) = changes(beside(OLD, [OTHER, user("one, two")]))
    assert (found.code, found.confidence) == ("client/side-request", "possible")
    assert told([found]) == [("client/side-request", "messages[1].content")]


def test_a_side_request_and_the_way_back_from_it_are_no_faults() -> None:
    later = [*OLD, assistant("3"), user("four")]
    turns = [{"messages": OLD[:4]}, {"messages": OLD}, {"messages": [OTHER, user("one, two")]}, {"messages": later}]
    found = analysed({"turns": turns}, own_renderer("arguments_verbatim")).turns
    assert [[(cause.code, cause.deliberate) for cause in turn.causes] for turn in found] == [
        [],
        [],
        [("client/side-request", True)],
        [("client/branch", True)],
    ]


def test_a_trimmed_window_is_put_back_to_see_what_it_costs() -> None:
    trimmed = [SYSTEM, *OLD[3:], assistant("3"), user("four")]
    (cause,) = (
        analysed({"turns": [{"messages": OLD}, {"messages": trimmed}]}, own_renderer("arguments_verbatim"))
        .turns[1]
        .causes
    )
    assert (cause.code, cause.deliberate) == ("client/window-trim", False) and cause.recovers is not None
