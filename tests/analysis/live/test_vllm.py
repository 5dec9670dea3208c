"""The client against everything that was recorded from three servers, over a real socket."""

import json
from typing import Any

import numpy as np
import pytest

from analysis.live.answers import Model
from analysis.live.errors import EndpointError
from analysis.live.vllm import VllmServer
from analysis.model.session import Request
from tests.replay_server import NOT_FOUND, Exchange, Garbage, ReplayServer, Reply, exchange, exchanges, request_of

USER_SAYS_HI = Request("chat", "qwen3-tiny", ({"role": "user", "content": "hi"},))
CHAT_RENDER = "/v1/chat/completions/render"
NO_MODEL = exchange("serve-block128", "err_unknown_model").reply


def _renders(server: str, path: str) -> list[Exchange]:
    return [known for known in exchanges(server) if known.path == path and known.reply.status == 200]


def _ids(known: Exchange) -> Any:
    body = json.loads(known.reply.body)
    return (body if isinstance(body, dict) else body[0])["token_ids"]


def _failure(server: ReplayServer, request: Request = USER_SAYS_HI, **options: Any) -> str:
    with pytest.raises(EndpointError) as caught:
        VllmServer(server.url, **options).render(request)
    message = str(caught.value)
    assert message.isprintable()
    return message


@pytest.mark.parametrize("server", ["serve-block128", "launch-render"])
def test_every_recorded_chat_render_gives_the_recorded_ids(server: str) -> None:
    recorded = _renders(server, CHAT_RENDER)
    assert len(recorded) >= 20
    with ReplayServer(server) as replay:
        client = VllmServer(replay.url)
        for known in recorded:
            assert client.render(request_of(known.sent)).token_ids.tolist() == _ids(known), known.name
    assert client.route == "render"
    assert not any("cache_salt" in seen.body for seen in replay.seen)


def test_recorded_completions() -> None:
    text, ids = (exchange("serve-block128", f"completions_render_{kind}") for kind in ("str", "ids"))
    with ReplayServer("serve-block128") as replay:
        client = VllmServer(replay.url)
        assert client.render(request_of(text.sent)).token_ids.tolist() == _ids(text)
        logged = Request("completion", "qwen3-tiny", prompt=np.array(ids.sent["prompt"], np.int32))
        assert client.render(logged).token_ids.tolist() == _ids(ids)
        with pytest.raises(ValueError, match="without a prompt"):
            client.render(Request("completion", "qwen3-tiny"))
    assert replay.paths() == ["/v1/completions/render"]  # ids need no request


def test_offsets_where_the_server_gives_them() -> None:
    known = exchange("serve-block128", "render_token_offsets")
    with ReplayServer("serve-block128") as replay:
        client = VllmServer(replay.url)
        with_offsets = client.render(request_of(known.sent), offsets=True)
        without = client.render(request_of(known.sent))
    assert with_offsets.offsets is not None and without.offsets is None
    assert with_offsets.offsets.tolist() == json.loads(known.reply.body)["token_offsets"]


def test_a_server_that_refuses_offsets_still_gives_the_ids() -> None:
    class WithoutOffsets(ReplayServer):
        def answer(self, method: str, path: str, raw: bytes) -> Reply:
            refused = b"return_token_offsets" in raw
            return (
                Reply(400, b'{"error":{"message":"no fast tokenizer"}}')
                if refused
                else super().answer(method, path, raw)
            )

    known = exchange("serve-block128", "render_plain")
    with WithoutOffsets("serve-block128") as replay:
        rendered = VllmServer(replay.url).render(request_of(known.sent), offsets=True)
    assert rendered.token_ids.tolist() == _ids(known) and rendered.offsets is None


def test_default_flags_fall_back_to_tokenize_and_ask_for_the_render_once() -> None:
    with ReplayServer("serve-default-flags") as replay:
        client = VllmServer(replay.url)
        assert client.route is None
        ids = [client.render(USER_SAYS_HI).token_ids.tolist() for _ in range(3)]
        assert client.route == "tokenize"
    assert ids == [[151644, 872, 198, 6023, 151645, 198, 151644, 77091, 198]] * 3
    assert replay.paths() == [CHAT_RENDER, "/tokenize", "/tokenize", "/tokenize"]


def test_a_server_without_a_tool_parser_renders_tools_through_tokenize() -> None:
    words = '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set'
    refused = Reply(400, json.dumps({"error": {"message": words, "type": "BadRequestError", "code": 400}}).encode())
    tools, tokenized = exchange("serve-block128", "render_tools"), exchange("serve-block128", "tokenize_chat")
    with ReplayServer(canned={CHAT_RENDER: refused, "/tokenize": tokenized.reply}) as replay:
        client = VllmServer(replay.url)
        ids = [client.render(request_of(tools.sent), offsets=offsets).token_ids.tolist() for offsets in (True, False)]
        assert client.route == "tokenize"
    assert ids == [_ids(tools)] * 2
    assert replay.paths() == [CHAT_RENDER, "/tokenize", "/tokenize"]


def test_a_completion_falls_back_too() -> None:
    with ReplayServer("serve-default-flags", tokenize=lambda text: ([6023], ["hi"])) as replay:
        client = VllmServer(replay.url)
        assert client.render(Request("completion", "qwen3-tiny", prompt="hi")).token_ids.tolist() == [6023]
    assert replay.paths() == ["/v1/completions/render", "/tokenize"]


def test_tokenize_gives_what_the_render_gives() -> None:
    tools, tokenized = exchange("serve-block128", "render_tools"), exchange("serve-block128", "tokenize_chat")
    with ReplayServer(canned={"/tokenize": tokenized.reply}) as replay:
        client = VllmServer(replay.url)
        assert client.render(request_of(tools.sent)).token_ids.tolist() == _ids(tools)
        assert client.route == "tokenize"
    sent = {name: value for name, value in tokenized.sent.items() if name != "return_token_strs"}
    assert replay.seen[-1].body == sent


def test_generation_is_asked_for_only_where_it_is_allowed() -> None:
    generated = exchange("serve-block128", "chat_return_token_ids")
    request = request_of(generated.sent)
    with ReplayServer(canned={"/v1/chat/completions": generated.reply}) as replay:
        assert "allow it to generate one token" in _failure(replay, request)
        assert "/v1/chat/completions" not in replay.paths()
        client = VllmServer(replay.url, allow_generation=True)
        ids = client.render(request).token_ids.tolist()
    assert ids == json.loads(generated.reply.body)["prompt_token_ids"]
    assert client.route == "generate"
    assert replay.seen[-1].body["max_tokens"] == 1


def test_no_way_left_names_the_remedy_and_a_restarted_server_is_asked_again() -> None:
    refused = exchange("serve-default-flags", "render_disabled_403").reply
    with ReplayServer("serve-block128", canned={CHAT_RENDER: refused, "/tokenize": NOT_FOUND}) as replay:
        message = _failure(replay)
        assert "answered 403 (Scale-out endpoints are disabled." in message
        assert "start vllm serve with --enable-scale-out, or run `vllm launch render MODEL`" in message
        client = VllmServer(replay.url)
        with pytest.raises(EndpointError):
            client.render(USER_SAYS_HI)
        replay.canned.clear()
        known = exchange("serve-block128", "render_plain")
        assert client.render(request_of(known.sent)).token_ids.tolist() == _ids(known)


def test_an_unknown_model_is_named_with_those_that_are_served() -> None:
    known = exchange("serve-block128", "err_unknown_model")
    request = request_of(known.sent)
    with ReplayServer("serve-block128") as replay:
        message = _failure(replay, request)
        assert "does not serve the model 'nope', it serves qwen3-tiny" in message
        assert "/tokenize" not in replay.paths()
        same = exchange("serve-block128", "render_plain")
        assert VllmServer(replay.url, model="qwen3-tiny").render(request).token_ids.tolist() == _ids(same)


def test_an_unknown_model_at_the_fallback() -> None:
    with ReplayServer("serve-default-flags", canned={"/tokenize": NO_MODEL}) as replay:
        assert "it serves qwen3-tiny" in _failure(replay)


@pytest.mark.parametrize("name", ["err_messages_empty", "render_toolcall_args_dict"])
def test_what_vllm_refuses_is_told_in_its_words(name: str) -> None:
    known = exchange("serve-block128", name)
    with ReplayServer("serve-block128") as replay:
        message = _failure(replay, request_of(known.sent))
    said = json.loads(known.reply.body)["error"]["message"].split("\n")[0]
    assert f"answered 400 ({said}" in message


@pytest.mark.parametrize(
    ("garbage", "expected"),
    [
        ("html", "a web page: is this the address of a vLLM server?"),
        ("truncated", "something that is not JSON: is this the address of a vLLM server?"),
        ("wrong-shape", "token_ids that are not a list of integers: is this the address of a vLLM server?"),
        ("500", "the server failed: its log says why"),
        ("empty", "answered with nothing: is this the address of a vLLM server?"),
        ("not-http", "check the port, and http against https"),
    ],
)
def test_garbage_is_one_line_from_every_question(garbage: Garbage, expected: str) -> None:
    with ReplayServer(garbage=garbage) as replay:
        client = VllmServer(replay.url)
        assert expected in _failure(replay)
        for ask in (client.describe, client.reset_prefix_cache, lambda: client.detokenize([1])):
            with pytest.raises(EndpointError) as caught:
                ask()
            assert str(caught.value).isprintable()


def test_a_missing_key_names_the_variable() -> None:
    refused = Reply(401, b'{"error":"Unauthorized"}')
    with ReplayServer(canned={CHAT_RENDER: refused, "/v1/models": refused}) as replay:
        assert "answered 401 (Unauthorized): set WHYMISS_API_KEY" in _failure(replay)
        with pytest.raises(EndpointError, match="WHYMISS_API_KEY"):
            VllmServer(replay.url).describe()


@pytest.mark.parametrize("server", ["serve-block128", "serve-default-flags"])
def test_a_serving_server_describes_its_cache(server: str) -> None:
    recorded = exchange(server, "metrics_before").reply
    with ReplayServer(server, canned={"/metrics": recorded}) as replay:
        info = VllmServer(replay.url).describe()
    assert info.version == "0.32.0"
    assert info.models == (Model("qwen3-tiny", "models/qwen3-tiny", 16384),)
    assert (info.block_size, info.hash_algorithm, info.num_blocks) == (128, "sha256", 32768)
    assert info.prefix_caching is True and info.sliding_window is None


def test_a_render_server_has_no_cache_to_describe() -> None:
    with ReplayServer("launch-render") as replay:
        info = VllmServer(replay.url).describe()
    assert info.version == "0.32.0" and [model.name for model in info.models] == ["qwen3-tiny"]
    assert (info.block_size, info.hash_algorithm, info.num_blocks, info.prefix_caching) == (None,) * 4


@pytest.mark.parametrize(
    "metrics", [NOT_FOUND, Reply(500, b""), Reply(200, b"<html>", "text/html"), Reply(200, b"\xff")]
)
def test_metrics_that_are_not_there_leave_the_rest(metrics: Reply) -> None:
    with ReplayServer("serve-block128", canned={"/metrics": metrics}) as replay:
        info = VllmServer(replay.url).describe()
    assert info.version == "0.32.0" and info.block_size is None


def test_a_server_that_only_speaks_like_openai_is_told_apart() -> None:
    models = Reply(200, b'{"object":"list","data":[{"id":"gpt","object":"model","owned_by":"library"}]}')
    with ReplayServer(canned={"/v1/models": models}) as replay, pytest.raises(EndpointError, match="is not vLLM"):
        VllmServer(replay.url).describe()


def test_vllm_behind_a_gateway_that_hides_its_version() -> None:
    with ReplayServer(canned={"/v1/models": exchange("serve-block128", "models").reply}) as replay:
        assert VllmServer(replay.url).describe().version is None


@pytest.mark.parametrize(
    ("name", "expected"), [("detokenize", "<|im_start|>user\nhi<|im_end|>"), ("detokenize_bad", "")]
)
def test_recorded_detokenize(name: str, expected: str) -> None:
    known = exchange("serve-block128", name)
    with ReplayServer("serve-block128") as replay:
        assert VllmServer(replay.url, model="qwen3-tiny").detokenize(np.array(known.sent["tokens"])) == expected


def test_recorded_token_strings() -> None:
    known = exchange("serve-block128", "tokenize_chat")
    with ReplayServer(canned={"/tokenize": known.reply}) as replay:
        ids, strings = VllmServer(replay.url).token_strings("anything")
    assert strings[:4] == ("<|im_start|>", "system", "Ċ", "You")
    assert len(ids) == len(strings) == 243


def test_reset_reads_the_body_and_not_the_status() -> None:
    with ReplayServer("serve-block128") as replay:
        client = VllmServer(replay.url)
        assert client.can_reset() is True
        assert client.reset_prefix_cache() is True
        replay.canned["/reset_prefix_cache"] = Reply(200, b'{"success":false}')
        assert client.reset_prefix_cache() is False


@pytest.mark.parametrize("server", ["launch-render", "serve-default-flags"])
def test_reset_without_dev_mode_names_the_variable(server: str) -> None:
    with ReplayServer(server) as replay:
        with pytest.raises(EndpointError, match="VLLM_SERVER_DEV_MODE=1") as caught:
            VllmServer(replay.url).reset_prefix_cache()
        assert str(caught.value).isprintable()


def test_a_server_without_the_reset_route_cannot_be_reset() -> None:
    with ReplayServer() as replay:
        assert VllmServer(replay.url).can_reset() is False


def test_the_key_is_in_no_repr() -> None:
    assert repr(VllmServer("host:8000/v1", api_key="sk-secret")) == "VllmServer('http://host:8000')"
