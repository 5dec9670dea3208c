"""Who may do what: everything on one's own machine, nothing that reaches into it from elsewhere."""

import os

import pytest

from analysis.live.errors import EndpointError
from app import visitors


@pytest.fixture(autouse=True)
def settled(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (visitors.READ_ONLY, visitors.SHARED, visitors.ENDPOINTS):
        monkeypatch.setenv(name, "")


@pytest.mark.parametrize(
    ("host", "others"),
    [
        ("127.0.0.1", False),
        ("127.9.9.9", False),
        ("::1", False),
        ("localhost", False),
        ("0.0.0.0", True),
        ("::", True),
        ("10.1.2.3", True),
        ("gpu7", True),
    ],
)
def test_who_reaches_an_address(host: str, others: bool) -> None:
    assert visitors.are_others(host) is others


def test_on_ones_own_machine_everything_may_be_done() -> None:
    assert visitors.may_write() and visitors.may_name_files()
    assert visitors.allowed("gpu7:8000") == "http://gpu7:8000"


def test_read_only_is_kept_for_the_pages() -> None:
    visitors.settle(read_only=True, shared=False, endpoints=[])
    assert not visitors.may_write() and visitors.may_name_files()
    visitors.settle(read_only=False, shared=False, endpoints=[])
    assert visitors.may_write()


def test_others_name_no_files_and_ask_only_the_servers_that_are_allowed() -> None:
    visitors.settle(read_only=False, shared=True, endpoints=["http://gpu7:8000/v1/", "gpu8:8000"])
    assert not visitors.may_name_files()
    assert [visitors.allowed(given) for given in ("gpu7:8000", "http://gpu8:8000/")] == [
        "http://gpu7:8000",
        "http://gpu8:8000",
    ]
    for address in ("http://gpu7:8001", "http://169.254.169.254", "localhost:8000", "https://gpu7:8000"):
        with pytest.raises(EndpointError, match=r"--allow-endpoint names\. Allowed: http://gpu7:8000, http://gpu8"):
            visitors.allowed(address)


@pytest.mark.parametrize(
    "address",
    [
        "http://gpu7:8000@evil",
        "http://gpu7:8000#@evil:8000",
        "http://gpu7:8000\\@evil:8000",
        "http://evil:8000/?http://gpu7:8000",
        "http://gpu7.:8000",
        "http://gpu7.evil:8000",
        "http://gpu7",
        "http://gpu7:80",
        "http://gpu7:08001",
        "http://ｇpu7:8000",
        "http://localtest.me:8000",
        "http://2130706433:8000",
        "http://0x7f.1:8000",
        "http://[::1]:8000",
        "http://[::ffff:127.0.0.1]:8000",
        "http://127.0.0.1:8000",
    ],
)
def test_no_other_spelling_reaches_another_server(address: str) -> None:
    visitors.settle(read_only=False, shared=True, endpoints=["http://gpu7:8000"])
    with pytest.raises(EndpointError):
        visitors.named(address)
    assert os.environ[visitors.ENDPOINTS] == "http://gpu7:8000"


@pytest.mark.parametrize("address", ["HTTP://GPU7:8000/v1/", "gpu7:08000", "http://gp\nu7:8000"])
def test_another_spelling_of_an_allowed_server_is_that_server(address: str) -> None:
    visitors.settle(read_only=False, shared=True, endpoints=["http://gpu7:8000"])
    assert visitors.allowed(address) == "http://gpu7:8000"


def test_the_key_is_for_servers_that_were_named_and_not_for_those_of_a_database(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("WHYMISS_API_KEY", raising=False)
    assert visitors.key_for("http://gpu9:8000") is None, "without a key there is nothing to keep"
    monkeypatch.setenv("WHYMISS_API_KEY", "sk-secret")
    visitors.settle(read_only=False, shared=False, endpoints=["gpu7:8000"])
    with pytest.raises(EndpointError, match=r"WHYMISS_API_KEY is not sent there: .+--allow-endpoint http://gpu9:8000"):
        visitors.key_for("http://gpu9:8000")
    assert visitors.named("gpu9:8000") == "http://gpu9:8000"
    assert [visitors.key_for(url) for url in ("http://gpu7:8000", "http://gpu9:8000")] == ["sk-secret"] * 2
    visitors.settle(read_only=False, shared=True, endpoints=[])
    with pytest.raises(EndpointError, match="None was allowed"):
        visitors.key_for("http://gpu9:8000")


def test_without_a_list_others_ask_no_server() -> None:
    visitors.settle(read_only=False, shared=True, endpoints=[])
    with pytest.raises(EndpointError, match="None was allowed"):
        visitors.allowed("http://gpu7:8000")


def test_a_list_with_what_is_no_address_is_refused_and_changes_nothing() -> None:
    with pytest.raises(EndpointError, match="more than the address"):
        visitors.settle(read_only=True, shared=True, endpoints=["http://gpu7:8000/v2"])
    assert not os.environ[visitors.READ_ONLY]
