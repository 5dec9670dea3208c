"""Fields found in a rendered text without the help of the render."""

import pytest

from analysis.core.locate import locate_fields, searched_segments
from analysis.model.session import Json
from tests.builders import assistant, request, user

TOOL: dict[str, Json] = {"type": "function", "function": {"name": "look", "description": None, "parameters": None}}


def found(text: str, *messages: dict[str, Json], **fields: object) -> list[tuple[str, str]]:
    spans = locate_fields(text, request(*messages, **fields))
    return [(span.path, text[span.start : span.stop]) for span in spans]


@pytest.mark.parametrize(
    ("text", "message", "pairs"),
    [
        pytest.param("<u>hi</u>", user("hi"), [("messages[0].content", "hi")], id="content"),
        pytest.param("<u>hi</u>", user(" hi\n"), [("messages[0].content", "hi")], id="trimmed by the template"),
        pytest.param("nothing", user("hi there"), [], id="not printed"),
        pytest.param("nothing", user(""), [], id="empty"),
        pytest.param(
            "hm|yes",
            assistant("yes", reasoning="hm"),
            [("messages[0].reasoning", "hm"), ("messages[0].content", "yes")],
            id="reasoning before content",
        ),
        pytest.param(
            'look {"a":1}',
            assistant("", a=1),
            [("messages[0].tool_calls[0]", "look"), ("messages[0].tool_calls[0]", '{"a":1}')],
            id="arguments without spaces",
        ),
        pytest.param(
            'look {"a": 1}',
            assistant("", a=1),
            [("messages[0].tool_calls[0]", "look"), ("messages[0].tool_calls[0]", '{"a": 1}')],
            id="arguments with spaces",
        ),
    ],
)
def test_one_message(text: str, message: dict[str, Json], pairs: list[tuple[str, str]]) -> None:
    assert found(text, message) == pairs


def test_equal_texts_are_taken_in_order() -> None:
    spans = locate_fields("a b a", request(user("a"), assistant("b"), user("a")))
    assert [(span.path, span.start) for span in spans] == [
        ("messages[0].content", 0),
        ("messages[1].content", 2),
        ("messages[2].content", 4),
    ]


def test_a_tool_is_one_field_and_hides_the_words_in_it() -> None:
    printed = '{"type": "function", "function": {"name": "look", "description": null, "parameters": null}}'
    assert found(f"{printed} look", user("look"), tools=(TOOL,)) == [
        ("tools[0]", printed),
        ("messages[0].content", "look"),
    ]


def test_the_reply_is_the_message_behind_the_last() -> None:
    spans = locate_fields("hi yes", request(user("hi")), assistant("yes"))
    assert [span.path for span in spans] == ["messages[0].content", "messages[1].content"]


def test_searched_segments_begin_with_what_introduces_them() -> None:
    text = "<user>\nhi\n<assistant>\nyes"
    spans = searched_segments(text, request(user("hi")), assistant("yes"))
    assert [(span.path, text[span.start : span.stop]) for span in spans] == [
        ("messages[0].content", "<user>\nhi"),
        ("messages[1].content", "<assistant>\nyes"),
    ]
