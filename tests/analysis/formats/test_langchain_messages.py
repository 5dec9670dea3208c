"""LangChain's messages as its tracers serialise them (langchain_core.load.dumpd, messages_to_dict, model_dump)."""

import pytest

from analysis.formats.langchain_messages import chat_message, generation, is_langchain
from analysis.model.session import Json

SENT = {"id": "c1", "type": "function", "function": {"name": "f", "arguments": '{"q":1}'}}
PARSED = {"id": "c1", "name": "f", "args": {"q": 1}, "type": "tool_call"}


def constructed(name: str, **kwargs: Json) -> dict[str, Json]:
    return {"lc": 1, "type": "constructor", "id": ["langchain", "schema", "messages", name], "kwargs": kwargs}


@pytest.mark.parametrize(
    ("message", "sent"),
    [
        pytest.param(constructed("HumanMessage", content="a"), {"role": "user", "content": "a"}, id="constructor"),
        pytest.param(constructed("SystemMessage", content="a"), {"role": "system", "content": "a"}, id="system"),
        pytest.param(
            constructed("AIMessageChunk", content="a", additional_kwargs={"reasoning_content": "so"}),
            {"role": "assistant", "content": "a", "reasoning": "so"},
            id="a piece, with its reasoning",
        ),
        pytest.param(
            constructed("ChatMessage", content="a", role="critic"), {"role": "critic", "content": "a"}, id="any role"
        ),
        pytest.param(
            {"type": "tool", "data": {"content": "r", "tool_call_id": "c1"}},
            {"role": "tool", "content": "r", "tool_call_id": "c1"},
            id="type and data",
        ),
        pytest.param({"type": "ai", "content": "a"}, {"role": "assistant", "content": "a"}, id="plain"),
        pytest.param(
            {"role": "assistant", "content": "", "additional_kwargs": {"tool_calls": [SENT]}, "tool_calls": [PARSED]},
            {"role": "assistant", "content": "", "tool_calls": [SENT]},
            id="the call as it was sent goes first",
        ),
        pytest.param(
            {"type": "ai", "content": "", "tool_calls": [PARSED]},
            {
                "role": "assistant",
                "content": "",
                "tool_calls": [{**SENT, "function": {"name": "f", "arguments": '{"q": 1}'}}],
            },
            id="else what was parsed of it",
        ),
    ],
)
def test_a_message_in_openai_words(message: dict[str, Json], sent: Json) -> None:
    assert is_langchain(message) and chat_message(message) == sent


@pytest.mark.parametrize(
    "message",
    [{"role": "user", "content": "a"}, {"type": "message", "role": "user"}, {"type": "function_call"}, {}],
)
def test_others_are_none(message: dict[str, Json]) -> None:
    assert not is_langchain(message)


@pytest.mark.parametrize(
    ("outputs", "message"),
    [
        ({"generations": [[{"text": "a", "message": {"kwargs": {"content": "a"}}}]]}, {"kwargs": {"content": "a"}}),
        ({"generations": [{"text": "a"}]}, {"role": "assistant", "content": "a"}),
        ({"generations": []}, {}),
    ],
    ids=["a chat", "a completion", "nothing"],
)
def test_the_first_generation_is_the_answer(outputs: dict[str, Json], message: Json) -> None:
    assert generation(outputs) == message
