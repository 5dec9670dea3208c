"""What is asked for on top, and that the client never sees it."""

import json
from typing import Any

import pytest

from analysis.formats.additions import Asked, asked_for
from tests.upstream import answer_to

CHAT = "/v1/chat/completions"
PLAIN = {"model": "m", "messages": [{"role": "user", "content": "hi"}], "say": 'a "token_ids":[1] [2] é'}
STREAMED = {**PLAIN, "stream": True}


def asked(body: Any, path: str = CHAT, ids: bool = True, usage: bool = True) -> Asked | None:
    return asked_for(path, body if isinstance(body, bytes) else json.dumps(body).encode(), ids, usage)


@pytest.mark.parametrize("body", [PLAIN, STREAMED], ids=["whole", "streamed"])
@pytest.mark.parametrize("ids", [True, False], ids=["ids", "no ids"])
@pytest.mark.parametrize("size", [1, 7, 10_000])
def test_the_client_sees_what_it_would_have_seen(body: dict[str, Any], ids: bool, size: int) -> None:
    one = asked(body, ids=ids)
    if one is None:
        assert not ids and body is PLAIN, "a whole answer has its usage anyway"
        return
    answer = answer_to(one.body)
    streamed = "stream" in body
    assert (b'"prompt_token_ids":[1,2,3]' in answer) == ids and (b'"choices":[],' in answer) == streamed
    pieces = [answer[start : start + size] for start in range(0, len(answer), size)]
    seen = b"".join(one.passed_on(piece, streamed) for piece in pieces) + one.rest()
    assert seen == answer_to(json.dumps(body).encode())


def test_whole_events_pass_at_once() -> None:
    one = asked(STREAMED)
    assert one is not None
    assert one.passed_on(b'data: {"a":1}\n\ndata: {"b"', True) == b'data: {"a":1}\n\n'
    assert one.passed_on(b":2}\n\n", True) == b'data: {"b":2}\n\n'
    assert one.rest() == b""


@pytest.mark.parametrize(
    ("body", "changed"),
    [
        pytest.param(PLAIN, {"return_token_ids": True}, id="ids"),
        pytest.param(
            STREAMED, {"return_token_ids": True, "stream_options": {"include_usage": True}}, id="ids and usage"
        ),
        pytest.param(
            {**STREAMED, "return_token_ids": False, "stream_options": {"x": 1, "include_usage": False}},
            {"return_token_ids": True, "stream_options": {"x": 1, "include_usage": True}},
            id="where the client said no",
        ),
        pytest.param(
            {**STREAMED, "stream_options": None},
            {"return_token_ids": True, "stream_options": {"include_usage": True}},
            id="options that are null",
        ),
    ],
)
def test_only_this_is_changed(body: dict[str, Any], changed: dict[str, Any]) -> None:
    one = asked(body)
    assert one is not None and json.loads(one.body) == {**body, **changed}


def test_what_the_client_asked_for_itself_it_gets() -> None:
    both = {**STREAMED, "return_token_ids": True, "stream_options": {"include_usage": True}}
    assert asked(both) is None
    one = asked({**STREAMED, "return_token_ids": True})
    assert one is not None and (one.ids, one.usage) == (False, True)
    answer = answer_to(one.body)
    assert one.passed_on(answer, True) + one.rest() == answer_to(
        json.dumps({**STREAMED, "return_token_ids": True}).encode()
    )


@pytest.mark.parametrize(
    ("body", "path"),
    [
        pytest.param(b"{broken", CHAT, id="no JSON"),
        pytest.param(b'{"stream": true, "stream_options": 7}', CHAT, id="options that are none"),
        pytest.param(PLAIN, "/v1/messages", id="Messages"),
        pytest.param(PLAIN, "/v1/responses", id="Responses"),
    ],
)
def test_what_cannot_be_asked_more_passes_as_it_is(body: Any, path: str) -> None:
    assert asked(body, path) is None


def test_nothing_is_added_unasked() -> None:
    assert asked(STREAMED, ids=False, usage=False) is None


def test_a_usage_of_null_in_every_chunk_goes_too() -> None:
    """Servers that send the usage at the end send a null before it; without the option there is no such field."""
    one = asked(STREAMED)
    assert one is not None
    assert (
        one.passed_on(b'data: {"id":"c","usage":null,"choices":[{}]}\n\n', True)
        == b'data: {"id":"c","choices":[{}]}\n\n'
    )
    assert one.passed_on(b'data: {"choices":[{}],"usage":null}\n\n', True) == b'data: {"choices":[{}]}\n\n'
    assert one.passed_on(b'data: {"usage":null,"choices":[{}]}\n\n', True) == b'data: {"choices":[{}]}\n\n'
