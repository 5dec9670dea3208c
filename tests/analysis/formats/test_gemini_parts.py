"""Contents of Google's API as chat messages."""

import pytest

from analysis.formats.gemini_parts import chat_messages, parts_of
from analysis.model.session import Json, JsonObject

RESULT: JsonObject = {"functionResponse": {"id": "c1", "name": "ls", "response": {"output": "a b"}}}


def tool(content: str) -> JsonObject:
    return {"role": "tool", "tool_call_id": "c1", "content": content}


@pytest.mark.parametrize(
    ("role", "content", "expected"),
    [
        pytest.param("user", "hi", [{"role": "user", "content": "hi"}], id="a text"),
        pytest.param("user", [{"text": "hi"}], [{"role": "user", "content": "hi"}], id="a part"),
        pytest.param(
            "user",
            [{"text": "a"}, "b"],
            [{"role": "user", "content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]}],
            id="several texts",
        ),
        pytest.param(
            "user",
            [{"inlineData": {"mimeType": "image/png", "data": "QQ=="}}],
            [{"role": "user", "content": [{"type": "image_url", "image_url": {"url": "data:image/png;base64,QQ=="}}]}],
            id="an image",
        ),
        pytest.param("user", [], [], id="nothing"),
        pytest.param(
            "user", [{"text": "go on"}, RESULT], [tool("a b"), {"role": "user", "content": "go on"}], id="results first"
        ),
        pytest.param(
            "user", {"functionResponse": {"id": "c1", "response": {"error": "no"}}}, [tool("no")], id="an error"
        ),
        pytest.param(
            "user", {"functionResponse": {"id": "c1", "response": {"n": "ä"}}}, [tool('{"n": "ä"}')], id="other JSON"
        ),
        pytest.param("user", {"functionResponse": {"id": "c1", "response": "x"}}, [tool("x")], id="a bare result"),
        pytest.param("model", "yes", [{"role": "assistant", "content": "yes"}], id="a reply"),
        pytest.param("model", [], [{"role": "assistant", "content": ""}], id="an empty reply"),
        pytest.param(
            "model",
            [{"text": "hm", "thought": True}, {"text": "ye"}, {"text": "s"}],
            [{"role": "assistant", "content": "yes", "reasoning_content": "hm"}],
            id="thoughts",
        ),
        pytest.param(
            "model",
            [{"functionCall": {"id": "c1", "name": "ls", "args": {"path": "ä", "n": 1}}}],
            [
                {
                    "role": "assistant",
                    "content": None,
                    "tool_calls": [
                        {"id": "c1", "type": "function", "function": {"name": "ls", "arguments": '{"path":"ä","n":1}'}}
                    ],
                }
            ],
            id="a call",
        ),
    ],
)
def test_messages(role: str, content: Json, expected: list[JsonObject]) -> None:
    assert list(chat_messages(role, content)) == expected


def test_parts_of_what_is_none() -> None:
    assert parts_of(None) == parts_of(7) == parts_of("") == parts_of([None, 7]) == []
