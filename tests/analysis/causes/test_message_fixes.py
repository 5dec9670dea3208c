from typing import Any

import pytest

from analysis.causes.message_fixes import MESSAGE_FIXES, arguments_way, edited, is_pruned
from analysis.model.session import JsonObject
from tests.builders import assistant, user

OUTPUT = {"role": "tool", "tool_call_id": "c1", "content": "12 files, 3 of them changed since yesterday"}


def called(arguments: Any, call_id: str = "c1") -> dict[str, Any]:
    call = {"id": call_id, "type": "function", "function": {"name": "look", "arguments": arguments}}
    return {"role": "assistant", "content": "", "tool_calls": [call]}


IMAGE = {"type": "image_url", "image_url": {"url": "data:,"}}
WITH_IMAGE: dict[str, Any] = {"role": "user", "content": [IMAGE, {"type": "text", "text": "see"}]}
NO_IMAGE: dict[str, Any] = {
    "role": "user",
    "content": [{"type": "text", "text": "[removed]"}, {"type": "text", "text": "see"}],
}
CHANGES: list[tuple[str, JsonObject, JsonObject]] = [
    ("client/reasoning-dropped", assistant("yes", "because"), assistant("yes")),
    ("client/reasoning-merged", assistant("yes", "because"), assistant("<think>because</think>yes")),
    ("client/tool-output-pruned", OUTPUT, {**OUTPUT, "content": "[output removed]"}),
    ("client/image-evicted", WITH_IMAGE, NO_IMAGE),
    ("client/whitespace", assistant("Let me look.\n"), assistant("Let me look.")),
    ("client/tool-call-id-changed", called('{"a": 1}'), called('{"a": 1}', "call-9")),
    ("client/tool-call-id-changed", OUTPUT, {**OUTPUT, "tool_call_id": "call-9"}),
    ("args/separators", called('{"a":1,"b":2}'), called('{"a": 1, "b": 2}')),
    ("args/key-order", called('{"a": 1, "b": 2}'), called('{"b": 2, "a": 1}')),
    ("args/key-order", called({"a": 1, "b": 2}), called({"b": 2, "a": 1})),
    ("args/type-form", called('{"deep": true}'), called('{"deep": "True"}')),
    ("args/type-form", called('{"n": 1}'), called('{"n": 1.0}')),
    ("args/malformed", called('{"a": '), called("{}")),
]


@pytest.mark.parametrize(("code", "then", "now"), CHANGES, ids=[f"{code} {i}" for i, (code, *_) in enumerate(CHANGES)])
def test_every_way_is_put_back_by_its_own_code_alone(code: str, then: JsonObject, now: JsonObject) -> None:
    assert repr(MESSAGE_FIXES[code](then, now)) == repr(then)
    twins = {"client/reasoning-dropped", "client/reasoning-merged"}
    for other, fix in MESSAGE_FIXES.items():
        if other != code and not {code, other} <= twins:
            assert fix(then, now) is now, other
    assert edited(then, now) is now


@pytest.mark.parametrize("fix", [*MESSAGE_FIXES.values(), edited])
@pytest.mark.parametrize("message", [user("hi"), assistant("yes", "because", a=1), OUTPUT, WITH_IMAGE])
def test_an_equal_message_stays_the_same_object(fix: Any, message: JsonObject) -> None:
    now = dict(message)
    assert fix(message, now) is now


def test_a_streamed_reply_is_put_back_as_the_model_wrote_it() -> None:
    reply = {**called("{}"), "content": "\n\n"}
    assert MESSAGE_FIXES["client/whitespace"](reply, dict(reply))["content"] == ""


def test_an_edited_output_is_put_back_and_keeps_its_id() -> None:
    now = {**OUTPUT, "content": "12 files, 4 of them changed since yesterday", "tool_call_id": "call-9"}
    assert edited(OUTPUT, now) == {**OUTPUT, "tool_call_id": "call-9"}


def test_a_time_in_a_message_is_no_edit() -> None:
    now = user("it is 10:31 now")
    assert edited(user("it is 10:30 now"), now) is now


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        pytest.param("a long output of a tool", "[cut]", True, id="a stub"),
        pytest.param("short", "see the whole file", False, id="longer than it was"),
        pytest.param("short", "(see the file)", True, id="a stub that is longer"),
        pytest.param("[1, 2]", "[1, 3]", False, id="a list in JSON is no stub"),
        pytest.param("a long output of a tool", "a long", True, id="under half"),
        pytest.param("a long output of a tool", "a long output of it", False, id="over half"),
    ],
)
def test_is_pruned(old: str, new: str, expected: bool) -> None:
    assert is_pruned({"content": old}, {"content": new}) is expected


@pytest.mark.parametrize(("old", "new"), [('{"a": 1}', '{"a": 1}'), ('{"a": 1}', '{"a": 2}'), ('{"a": 1}', '{"b": 1}')])
def test_other_values_are_no_other_form(old: str, new: str) -> None:
    assert arguments_way(old, new) is None
