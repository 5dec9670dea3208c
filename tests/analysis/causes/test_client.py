"""What a client did to a message: fires, does not fire, and loses to what is more exact."""

from typing import Any

import pytest

from analysis.causes.client import changes
from tests.builders import assistant, user
from tests.visible_cases import beside, causes_of, told

IMAGE = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}


def result(content: Any, call: str = "c1") -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": call, "content": content}


LONG = "line one of the output\nline two of the output"
NOTE = "<note>use the tools with care</note>"


@pytest.mark.parametrize(
    ("old", "new", "found"),
    [
        pytest.param(user("a"), user("a"), [], id="the same"),
        pytest.param(user("a"), user("b, something else"), ["history-edited"], id="edited"),
        pytest.param(user("a "), user("a"), ["whitespace"], id="stripped"),
        pytest.param(result(LONG), result("[cut]"), ["tool-output-pruned"], id="pruned to a stub"),
        pytest.param(result(LONG), result("line one"), ["tool-output-pruned"], id="pruned under half"),
        pytest.param(result(LONG), result(LONG[:-6]), ["history-edited"], id="a little shorter is an edit"),
        pytest.param(user([IMAGE, {"type": "text", "text": "a"}]), user("a [image]"), ["image-evicted"], id="image"),
        pytest.param(user([IMAGE]), user([IMAGE]), [], id="an image that stays"),
        pytest.param(assistant("a", "why"), assistant("a"), ["reasoning-dropped"], id="no reasoning"),
        pytest.param(assistant("<think>why</think>a"), assistant("a"), ["reasoning-dropped"], id="no think block"),
        pytest.param(assistant("a", "r1"), assistant("a", "r1\nr2"), ["reasoning-merged"], id="joined"),
        pytest.param(assistant("a", "why"), assistant("a", "else"), ["history-edited"], id="another reasoning"),
        pytest.param(assistant("a"), {**assistant("a"), "reasoning_content": ""}, [], id="empty reasoning is none"),
        pytest.param(
            {**assistant("a"), "reasoning": "r"}, {**assistant("a"), "reasoning_content": "r"}, [], id="another name"
        ),
        pytest.param(result("x"), result("x", "c2"), ["tool-call-id-changed"], id="another id"),
        pytest.param(assistant(path="a"), assistant(path="b"), ["history-edited"], id="other arguments"),
        pytest.param(assistant(path="a"), assistant("", path="a"), [], id="null and empty"),
        pytest.param(user("at 10:21"), user("at 10:22"), [], id="a time has a name of its own"),
        pytest.param({**user("a"), "name": "x"}, user("a"), ["history-edited"], id="another name of the user"),
    ],
)
def test_one_message(old: dict[str, Any], new: dict[str, Any], found: list[str]) -> None:
    """In the middle of a history, so that nothing was left of it."""
    then = [user("q"), old, assistant("x"), user("y")]
    now = [user("q"), new, assistant("x"), user("y"), assistant("z"), user("w")]
    assert [one.code for one in changes(beside(then, now))] == [f"client/{code}" for code in found]


def test_a_text_that_moves_to_the_newest_message() -> None:
    then = [user(f"a\n{NOTE}"), assistant("x"), user("b")]
    moved = [user("a"), assistant("x"), user("b"), assistant("y"), user(f"c\n{NOTE}")]
    assert told(changes(beside(then, moved))) == [("client/moving-injection", "messages[0].content")]
    lost = [*moved[:-1], user("c")]
    assert told(changes(beside(then, lost))) == [("client/history-edited", "messages[0].content")]
    found = causes_of("arguments_verbatim", {"messages": then}, {"messages": moved})
    assert found[:1] == [("client/moving-injection", "messages[0].content")]


def test_messages_put_in_and_taken_out() -> None:
    then = [user("a"), assistant("x"), user("b")]
    put_in = [user("a"), user("hint"), assistant("x"), user("b"), assistant("y"), user("c")]
    assert told(changes(beside(then, put_in))) == [("client/history-edited", "messages[1].content")]
    found = causes_of("arguments_verbatim", {"messages": then}, {"messages": put_in})
    assert found[:1] == [("client/history-edited", "messages[1].content")]


def test_blank_content_beside_a_streamed_call_is_the_parsers() -> None:
    """Sent back as nothing it is as generated; sent back verbatim it is not."""
    reply = {**assistant(path="a"), "content": "\n\n"}
    then = [user("a")]
    assert told(changes(beside(then, [*then, assistant(path="a"), result("r")], reply))) == []
    assert told(changes(beside(then, [*then, reply, result("r")], reply))) == [
        ("client/whitespace", "messages[1].content")
    ]


def test_ids_that_no_template_prints_are_no_cause() -> None:
    calls = [{"id": one, "type": "function", "function": {"name": "f", "arguments": "{}"}} for one in ("c1", "c2")]
    then = [user("a"), {"role": "assistant", "content": "", "tool_calls": [calls[0]]}, result("r")]
    now = [
        user("a"),
        {"role": "assistant", "content": "", "tool_calls": [calls[1]]},
        result("r", "c2"),
        assistant("z"),
        user("b"),
    ]
    assert causes_of("arguments_verbatim", {"messages": then}, {"messages": now}) == []
    found = causes_of("ids_before_results", {"messages": then}, {"messages": now})
    assert found == [("client/tool-call-id-changed", "messages[2].tool_call_id")]


def test_only_the_generated_tokens_tell_of_blanks() -> None:
    then = {"messages": [user("a")], "generated": "Let me look. \nDone", "reply": assistant("Let me look.\nDone")}
    now = {"messages": [user("a"), assistant("Let me look.\nDone"), user("b")]}
    assert causes_of("arguments_verbatim", then, now) == [("client/whitespace", "messages[1].content")]
