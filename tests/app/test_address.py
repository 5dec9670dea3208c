"""The address across reruns: a request that left before it heard of a change undoes nothing, the way back does."""

from pathlib import Path
from types import SimpleNamespace

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from app import address
from tests.app.browser_address import Address, by_history
from tests.app.dashboard import Open, key_of, no_exception, tables_of_sessions, words

SESSION = "nimbrel-query-19c4"


@pytest.fixture
def params(monkeypatch: pytest.MonkeyPatch) -> Address:
    """A browser session that has just come to the page of cases."""
    found = Address()
    monkeypatch.setattr(st, "session_state", {})
    monkeypatch.setattr(st, "query_params", found)
    by_history(monkeypatch, False)
    address.settle("cases")
    return found


def written(params: Address, **names: list[str]) -> None:
    params.from_dict(names)
    address.hold()


@pytest.mark.parametrize("page", ["cases", None], ids=["the whole page", "a fragment of it"])
def test_a_late_request_undoes_nothing(params: Address, page: str | None) -> None:
    written(params, case=["1"])
    for late in ({}, {"case": ["2"]}, {"case": ["1", "1"]}):
        params.from_dict(late)
        address.settle(page)
        assert params == {"case": ["1"]}


def test_another_page_has_its_own_address(params: Address) -> None:
    written(params, case=["1"])
    params.from_dict({"session": ["2"]})
    address.settle("session")
    address.settle()
    assert params == {"session": ["2"]}


def test_the_way_back_is_gone(params: Address, monkeypatch: pytest.MonkeyPatch) -> None:
    written(params, case=["1"])
    by_history(monkeypatch)
    params.clear()
    address.settle("cases")
    by_history(monkeypatch, False)
    address.settle("cases")
    assert params == {}


def test_where_streamlit_does_not_tell_an_address_is_believed(params: Address, monkeypatch: pytest.MonkeyPatch) -> None:
    written(params, case=["1"])
    monkeypatch.setattr(address, "get_script_run_ctx", SimpleNamespace)
    params.clear()
    address.settle("cases")
    assert params == {}


def searched(visit: Open, database: Path) -> AppTest:
    """The list after a search, at the address before it: what a browser sends that has not heard of the new one."""
    shown = visit("sessions", database)
    next(one for one in shown.text_input if one.label == "Search").set_value(SESSION)
    assert listed(no_exception(shown.run())) == 1 and shown.query_params["q"] == SESSION
    shown.query_params.clear()
    return shown


def listed(shown: AppTest) -> int:
    (table,) = tables_of_sessions(shown)
    return len(table.value)


def test_a_quick_action_behind_a_search_keeps_it(visit: Open, samples: Path) -> None:
    shown = searched(visit, samples)
    next(one for one in shown.selectbox if one.label == "Worst first by").select("newest")
    assert listed(no_exception(shown.run())) == 1
    assert dict(shown.query_params) == {"q": SESSION, "order": "newest"}


def test_the_way_back_undoes_a_search(visit: Open, samples: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shown = searched(visit, samples)
    by_history(monkeypatch)
    assert listed(no_exception(shown.run())) > 1 and not dict(shown.query_params)
    assert next(one for one in shown.text_input if one.label == "Search").value == ""


def test_a_quick_action_behind_a_pick_stays_at_it(visit: Open, samples: Path) -> None:
    shown = no_exception(visit("session", samples, session=key_of("02"), turn="3", block="2"))
    del shown.query_params["turn"], shown.query_params["block"]
    next(one for one in shown.segmented_control if one.label == "Context").select("more")
    assert "Turn 3 continues turn 2" in words(no_exception(shown.run()))
