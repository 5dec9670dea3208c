"""What is sent: all that reaches the prompt, nothing that is secret."""

import numpy as np
import pytest

from analysis.live import bodies
from analysis.model.session import Json, Request

USER: dict[str, Json] = {"role": "user", "content": "hi"}
CALL: dict[str, Json] = {"id": "c1", "type": "function", "function": {"name": "f", "arguments": '{"a":1}'}}


def test_defaults_are_left_out() -> None:
    assert bodies.chat(Request("chat", "m", (USER,)), "m") == {"model": "m", "messages": [USER]}
    assert bodies.chat(Request("chat", "", (USER,)), "") == {"messages": [USER]}


def test_everything_that_reaches_the_prompt_is_sent_and_the_salt_is_not() -> None:
    request = Request(
        "chat",
        "m",
        (USER,),
        tools=({"type": "function"},),
        template_kwargs={"enable_thinking": False},
        chat_template="{{ messages }}",
        add_generation_prompt=False,
        continue_final_message=True,
        add_special_tokens=True,
        salt="5a17",
    )
    assert bodies.chat(request, "other") == {
        "model": "other",
        "messages": [USER],
        "tools": [{"type": "function"}],
        "chat_template_kwargs": {"enable_thinking": False},
        "chat_template": "{{ messages }}",
        "add_generation_prompt": False,
        "continue_final_message": True,
        "add_special_tokens": True,
    }


@pytest.mark.parametrize(
    ("sent", "expected"),
    [
        ({"reasoning_content": "r"}, {"reasoning": "r"}),
        ({"reasoning": "a", "reasoning_content": "b"}, {"reasoning": "a"}),
        ({"reasoning": None, "reasoning_content": "b"}, {"reasoning": "b"}),
        ({"reasoning_content": None}, {}),
        ({"content": "x"}, {"content": "x"}),
    ],
)
def test_tokenize_gets_reasoning_by_the_name_it_knows(sent: dict[str, Json], expected: dict[str, Json]) -> None:
    assert bodies.chat_tokenize(Request("chat", "m", (sent,)), "m")["messages"] == [expected]


def test_one_token_is_generated_at_most() -> None:
    body = bodies.chat_generate(Request("chat", "m", (USER,)), "m")
    assert body == {"model": "m", "messages": [USER], "max_tokens": 1, "return_token_ids": True}


def test_completions() -> None:
    request = Request("completion", "m", prompt="Once", add_special_tokens=False)
    assert bodies.completion_tokenize(request, "m") == {"model": "m", "prompt": "Once", "add_special_tokens": False}
    assert bodies.completion(request, "m")["max_tokens"] == 1


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        (
            {"role": "assistant", "content": None, "reasoning_content": "r", "refusal": None, "tool_calls": []},
            {"role": "assistant", "content": "", "reasoning": "r"},
        ),
        (
            {"content": "x", "reasoning": "a", "reasoning_content": "b"},
            {"role": "assistant", "content": "x", "reasoning": "a"},
        ),
        (
            {"role": "assistant", "tool_calls": [{**CALL, "index": 0}]},
            {"role": "assistant", "content": "", "tool_calls": [CALL]},
        ),
        (
            {"tool_calls": [{"id": None, "function": {"name": "f", "arguments": {"city": "Zürich"}}}]},
            {
                "role": "assistant",
                "content": "",
                "tool_calls": [
                    {"id": "call", "type": "function", "function": {"name": "f", "arguments": '{"city": "Zürich"}'}}
                ],
            },
        ),
        ({"content": "x", "tool_calls": ["odd"]}, {"role": "assistant", "content": "x", "tool_calls": ["odd"]}),
    ],
)
def test_a_reply_as_a_client_sends_it_back(reply: dict[str, Json], expected: dict[str, Json]) -> None:
    assert bodies.replayed(reply) == expected


def test_a_reply_ends_the_conversation() -> None:
    request = bodies.with_reply(Request("chat", "m", (USER,), continue_final_message=True), {"content": "yes"})
    assert request.messages == (USER, {"role": "assistant", "content": "yes"})
    assert not request.add_generation_prompt and not request.continue_final_message


def test_the_reply_of_a_completion_is_its_text() -> None:
    assert bodies.with_reply(Request("completion", "m", prompt="Once "), {"content": "upon"}).prompt == "Once upon"
    with pytest.raises(ValueError, match="token ids"):
        bodies.with_reply(Request("completion", "m", prompt=np.array([1], np.int32)), {"content": "upon"})
