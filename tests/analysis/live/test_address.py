"""Addresses as people type them."""

import pytest

from analysis.live.address import base_url, is_loopback
from analysis.live.errors import EndpointError


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("http://host:8000", "http://host:8000"),
        ("host:8000", "http://host:8000"),
        ("localhost", "http://localhost"),
        ("http://host:8000/", "http://host:8000"),
        ("http://host:8000/v1", "http://host:8000"),
        ("host:8000/v1///", "http://host:8000"),
        ("  https://vllm.example.com/v1/\n", "https://vllm.example.com"),
        ("HTTP://Host:8000", "http://host:8000"),
        ("[::1]:8000", "http://[::1]:8000"),
        ("10.0.0.7:8000", "http://10.0.0.7:8000"),
    ],
)
def test_what_is_accepted(given: str, expected: str) -> None:
    assert base_url(given) == expected


@pytest.mark.parametrize(
    "given",
    [
        "",
        "   ",
        "http://",
        "ftp://host:8000",
        "host:port",
        "host:99999",
        "http://host:8000/v2",
        "http://host:8000/v1/chat/completions",
        "http://host:8000?x=1",
        "http://host:8000/#top",
        "http://ho st:8000",
        "http://[::1",
        "file:///etc/passwd",
        "http://host\x00:8000",
        "/var/run/vllm.sock",
    ],
)
def test_everything_else_is_one_clear_line(given: str) -> None:
    with pytest.raises(EndpointError) as caught:
        base_url(given)
    message = str(caught.value)
    assert message.isprintable()
    assert message.endswith("give it as http://HOST:PORT, for example http://localhost:8000")


@pytest.mark.parametrize("given", ["http://me:hunter2@host:8000", "me:hunter2@host", "http://hunter2@host:99999"])
def test_a_password_in_the_address_is_refused_and_not_repeated(given: str) -> None:
    with pytest.raises(EndpointError) as caught:
        base_url(given)
    assert "hunter2" not in str(caught.value)


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("http://localhost:8000", True),
        ("http://127.0.0.1:8000", True),
        ("http://[::1]:8000", True),
        ("http://vllm.localhost", True),
        ("http://10.0.0.7:8000", False),
        ("http://localhost.example.com", False),
    ],
)
def test_loopback(url: str, expected: bool) -> None:
    assert is_loopback(url) is expected
