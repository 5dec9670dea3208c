"""The rules of vLLM 0.32, one row each: what reaches the chat template of what a client sent."""

import json

import pytest

from analysis.core.normalise import as_generated, normalise_message, normalise_tool, parse_arguments
from analysis.model.session import Json

BILLING = "x-anthropic-billing-header: cc_version=2.1; cch=a1b2c;"
IMAGE: Json = {"type": "image_url", "image_url": {"url": "data:,"}}


def text(*texts: str) -> list[Json]:
    return [{"type": "text", "text": value} for value in texts]


@pytest.mark.parametrize(
    ("role", "content", "rendered"),
    [
        pytest.param("assistant", None, "", id="null becomes empty"),
        pytest.param("user", "as is ", "as is ", id="text stays"),
        pytest.param("user", text("a", "b"), "a\nb", id="text parts are joined by a newline"),
        pytest.param("tool", text("only"), "only", id="one part"),
        pytest.param("user", [], "", id="no parts"),
        pytest.param("user", [*text("a"), IMAGE], [*text("a"), IMAGE], id="an image leaves the parts alone"),
        pytest.param("system", f"{BILLING}\nYou are", "You are", id="billing line of a system text is dropped"),
        pytest.param("system", text(f"{BILLING}\nYou are"), "You are", id="billing line in a part"),
        pytest.param("system", text(BILLING, "You are"), "You are", id="billing line as a part of its own"),
        pytest.param("system", BILLING, "", id="billing line alone"),
        pytest.param("system", f"You are\n{BILLING}", f"You are\n{BILLING}", id="billing only at the head"),
        pytest.param("user", f"{BILLING}\nhi", f"{BILLING}\nhi", id="billing only in system texts"),
    ],
)
def test_content(role: str, content: Json, rendered: Json) -> None:
    assert normalise_message({"role": role, "content": content})["content"] == rendered


def test_absent_content_is_empty() -> None:
    assert normalise_message({"role": "assistant"}) == {"role": "assistant", "content": ""}


@pytest.mark.parametrize(
    ("sent", "seen"),
    [
        pytest.param({"reasoning": "r"}, "r", id="reasoning"),
        pytest.param({"reasoning_content": "r"}, "r", id="the older name"),
        pytest.param({"reasoning": "new", "reasoning_content": "old"}, "new", id="reasoning wins"),
        pytest.param({"reasoning": None, "reasoning_content": "r"}, "r", id="null is absent"),
        pytest.param({"reasoning": "", "reasoning_content": "r"}, "", id="empty is there"),
    ],
)
def test_the_template_sees_reasoning_under_every_name(sent: dict[str, Json], seen: str) -> None:
    message = normalise_message({"role": "assistant", "content": "", **sent})
    assert (message["reasoning"], message["reasoning_content"], message["thinking"]) == (seen, seen, seen)


def test_no_reasoning_gives_no_field() -> None:
    assert normalise_message({"role": "assistant", "content": "hi"}).keys() == {"role", "content"}


@pytest.mark.parametrize(
    ("sent", "printed"),
    [
        pytest.param('{"query":"x"}', '{"query": "x"}', id="spaced as json.dumps does"),
        pytest.param('{"b": 1, "a": 2}', '{"b": 1, "a": 2}', id="order of the keys kept"),
        pytest.param('{"a": 1, "a": 2}', '{"a": 2}', id="the last of two equal keys"),
        pytest.param('{"p": 25.00}', '{"p": 25.0}', id="25.00"),
        pytest.param('{"p": 1e3}', '{"p": 1000.0}', id="1e3"),
        pytest.param('{"p": 1e16}', '{"p": 1e+16}', id="1e16"),
        pytest.param('{"p": 12345678901234567890}', '{"p": 12345678901234567890}', id="all digits of an integer"),
        pytest.param('{"t": "\\u00e9\\/"}', '{"t": "é/"}', id="escapes resolved"),
        pytest.param('{"t": null}', '{"t": null}', id="null inside"),
        pytest.param("", "{}", id="empty"),
        pytest.param('{"a": ', "{}", id="broken"),
        pytest.param("[1]", "{}", id="an array"),
        pytest.param('"a"', "{}", id="a text"),
        pytest.param("null", "{}", id="null"),
        pytest.param("[" * 100_000, "{}", id="nested without end"),
        pytest.param(None, "{}", id="absent"),
        pytest.param({"a": 1}, '{"a": 1}', id="an object passes: vLLM answers 400"),
    ],
)
def test_arguments_are_parsed_and_written_again(sent: Json, printed: str) -> None:
    assert json.dumps(parse_arguments(sent), ensure_ascii=False) == printed


def test_a_tool_call_keeps_all_but_the_spelling_of_its_arguments() -> None:
    call: Json = {"id": "c1", "type": "function", "function": {"name": "f", "arguments": '{"a":1}'}}
    message = normalise_message({"role": "assistant", "content": None, "tool_calls": [call]})
    assert message["tool_calls"] == [{"id": "c1", "type": "function", "function": {"name": "f", "arguments": {"a": 1}}}]
    assert call == {"id": "c1", "type": "function", "function": {"name": "f", "arguments": '{"a":1}'}}, "not in place"


@pytest.mark.parametrize("calls", [None, [], "x"], ids=repr)
def test_tool_calls_that_are_none_are_dropped(calls: Json) -> None:
    assert "tool_calls" not in normalise_message({"role": "assistant", "content": "", "tool_calls": calls})


PARAMETERS: Json = {"type": "object", "properties": {"b": {}, "a": {}}}
FULL: dict[str, Json] = {"name": "f", "description": "d", "parameters": PARAMETERS}


@pytest.mark.parametrize(
    ("sent", "seen"),
    [
        pytest.param(
            {"function": {"parameters": PARAMETERS, "name": "f", "description": "d"}, "type": "function"},
            {"type": "function", "function": FULL},
            id="keys in vLLM's order, parameters as sent",
        ),
        pytest.param(
            {"type": "function", "function": {"name": "f"}},
            {"type": "function", "function": {"name": "f", "description": None, "parameters": None}},
            id="missing becomes null",
        ),
        pytest.param(
            {"type": "function", "cache_control": {}, "function": {**FULL, "examples": []}},
            {"type": "function", "function": FULL},
            id="other keys are dropped",
        ),
        pytest.param(
            {"type": "function", "function": {"strict": False, **FULL}},
            {"type": "function", "function": {**FULL, "strict": False}},
            id="strict where it is not null",
        ),
        pytest.param(
            {"type": "function", "function": {"strict": None, **FULL}},
            {"type": "function", "function": FULL},
            id="strict null",
        ),
        pytest.param(
            {"defer_loading": True, "type": "function", "function": FULL},
            {"type": "function", "function": {**FULL, "defer_loading": True}, "defer_loading": True},
            id="defer_loading is copied into the function",
        ),
        pytest.param({"type": "web_search"}, {"type": "web_search"}, id="no function"),
    ],
)
def test_tool(sent: dict[str, Json], seen: dict[str, Json]) -> None:
    assert json.dumps(normalise_tool(sent)) == json.dumps(seen), "order of the keys included"


CALLS: Json = [{"function": {"name": "f", "arguments": "{}"}}]


@pytest.mark.parametrize(
    ("reply", "content"),
    [
        pytest.param({"content": "\n\n", "tool_calls": CALLS}, "", id="left over before a call"),
        pytest.param({"content": "I look\n", "tool_calls": CALLS}, "I look\n", id="said something before the call"),
        pytest.param({"content": "\n\n"}, "\n\n", id="no call"),
        pytest.param({"content": None, "tool_calls": CALLS}, None, id="null"),
    ],
)
def test_as_generated(reply: dict[str, Json], content: Json) -> None:
    assert as_generated(reply) == {**reply, "content": content}
