"""HTTP over a real socket: time-outs, garbage, redirects, and a key that shows nowhere."""

import logging
import pickle
import socket
import traceback

import httpx
import pytest

from analysis.live import connection
from analysis.live.connection import Connection
from analysis.live.errors import EndpointError
from tests.replay_server import Garbage, ReplayServer, Reply

KEY = "sk-0123456789abcdef"


def _failure(server: ReplayServer, path: str = "/v1/models", seconds: float = 5.0) -> EndpointError:
    client = Connection(server.url, KEY, seconds)
    with pytest.raises(EndpointError) as caught:
        client.json(client.get(path))
    return caught.value


@pytest.mark.parametrize(
    ("garbage", "expected"),
    [
        ("html", "answered with a web page: is this the address of a vLLM server?"),
        ("truncated", "answered with something that is not JSON: is this the address of a vLLM server?"),
        ("empty", "answered with nothing: is this the address of a vLLM server?"),
        ("500", "answered 500 (Traceback (most recent call last):"),
        ("not-http", "check the port, and http against https"),
    ],
)
def test_garbage_is_one_line(garbage: Garbage, expected: str) -> None:
    with ReplayServer(garbage=garbage) as server:
        message = str(_failure(server))
    assert message.startswith(server.url)
    assert expected in message
    assert message.isprintable()


def test_a_slow_answer() -> None:
    with ReplayServer("serve-block128", delay=0.6) as server:
        message = str(_failure(server, seconds=0.1))
    assert message.endswith("did not answer within 0.1 s: the server is busy or still starts; try again later")


def test_an_answer_that_drips_ends_too() -> None:
    def drip(request: httpx.Request) -> httpx.Response:
        return httpx.Response(200, content=iter(lambda: b" ", None))

    client = Connection("host", KEY, 0.05, httpx.MockTransport(drip))
    with pytest.raises(EndpointError, match=r"did not answer within 0\.05 s"):
        client.get("/metrics")


def test_an_endless_answer_is_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "MAX_ANSWER_BYTES", 1 << 20)
    with ReplayServer(canned={"/version": Reply(200, b"7" * (3 << 20))}) as server:
        assert "answered with more than 1 MB" in str(_failure(server, "/version"))


def test_a_refused_connection() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with pytest.raises(EndpointError, match="is the server running, and is this its port"):
        Connection(f"127.0.0.1:{port}").get("/version")


def test_an_unknown_host() -> None:
    def unknown(request: httpx.Request) -> httpx.Response:
        raise httpx.ConnectError("no such host") from socket.gaierror(-2, "Name or service not known")

    with pytest.raises(EndpointError, match="names a host that is not known here"):
        Connection("http://no.such.host", transport=httpx.MockTransport(unknown)).get("/version")


def test_tls_to_a_server_that_speaks_plain_http() -> None:
    with ReplayServer("serve-block128") as server, pytest.raises(EndpointError, match="try http:// instead"):
        Connection(server.url.replace("http:", "https:")).get("/version")


@pytest.mark.parametrize(("name", "value"), [("SSL_CERT_FILE", "/no/such/file"), ("HTTPS_PROXY", "gopher://x")])
def test_an_environment_that_is_wrong(name: str, value: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(name, value)
    with pytest.raises(EndpointError, match="check SSL_CERT_FILE and the proxy variables"):
        Connection("vllm.example.com", KEY).get("/version")


def test_a_redirect_is_not_followed() -> None:
    with ReplayServer() as elsewhere:
        moved = Reply(307, b"", headers={"Location": f"{elsewhere.url}/v1/models"})
        with ReplayServer(canned={"/v1/models": moved}) as server:
            message = str(_failure(server))
        assert f"redirects to {elsewhere.url}/v1/models: give the address that it really has" in message
        assert elsewhere.seen == []


def test_the_key_is_sent_as_a_bearer() -> None:
    with ReplayServer("serve-block128") as server:
        Connection(server.url, f" {KEY}\n").get("/version")
        Connection(server.url).get("/version")
    assert [seen.headers.get("Authorization") for seen in server.seen] == [f"Bearer {KEY}", None]


def test_a_key_that_no_header_can_carry_is_refused_and_not_repeated() -> None:
    with pytest.raises(EndpointError, match="WHYMISS_API_KEY") as caught:
        Connection("host", "sk-sec\nret")
    assert "sec" not in str(caught.value)


@pytest.mark.parametrize(
    "reply",
    [
        Reply(401, f'{{"error":{{"message":"wrong key {KEY}"}}}}'.encode()),
        Reply(400, f"{'x' * 190} Authorization: Bearer {KEY}".encode(), "text/plain"),
        Reply(302, b"", headers={"Location": f"http://evil.example/?key={KEY}"}),
        Reply(500, KEY.encode() * 20),
    ],
)
def test_a_server_that_echoes_the_key_brings_it_into_no_message(reply: Reply) -> None:
    with ReplayServer(canned={"/v1/models": reply}) as server:
        error = _failure(server)
    assert not any(KEY[:length] in str(error) for length in (8, len(KEY)))


def test_the_key_is_in_no_log_repr_or_traceback(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    client = Connection("http://127.0.0.1:9", KEY)
    with ReplayServer("serve-block128") as server:
        Connection(server.url, KEY).get("/version")
    with pytest.raises(EndpointError) as caught:
        client.get("/version")
    error = caught.value
    assert error.__cause__ is None and error.__context__ is None
    assert KEY not in caplog.text + repr(client) + repr(error) + "".join(traceback.format_exception(error))


def test_a_connection_travels_to_another_process_without_its_sockets() -> None:
    with ReplayServer("serve-block128") as server:
        client = Connection(server.url)
        client.get("/version")
        copy = pickle.loads(pickle.dumps(client))
        assert copy.json(copy.get("/version")) == {"version": "0.32.0"}
        client.close()
        assert client.get("/version").ok


def test_text_that_utf8_cannot_carry_is_still_sent() -> None:
    with ReplayServer() as server:
        assert Connection(server.url).post("/tokenize", {"prompt": "half \ud83d"}).status == 404
    assert server.seen[0].body == {"prompt": "half \ud83d"}
