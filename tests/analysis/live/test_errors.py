"""Every failure is one line that ends in the remedy."""

import socket
import ssl

import httpx
import pytest

from analysis.live.errors import EndpointError, failure, one_line, refusal, server_words
from tests.replay_server import exchanges

URL = "http://host:8000/tokenize"


def test_it_is_an_os_error() -> None:
    assert issubclass(EndpointError, OSError)
    assert str(EndpointError("words")) == "words"


def test_untrusted_text_becomes_one_short_printable_line() -> None:
    assert one_line("a\x1b[31m\nb\u202e c\t\x00d") == "a [31m b c d"
    assert one_line("x" * 1000) == "x" * 199 + "…"
    assert one_line("x" * 200) == "x" * 200


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (b'{"error":{"message":"too\\nlong","code":400}}', "too long"),
        (b'{"error":"overloaded"}', "overloaded"),
        (b'{"object":"error","message":"old servers"}', "old servers"),
        (b'{"detail":"Not Found"}', "Not Found"),
        (b"<html><body>nginx</body></html>", "a web page"),
        (b"plain words", "plain words"),
        (b"", ""),
        (b"\xff\xfe", "\ufffd\ufffd"),
        (b"[" * 5000, "[" * 199 + "…"),
    ],
)
def test_the_words_of_a_server(body: bytes, expected: str) -> None:
    assert server_words(body) == expected


@pytest.mark.parametrize(
    ("status", "remedy"),
    [
        (401, "WHYMISS_API_KEY"),
        (403, "--enable-scale-out, or run `vllm launch render MODEL`"),
        (404, "is this the address of a vLLM server?"),
        (405, "is this the address of a vLLM server?"),
        (429, "try again later"),
        (500, "its log says why"),
        (503, "loads its model"),
        (400, "change what it names"),
    ],
)
def test_every_status_has_a_remedy(status: int, remedy: str) -> None:
    message = refusal(URL, status, b'{"error":{"message":"why"}}')
    assert message.startswith(f"{URL} answered {status} (why): ")
    assert remedy in message


@pytest.mark.parametrize("server", ["serve-block128", "launch-render", "serve-default-flags"])
def test_every_recorded_refusal_is_one_line(server: str) -> None:
    refused = [known for known in exchanges(server) if known.reply.status >= 400]
    assert refused
    for known in refused:
        message = refusal(URL, known.reply.status, known.reply.body)
        assert message.isprintable() and len(message) < 400, known.name


def _connect_error(reason: Exception) -> httpx.ConnectError:
    error = httpx.ConnectError(str(reason))
    error.__cause__ = reason
    return error


@pytest.mark.parametrize(
    ("error", "remedy"),
    [
        (httpx.ConnectTimeout("timed out"), "check the address, the port and the firewall"),
        (httpx.ReadTimeout("timed out"), "did not answer within 60 s"),
        (httpx.WriteTimeout("timed out"), "did not answer within 60 s"),
        (_connect_error(ConnectionRefusedError(111, "refused")), "is the server running"),
        (_connect_error(socket.gaierror(-2, "Name or service not known")), "check the spelling, the DNS and the VPN"),
        (_connect_error(ssl.SSLCertVerificationError("self-signed\ncertificate")), "SSL_CERT_FILE"),
        (_connect_error(ssl.SSLError(1, "WRONG_VERSION_NUMBER")), "try http:// instead of https://"),
        (_connect_error(OSError(113, "No route to host")), "check the address, the port and the network"),
        (httpx.RemoteProtocolError("illegal\nstatus line"), "check the port, and http against https"),
        (httpx.DecodingError("bad gzip"), "not a proxy"),
        (httpx.InvalidURL("Invalid IDNA hostname"), "check the spelling of the host"),
    ],
)
def test_every_failure_to_connect_has_a_remedy(error: httpx.HTTPError | httpx.InvalidURL, remedy: str) -> None:
    message = failure(URL, error, 60.0)
    assert message.startswith(URL)
    assert remedy in message
    assert message.isprintable()
