"""Request and response bodies: what reaches the prompt, and what a missing count means."""

import pickle
from typing import Any

import msgspec
import numpy as np
import pytest

from analysis.formats import jsontext
from analysis.formats.bodies import BodyReader, ids, read_usage, response
from analysis.model.session import Json, Request, Usage

NOW, OLD = "vllm-0.32.0-dbb425bf", "vllm-0.9.1-abc"
SALT = "tenant-secret-7f"


def read(body: dict[str, Any]) -> Request:
    return BodyReader().request(jsontext.fields(msgspec.json.encode(body)))


def usage(**fields: Json) -> dict[str, Json]:
    return {"prompt_tokens": 100, "completion_tokens": 7, **fields}


def reported(cached: Json) -> dict[str, Json]:
    return usage(prompt_tokens_details={"cached_tokens": cached})


@pytest.mark.parametrize(
    ("block", "fingerprint", "expected"),
    [
        pytest.param(None, NOW, Usage(), id="absent"),
        pytest.param("x", NOW, Usage(), id="no object"),
        pytest.param(reported(96), NOW, Usage(100, 7, 96, "reported"), id="reported"),
        pytest.param(reported(96.0), NOW, Usage(100, 7, 96, "reported"), id="a float that is whole"),
        pytest.param(reported(0), NOW, Usage(100, 7, 0, "reported"), id="zero"),
        pytest.param(reported(0), OLD, Usage(100, 7, 0, "reported"), id="zero of an old server"),
        pytest.param(usage(prompt_tokens_details=None), NOW, Usage(100, 7, None, "disabled"), id="null since 0.32"),
        pytest.param(usage(), NOW, Usage(100, 7, None, "disabled"), id="absent since 0.32"),
        pytest.param(
            usage(prompt_tokens_details=None), "vllm-1.0.0", Usage(100, 7, None, "disabled"), id="null in a later one"
        ),
        pytest.param(usage(prompt_tokens_details=None), OLD, Usage(100, 7, None, "omitted"), id="null before 0.32"),
        pytest.param(usage(prompt_tokens_details=None), None, Usage(100, 7, None, "omitted"), id="null, no version"),
        pytest.param(usage(prompt_tokens_details=None), "fp_1", Usage(100, 7, None, "omitted"), id="null, not vLLM"),
        pytest.param(reported(None), NOW, Usage(100, 7, None, "omitted"), id="details without the count"),
        pytest.param(reported(101), NOW, Usage(100, 7, None, "omitted"), id="more than the prompt"),
        pytest.param(reported(-1), NOW, Usage(100, 7, None, "omitted"), id="negative"),
        pytest.param(reported(True), NOW, Usage(100, 7, None, "omitted"), id="a boolean"),
        pytest.param({"prompt_tokens": None}, NOW, Usage(None, None, None, "disabled"), id="null counts"),
    ],
)
def test_usage(block: Json, fingerprint: str | None, expected: Usage) -> None:
    assert read_usage(block, fingerprint) == expected


def test_a_chat_request() -> None:
    request = read(
        {
            "model": "m",
            "messages": [{"role": "user", "content": None}],
            "tools": [{"type": "function"}],
            "chat_template_kwargs": {"enable_thinking": False},
            "reasoning_effort": "high",
            "add_generation_prompt": False,
            "continue_final_message": True,
            "add_special_tokens": True,
            "chat_template": "x",
        }
    )
    assert (request.kind, request.model) == ("chat", "m")
    assert request.messages == ({"role": "user", "content": None},)
    assert request.tools == ({"type": "function"},)
    assert request.template_kwargs == {"enable_thinking": False, "reasoning_effort": "high"}
    assert (request.add_generation_prompt, request.continue_final_message) == (False, True)
    assert (request.add_special_tokens, request.chat_template, request.prompt, request.salt) == (True, "x", None, None)


@pytest.mark.parametrize("tools", [None, []], ids=["null", "empty"])
def test_no_tools(tools: Json) -> None:
    assert read({"messages": [], "tools": tools}).tools == ()


@pytest.mark.parametrize(
    ("prompt", "seen"),
    [
        pytest.param("abc", "abc", id="text"),
        pytest.param(["abc"], "abc", id="one text in a list"),
        pytest.param([1, 2], [1, 2], id="ids"),
        pytest.param([[1, 2]], [1, 2], id="ids in a list"),
    ],
)
def test_a_completion_request(prompt: Json, seen: Json) -> None:
    request = read({"prompt": prompt})
    assert request.kind == "completion"
    assert (request.prompt.tolist() if isinstance(request.prompt, np.ndarray) else request.prompt) == seen


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        pytest.param({"model": "m"}, "neither messages nor prompt", id="neither"),
        pytest.param({"prompt": ["a", "b"]}, "several prompts", id="several prompts"),
        pytest.param({"prompt": [1, "a"]}, "several prompts", id="mixed prompt"),
        pytest.param({"prompt": None}, "several prompts", id="null prompt"),
        pytest.param({"prompt": []}, "several prompts", id="empty prompt"),
        pytest.param({"prompt": [2**63]}, "several prompts", id="ids no vocabulary has"),
        pytest.param({"messages": "hi"}, "messages is not a list of objects", id="messages as text"),
        pytest.param({"messages": [1]}, "messages holds int", id="a number as a message"),
        pytest.param({"messages": [], "tools": {"a": 1}}, "tools is not a list of objects", id="tools as an object"),
    ],
)
def test_what_is_no_request_says_why(body: dict[str, Any], reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        read(body)


def test_embeddings_are_told_apart_and_not_kept() -> None:
    one, again, other = (read({"model": "m", "prompt_embeds": text}) for text in ("QUJD", "QUJD", "QUJE"))
    assert one.kind == "completion" and one.prompt is None
    assert one.embeds == again.embeds != other.embeds and "QUJD" not in repr(one)
    assert read({"model": "m", "prompt": "hi", "prompt_embeds": None}).embeds is None


@pytest.mark.parametrize(
    ("choices", "content"),
    [
        pytest.param([(1, "b"), (0, "a")], "a", id="in another order"),
        pytest.param([(None, "a"), (1, "b")], "a", id="without a number"),
    ],
)
def test_of_several_choices_the_first_by_number_is_read(choices: list[tuple[Json, str]], content: str) -> None:
    said: list[Json] = [{"index": index, "message": {"content": text}} for index, text in choices]
    assert response({"choices": ["odd", *said]}).reply == {"content": content}


def test_messages_that_were_sent_again_are_decoded_once() -> None:
    reader = BodyReader()
    body = jsontext.fields(b'{"messages": [{"role": "user", "content": "hi"}]}')
    assert reader.request(body).messages[0] is reader.request(body).messages[0]


def test_a_salt_is_only_ever_its_keyed_fingerprint() -> None:
    one, same, other = (read({"messages": [], "cache_salt": salt}) for salt in (SALT, SALT, "other"))
    assert one.salt == same.salt != other.salt
    assert SALT not in repr(one) and SALT.encode() not in pickle.dumps(one)


@pytest.mark.parametrize("salt", [None, "", 5], ids=repr)
def test_what_is_no_salt(salt: Json) -> None:
    assert read({"messages": [], "cache_salt": salt}).salt is None


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        pytest.param([1, 2], [1, 2], id="ids"),
        pytest.param([], None, id="empty"),
        pytest.param(None, None, id="null"),
        pytest.param([1, "2"], None, id="a text in it"),
        pytest.param([1, True], None, id="a boolean in it"),
        pytest.param([-1], None, id="negative"),
        pytest.param([2**31 - 1], [2**31 - 1], id="as large as a column holds"),
        pytest.param([2**31], None, id="larger than a column holds"),
        pytest.param([1, 2**63], None, id="larger than a machine word"),
        pytest.param([1.0], None, id="a float in it"),
        pytest.param([[1]], None, id="a list in it"),
        pytest.param("12", None, id="text"),
    ],
)
def test_ids(value: Json, expected: list[int] | None) -> None:
    found = ids(value)
    assert (None if found is None else found.tolist()) == expected


def test_a_chat_response() -> None:
    message: dict[str, Json] = {"role": "assistant", "content": "hi", "tool_calls": [{"function": {"name": "f"}}]}
    body: dict[str, Json] = {
        "id": "r1",
        "model": "m",
        "system_fingerprint": NOW,
        "choices": [{"message": message, "token_ids": [3, 4]}],
        "usage": reported(0),
        "prompt_token_ids": [1, 2],
    }
    parts = response(body)
    assert (parts.reply, parts.request_id, parts.model, parts.error) == (message, "r1", "m", None)
    assert parts.usage == Usage(100, 7, 0, "reported")
    assert parts.prompt_ids is not None and parts.prompt_ids.tolist() == [1, 2]
    assert parts.output_ids is not None and parts.output_ids.tolist() == [3, 4]


def test_a_completion_response_carries_its_ids_in_the_choice() -> None:
    parts = response({"choices": [{"text": "hi", "prompt_token_ids": [1], "token_ids": [2]}]})
    assert parts.reply == {"role": "assistant", "content": "hi"}
    assert parts.prompt_ids is not None and parts.prompt_ids.tolist() == [1]


@pytest.mark.parametrize(
    ("body", "said"),
    [
        pytest.param({"usage": usage()}, True, id="counts"),
        pytest.param({"usage": "x"}, True, id="unreadable"),
        pytest.param({"usage": None}, False, id="null"),
        pytest.param({}, False, id="absent"),
        pytest.param(None, False, id="no response"),
    ],
)
def test_whether_there_was_a_usage_at_all(body: dict[str, Json] | None, said: bool) -> None:
    assert response(body).has_usage == said


@pytest.mark.parametrize(
    ("body", "error"),
    [
        pytest.param({"error": {"message": "too long", "code": 400}}, "too long", id="vLLM"),
        pytest.param({"error": None, "choices": []}, None, id="null"),
        pytest.param({"error": {"code": 1}}, "error without a message", id="no message"),
        pytest.param({"error": "boom"}, "boom", id="text"),
        pytest.param({"detail": "Not Found"}, "Not Found", id="detail"),
        pytest.param({"choices": [], "detail": "x"}, None, id="detail of an answer"),
        pytest.param({"choices": [5]}, None, id="odd choices"),
        pytest.param(None, None, id="no response"),
    ],
)
def test_errors(body: dict[str, Json] | None, error: str | None) -> None:
    parts = response(body)
    assert (parts.reply, parts.error) == (None, error)
