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


def test_without_a_list_others_ask_no_server() -> None:
    visitors.settle(read_only=False, shared=True, endpoints=[])
    with pytest.raises(EndpointError, match="None was allowed"):
        visitors.allowed("http://gpu7:8000")


def test_a_list_with_what_is_no_address_is_refused_and_changes_nothing() -> None:
    with pytest.raises(EndpointError, match="more than the address"):
        visitors.settle(read_only=True, shared=True, endpoints=["http://gpu7:8000/v2"])
    assert not os.environ[visitors.READ_ONLY]
