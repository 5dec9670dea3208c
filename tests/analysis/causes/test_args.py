"""Arguments that mean the same: told by the two strings, or by the generated text alone."""

from typing import Any

import pytest

from analysis.causes.args import changes, way_of
from tests.builders import user
from tests.visible_cases import analysed, beside, causes_of, own_renderer, told


def calling(arguments: Any) -> dict[str, Any]:
    function = {"name": "look", "arguments": arguments}
    return {"role": "assistant", "content": "", "tool_calls": [{"id": "c", "type": "function", "function": function}]}


CASES = [
    pytest.param('{"path":"a","n":1}', '{"path": "a", "n": 1}', "separators", id="separators"),
    pytest.param('{"path": "a", "n": 1}', '{"n": 1, "path": "a"}', "key-order", id="key order"),
    pytest.param('{"path": "a", "n": 1}', '{"path": "a", "n": 1.0}', "type-form", id="a number in another form"),
    pytest.param('{"path": "a", "n": true}', '{"path": "a", "n": "True"}', "type-form", id="a boolean in another form"),
    pytest.param('{"path": "a", "n":', "{}", "malformed", id="no object"),
]
DONE = {"role": "assistant", "content": "done"}
RESULT = {"role": "tool", "tool_call_id": "c", "content": "r"}


@pytest.mark.parametrize(("old", "new", "way"), CASES)
def test_the_strings_differ(old: str, new: str, way: str) -> None:
    then, now = [user("a"), calling(old), RESULT], [user("a"), calling(new), RESULT, DONE, user("b")]
    assert told(changes(beside(then, now))) == [(f"args/{way}", "messages[1].tool_calls[0]")]


@pytest.mark.parametrize(
    ("old", "new"),
    [("{}", "{}"), ('{"path": "a"}', '{"path": "b"}'), ('{"path": "a"}', {"path": "a"})],
    ids=["equal", "another value", "an object in place of its string"],
)
def test_what_is_no_other_form(old: Any, new: Any) -> None:
    found = way_of(calling(old)["tool_calls"][0], calling(new)["tool_calls"][0])
    assert found in (None, "args/separators") and (found is None or isinstance(new, dict))


@pytest.mark.parametrize(("old", "new", "way"), CASES)
def test_a_template_that_prints_the_string_shows_all_of_them(old: str, new: str, way: str) -> None:
    case = {
        "turns": [
            {"messages": [user("a"), calling(old), RESULT]},
            {"messages": [user("a"), calling(new), RESULT, DONE, user("b")]},
        ]
    }
    turn = analysed(case, own_renderer("arguments_verbatim", "none")).turns[1]
    assert [cause.code for cause in turn.causes] == [f"args/{way}"]


def test_separators_that_the_server_writes_anew_are_no_cause_in_the_history() -> None:
    then = {"messages": [user("a"), calling('{"path":"a"}'), RESULT]}
    now = {"messages": [user("a"), calling('{"path": "a"}'), RESULT, DONE, user("b")]}
    assert causes_of("arguments_verbatim", then, now) == []


@pytest.mark.parametrize(
    ("generated", "way"),
    [
        pytest.param('{"path":"a","n":1}', "separators", id="separators"),
        pytest.param('{"n": 1, "path": "a"}', "key-order", id="key order"),
        pytest.param('{"path": "a", "n": 1.00}', "type-form", id="a number in another form"),
    ],
)
def test_only_the_generated_text_tells(generated: str, way: str) -> None:
    """The reply and the request hold the same string; the server writes it anew."""
    written = calling('{"path": "a", "n": 1}' if way != "type-form" else '{"path": "a", "n": 1.0}')
    text = '<tool_call>\n{"name": "look", "arguments": ' + generated + "}\n</tool_call>"
    then = {"messages": [user("a")], "generated": text, "reply": written}
    now = {"messages": [user("a"), written, RESULT]}
    assert causes_of("arguments_verbatim", then, now) == [(f"args/{way}", "messages[1].tool_calls[0]")]
