"""What a page is asked for: its address is the truth, and its fields follow."""

from collections.abc import Iterator

import pytest
import streamlit as st

from app.address_state import AddressState
from tests.app.browser_address import Address

STATE = AddressState("page", "anchor", lambda params: "".join(params.get("x", [])), lambda x: {"x": [x]}, str.upper)


@pytest.fixture(autouse=True)
def address(monkeypatch: pytest.MonkeyPatch) -> Iterator[Address]:
    found = Address()
    monkeypatch.setattr(st, "session_state", {})
    monkeypatch.setattr(st, "query_params", found)
    return found


def test_another_address_makes_the_fields_anew(address: Address) -> None:
    assert STATE.asked() == "" and STATE.last() == ""
    st.session_state[STATE.field("anchor")] = "there"
    STATE.ask("a")
    assert address == {"x": ["a"]} and STATE.asked() == "a"
    key = STATE.field("q")
    address.from_dict({"x": ["b"]})
    assert STATE.asked() == "b" and STATE.field("q") != key


def test_on_return_without_an_address_it_is_as_it_was_left(address: Address) -> None:
    STATE.asked()
    STATE.ask("a")
    address.clear()
    assert STATE.asked() == "A" and address == {"x": ["A"]}, "what is kept of it"
    address.from_dict({"x": ["b"]})
    assert STATE.asked() == "b", "an address of its own goes before that"


def test_pages_keep_apart() -> None:
    other = AddressState("other", "anchor", lambda params: "", lambda _x: {}, str)
    STATE.ask("a")
    STATE.renew()
    assert other.last() is None and other.field("q") == "q_0" and STATE.field("q") == "q_1"
