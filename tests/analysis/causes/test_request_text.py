"""A request as text: the order of its fields, what is left out, and where two requests part."""

from typing import Any

import pytest

from analysis.causes.request_text import SHOWN, Known, Said, compared, texts
from analysis.model.finding import TextComparison
from analysis.model.session import JsonObject, Request
from tests.builders import assistant, request, user

SYSTEM: JsonObject = {"role": "system", "content": "Be brief."}
TOOL: JsonObject = {"type": "function", "function": {"name": "look", "parameters": {}}}
CALL = '{"name": "look", "arguments": {"path": "a"}}'
DUMPED = '{"type": "function", "function": {"name": "look", "description": null, "parameters": {}}}'


def told(request: Request, reply: JsonObject | None = None) -> list[tuple[str, str | None, str]]:
    return [
        (f"{path}.{name}" if name else path, said.role, text)
        for path, said in texts(request, reply, {})
        for name, text in said.fields
    ]


def beside(then: Request, now: Request, reply: JsonObject | None = None) -> TextComparison:
    known: Known = {}
    return compared(1, texts(then, reply, known), texts(now, None, known))


def test_fields_stand_in_the_order_of_most_templates() -> None:
    asked = request(SYSTEM, user("hi"), assistant("so", "why", path="a"), tools=(TOOL,))
    assert told(asked, {"content": "done"}) == [
        ("messages[0].content", "system", "Be brief."),
        ("tools[0]", None, DUMPED),
        ("messages[1].content", "user", "hi"),
        ("messages[2].reasoning", "assistant", "why"),
        ("messages[2].content", "assistant", "so"),
        ("messages[2].tool_calls[0]", "assistant", CALL),
        ("messages[3].content", "assistant", "done"),
    ]


@pytest.mark.parametrize(
    ("message", "texts"),
    [
        pytest.param({"role": "user", "content": None}, [""], id="no content"),
        pytest.param({"role": "user", "content": [{"type": "text", "text": "a"}] * 2}, ["a\na"], id="parts"),
        pytest.param(
            {"role": "user", "content": [{"type": "image_url", "image_url": "x"}]},
            ['[{"type": "image_url", "image_url": "x"}]'],
            id="an image",
        ),
        pytest.param({**assistant("\n\n", path="a"), "reasoning": " "}, ["", CALL], id="blanks before a call"),
        pytest.param({"role": "assistant", "content": "", "tool_calls": ["odd"]}, ["", '"odd"'], id="a broken call"),
        pytest.param({"role": "tool", "content": "4", "tool_call_id": "c1", "name": "f"}, ["4"], id="no ids, no names"),
    ],
)  # fmt: skip
def test_the_text_of_a_message(message: JsonObject, texts: list[str]) -> None:
    assert [text for _path, _role, text in told(request(message))] == texts


ASKED = request(SYSTEM, user("hello"), tools=(TOOL,))
WHOLE = len("Be brief." + DUMPED + "hello")


@pytest.mark.parametrize(
    ("now", "reply", "equal"),
    [
        pytest.param(ASKED, None, (2, WHOLE, WHOLE), id="the same again"),
        pytest.param(request(*ASKED.messages, assistant("x"), tools=(TOOL,)), None, (2, WHOLE, WHOLE), id="goes on"),
        pytest.param(
            request(*ASKED.messages, assistant("x"), tools=(TOOL,)), {"content": "x"}, (3, WHOLE + 1, WHOLE + 1),
            id="with its reply",
        ),
        pytest.param(request(SYSTEM, tools=(TOOL,)), None, (1, WHOLE - 5, WHOLE), id="ends within"),
    ],
)  # fmt: skip
def test_a_request_that_only_goes_on(now: Request, reply: Any, equal: tuple[int, int, int]) -> None:
    assert beside(ASKED, now, reply) == TextComparison(1, *equal)


@pytest.mark.parametrize(
    ("now", "reply", "equal", "place", "texts"),
    [
        pytest.param(
            request({**SYSTEM, "content": "Be brave."}, user("hello"), tools=(TOOL,)), None, (0, 5),
            ("messages[0].content", 5, "messages[0].content"), ("Be br", "ief.", "ave."), id="in the system message",
        ),
        pytest.param(
            request(SYSTEM, user("hello")), None, (1, 9),
            ("messages[1].content", 0, "tools[0]"), ("Be brief.\n", DUMPED, "hello"), id="no tools any more",
        ),
        pytest.param(
            request(SYSTEM, assistant("hello"), tools=(TOOL,)), None, (1, WHOLE - 5),
            ("messages[1].content", 0, "messages[1].content"), (f"Be brief.\n{DUMPED}\n", "hello", "hello"),
            id="another role",
        ),
        pytest.param(
            request(*ASKED.messages, assistant("yes, it is"), tools=(TOOL,)), assistant("yes"), (2, WHOLE + 3),
            ("messages[2].content", 3, "messages[2].content"), (f"{DUMPED}\nhello\nyes", "", ", it is"),
            id="a reply that goes on",
        ),
        pytest.param(
            request(*ASKED.messages, assistant("yes"), tools=(TOOL,)), assistant("yes", "hm"), (2, WHOLE),
            ("messages[2].content", 0, "messages[2].reasoning"), (f"{DUMPED}\nhello\n", "hm", "yes"),
            id="reasoning that was not sent back",
        ),
    ],
)  # fmt: skip
def test_where_two_requests_part(
    now: Request, reply: Any, equal: tuple[int, int], place: tuple[str, int, str], texts: tuple[str, str, str]
) -> None:
    found = beside(ASKED, now, reply)
    there = found.divergence
    assert there is not None and (found.equal_messages, found.equal_chars) == equal
    assert (there.segment.path, there.segment.char, there.previous_segment.path) == place
    assert (there.before, there.old, there.new) == texts


@pytest.mark.parametrize(
    ("then", "reply", "now", "equal", "parts"),
    [
        pytest.param("once", None, "once upon", 4, False, id="goes on"),
        pytest.param("once", {"content": " upon"}, "once upon a time", 9, False, id="with its reply"),
        pytest.param("once", {"content": " upon"}, "once upon", 9, False, id="and no more"),
        pytest.param("once", None, "on", 2, False, id="ends within"),
        pytest.param("once", None, "one day", 2, True, id="parts"),
    ],
)
def test_a_prompt_of_one_text(then: str, reply: Any, now: str, equal: int, parts: bool) -> None:
    sides = (Request("completion", "m", prompt=text) for text in (then, now))
    found = beside(*sides, reply)
    assert (found.equal_chars, found.divergence is not None) == (equal, parts)


def test_long_texts_are_cut_to_what_is_read() -> None:
    found = beside(request(user("a" * 999 + "b" * 999)), request(user("a" * 999 + "c" * 999)))
    assert found.divergence is not None
    assert {len(text) for text in (found.divergence.before, found.divergence.old, found.divergence.new)} == {SHOWN}


def test_what_is_sent_again_is_written_once() -> None:
    known: Known = {}
    texts(ASKED, None, known)
    known[id(SYSTEM)] = SYSTEM, Said("system", (("content", "remembered"),), 10)
    assert texts(ASKED, None, known)[0][1].fields == (("content", "remembered"),)


CALLED = assistant("so", path="a")
PLAIN = assistant("so")


@pytest.mark.parametrize(
    ("then", "now", "equal", "place"),
    [
        pytest.param(
            [CALLED, user("x")], [PLAIN, user("x")], (0, 2), ("messages[1].content", "messages[0].tool_calls[0]"),
            id="a call that is gone",
        ),
        pytest.param(
            [PLAIN, user("x")], [CALLED, user("x")], (0, 2), ("messages[0].tool_calls[0]", "messages[1].content"),
            id="a call that was added",
        ),
        pytest.param([CALLED], [PLAIN], (0, 2), None, id="a request that ends before the call"),
    ],
)  # fmt: skip
def test_a_message_with_other_fields(
    then: list[JsonObject], now: list[JsonObject], equal: tuple[int, int], place: tuple[str, str] | None
) -> None:
    found = beside(request(*then), request(*now))
    there = found.divergence
    assert (found.equal_messages, found.equal_chars) == equal
    assert (there and (there.segment.path, there.previous_segment.path)) == place


@pytest.mark.parametrize(
    ("more", "goes_on"),
    [
        pytest.param("\nassistant: None\ntool: 4", True, id="the reply and more behind it"),
        pytest.param(" in French, please", False, id="the user wrote on"),
    ],
)
def test_a_request_that_was_logged_as_one_text(more: str, goes_on: bool) -> None:
    then, now = (texts(request(user(f"user: hello{end}")), None, {}) for end in ("", more))
    found = compared(1, [*then, *texts(request(assistant("None")), None, {})], now, 1)
    assert (found.divergence is None, found.equal_chars, found.previous_chars) == (goes_on, 11, 15)
