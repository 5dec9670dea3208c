"""The live renderer: recorded ids and offsets, a text with its fields, nothing asked for twice."""

import json
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from analysis.live.errors import EndpointError
from analysis.live.renderer import LiveRenderer
from analysis.live.vllm import VllmServer
from analysis.model.renderer import Renderer
from analysis.model.session import JsonObject, Media, Request
from tests.replay_server import ReplayServer, Reply, exchange, request_of

OFFSETS = exchange("serve-block128", "render_token_offsets")
TEXT: str = json.loads(exchange("serve-block128", "chat_return_token_ids").reply.body)["prompt_text"]
RENDER = "/v1/chat/completions/render"


def _recorded_decoder() -> Callable[[list[int]], str]:
    """Decode the ids of the recording with offsets."""
    body = json.loads(OFFSETS.reply.body)
    pieces = {i: TEXT[start:stop] for i, (start, stop) in zip(body["token_ids"], body["token_offsets"], strict=True)}
    return lambda ids: "".join(pieces[token_id] for token_id in ids)


def _rendered(ids: list[int], **fields: Any) -> Reply:
    return Reply(200, json.dumps({"token_ids": ids, "token_offsets": None, **fields}).encode())


@pytest.fixture
def request_with_offsets() -> Request:
    return request_of(OFFSETS.sent)


def test_it_is_a_renderer_and_renders_once(request_with_offsets: Request) -> None:
    with ReplayServer("serve-block128") as server:
        renderer: Renderer = LiveRenderer(VllmServer(server.url))
        first = renderer.prompt_ids(request_with_offsets, None)
        again = renderer.prompt_ids(request_of({**OFFSETS.sent, "cache_salt": "s"}), 1.0)
    assert renderer.name == f"vLLM at {server.url}"
    assert first.tolist() == again.tolist() == json.loads(OFFSETS.reply.body)["token_ids"]
    assert server.paths() == [RENDER]


def test_attribution_from_the_recorded_offsets(request_with_offsets: Request) -> None:
    with ReplayServer("serve-block128", detokenize=_recorded_decoder()) as server:
        renderer = LiveRenderer(VllmServer(server.url))
        shown = renderer.attribution(request_with_offsets, None)
        renderer.prompt_ids(request_with_offsets, None)
    assert shown.text == TEXT and shown.basis == "searched"
    starts = [start for start, _ in json.loads(OFFSETS.reply.body)["token_offsets"]]
    assert shown.token_starts.tolist() == starts
    fields = {span.path: TEXT[span.start : span.stop] for span in shown.spans}
    assert fields == {  # a field begins with the template text that introduces it
        "messages[0].content": "<|im_start|>system\nYou are a helpful agent.",
        "messages[1].content": "<|im_start|>user\nWhat is the weather in Boston?",
    }
    assert [span.offset for span in shown.spans] == [-len("<|im_start|>system\n"), -len("<|im_start|>user\n")]
    assert server.paths() == [RENDER, "/detokenize"]


def test_attribution_without_offsets_comes_from_the_pieces(request_with_offsets: Request) -> None:
    plain = exchange("serve-block128", "render_plain").reply
    with ReplayServer(detokenize=_recorded_decoder(), canned={RENDER: plain}) as server:
        shown = LiveRenderer(VllmServer(server.url)).attribution(request_with_offsets, None)
    assert shown.token_starts.tolist() == [start for start, _ in json.loads(OFFSETS.reply.body)["token_offsets"]]
    assert server.paths() == [RENDER, "/detokenize", "/detokenize", "/detokenize"]  # the text, the marker, the pieces


def test_offsets_into_another_text_are_not_believed(request_with_offsets: Request) -> None:
    body = json.loads(OFFSETS.reply.body)
    shifted = _rendered(body["token_ids"], token_offsets=[[start, stop + 1] for start, stop in body["token_offsets"]])
    with ReplayServer(detokenize=_recorded_decoder(), canned={RENDER: shifted}) as server:
        shown = LiveRenderer(VllmServer(server.url)).attribution(request_with_offsets, None)
    assert shown.token_starts.tolist() == [start for start, _ in body["token_offsets"]]


def test_history_ends_with_the_reply_as_a_client_sends_it_back() -> None:
    request = Request("chat", "m", ({"role": "user", "content": "hi"},))
    reply: JsonObject = {
        "role": "assistant",
        "content": None,
        "reasoning_content": "hm",
        "tool_calls": [],
        "refusal": None,
    }
    with ReplayServer(canned={RENDER: _rendered([1, 2, 3])}) as server:
        assert LiveRenderer(VllmServer(server.url)).history_ids(request, reply, None).tolist() == [1, 2, 3]
    assert server.seen[0].body == {
        "model": "m",
        "messages": [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "", "reasoning": "hm"}],
        "add_generation_prompt": False,
    }


def test_the_history_has_fields_too() -> None:
    request = Request("chat", "m", ({"role": "user", "content": "question"},))
    text = "question\n[bot] answer"
    with ReplayServer(
        detokenize=lambda ids: "".join(map(chr, ids)), canned={RENDER: _rendered([*map(ord, text)])}
    ) as server:
        shown = LiveRenderer(VllmServer(server.url)).attribution(
            request, None, {"role": "assistant", "content": "answer"}
        )
    assert {span.path: text[span.start : span.stop] for span in shown.spans}["messages[1].content"] == "[bot] answer"
    assert shown.token_starts.tolist() == list(range(len(text)))


def test_ids_that_are_logged_need_no_server() -> None:
    renderer = LiveRenderer(VllmServer("127.0.0.1:9"))
    request = Request("completion", "m", prompt=np.array([5, 6], np.int32))
    assert renderer.prompt_ids(request, None).tolist() == [5, 6]
    with pytest.raises(ValueError, match="token ids"):
        renderer.history_ids(request, {"content": "x"}, None)


def test_token_bytes(request_with_offsets: Request) -> None:
    with ReplayServer("serve-block128", detokenize=_recorded_decoder()) as server:
        renderer = LiveRenderer(VllmServer(server.url))
        renderer.prompt_ids(request_with_offsets, None)
        assert renderer.token_bytes([151644, 8948, 198, 2610, 525]) == [
            b"<|im_start|>",
            b"system",
            b"\n",
            b"You",
            b" are",
        ]
    assert server.paths() == [RENDER, "/detokenize", "/detokenize"]


def test_a_server_that_is_gone_is_an_endpoint_error(request_with_offsets: Request) -> None:
    renderer = LiveRenderer(VllmServer("127.0.0.1:9"))
    with pytest.raises(EndpointError, match="is the server running"):
        renderer.prompt_ids(request_with_offsets, None)


def test_images_come_from_the_servers_own_hashes() -> None:
    features = {"mm_hashes": {"image": ["9f"]}, "mm_placeholders": {"image": [{"offset": 1, "length": 2}]}}
    part = {"type": "image_url", "image_url": {"url": "data:,A"}}
    shown = request_of({"model": "m", "messages": [{"role": "user", "content": [part]}]})
    text = request_of({"model": "m", "messages": [{"role": "user", "content": "hi"}]})
    with ReplayServer(canned={RENDER: _rendered([5, 7, 7], features=features)}) as server:
        renderer = LiveRenderer(VllmServer(server.url))
        assert renderer.prompt_ids(shown, None).tolist() == [5, 7, 7]
        assert renderer.media(shown, None) == (Media(1, 3, "9f"),)
        assert renderer.media(text, None) == ()
    assert server.paths() == [RENDER], "neither is asked for again"
    with ReplayServer(canned={RENDER: _rendered([5, 7, 7])}) as silent:
        assert LiveRenderer(VllmServer(silent.url)).media(shown, None) is None


def test_it_travels_to_another_process(request_with_offsets: Request) -> None:
    with ReplayServer("serve-block128") as server:
        renderer = LiveRenderer(VllmServer(server.url))
        ids = renderer.prompt_ids(request_with_offsets, None)
        copy = pickle.loads(pickle.dumps(renderer))
        assert copy.prompt_ids(request_with_offsets, None).tolist() == ids.tolist()
