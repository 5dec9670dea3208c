"""What the Sessions page keeps: the address is the truth, and frames follow the store."""

from collections.abc import Iterator
from datetime import date
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import streamlit as st

from analysis.core.price import Price, Rates
from analysis.model.desk import Mark, MarkChange
from app import desk_state, state
from app.desk_address import Asked, params_of
from tests.app.browser_address import Address
from tests.many_sessions import RATE, fill_with_many


@pytest.fixture(autouse=True)
def address(monkeypatch: pytest.MonkeyPatch) -> Address:
    """A browser session in Berlin, at the page without a query."""
    found = Address()
    monkeypatch.setattr(st, "session_state", {})
    monkeypatch.setattr(st, "query_params", found)
    monkeypatch.setattr(st, "context", SimpleNamespace(timezone="Europe/Berlin", url="http://here:8501/sessions?q=x"))
    return found


def shown() -> None:
    """The page has its fields."""
    st.session_state[desk_state.field(desk_state.SEARCH)] = ""


def test_what_the_fields_say_is_in_the_address(address: Address) -> None:
    assert desk_state.asked() == Asked()
    shown()
    before = desk_state.field("q")
    desk_state.ask(Asked(q="x", model=("a",)))
    assert address == {"q": ["x"], "model": ["a"]}
    assert desk_state.asked() == Asked(q="x", model=("a",)) and desk_state.field("q") == before


def test_fields_are_made_anew_when_the_way_back_changes_the_address(address: Address) -> None:
    desk_state.asked()
    shown()
    desk_state.ask(Asked(q="x"))
    before = desk_state.field("q")
    address.from_dict({})
    assert desk_state.asked() == Asked() and desk_state.field("q") != before


def test_on_return_from_another_page_the_list_is_as_it_was_left(address: Address) -> None:
    desk_state.asked()
    desk_state.ask(Asked(q="x", compare=(1, 2)))
    address.from_dict({})
    assert desk_state.asked() == Asked(q="x"), "the fields are gone: another page was open"
    assert address == params_of(Asked(q="x"))
    address.from_dict({"model": ["b"]})
    assert desk_state.asked() == Asked(model=("b",)), "a link goes before what was left"


def test_going_somewhere_makes_fields_and_rows_fresh(monkeypatch: pytest.MonkeyPatch, address: Address) -> None:
    reruns: list[Any] = []
    monkeypatch.setattr(st, "rerun", lambda: reruns.append(1))
    before = desk_state.field("q"), state.table_number()
    desk_state.go(Asked(label=("eu",)))
    assert address == {"label": ["eu"]} and reruns == [1]
    assert desk_state.field("q") != before[0] and state.table_number() == before[1] + 1


def test_the_zone_is_that_of_the_browser_unless_one_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    assert desk_state.zone(Asked()) == "Europe/Berlin" and desk_state.zone(Asked(zone="Asia/Tokyo")) == "Asia/Tokyo"
    monkeypatch.setattr(st, "context", SimpleNamespace(timezone=None, url=None))
    assert desk_state.zone(Asked()) == "UTC" and desk_state.link(Asked()) == ""


def test_a_link_says_of_which_zone_its_days_are() -> None:
    assert desk_state.link(Asked()) == "http://here:8501/sessions"
    assert desk_state.link(Asked(q="a b")) == "http://here:8501/sessions?q=a+b"
    link = desk_state.link(Asked(since=date(2026, 11, 24)))
    assert link == "http://here:8501/sessions?since=2026-11-24&zone=Europe%2FBerlin"


@pytest.fixture
def database(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Path]:
    file = tmp_path / "desk.duckdb"
    fill_with_many(file, 12).close()
    monkeypatch.setenv("WHYMISS_DB", str(file))
    yield file
    state.repository().close()
    st.cache_resource.clear()
    st.cache_data.clear()


@pytest.mark.usefixtures("database")
def test_what_is_marked_is_listed_at_once() -> None:
    desk = state.repository().desk
    assert set(desk_state.sessions().status) == {"new"} and desk_state.sessions().wasted_cost.isna().all()
    desk.change_marks([3], MarkChange("fixed"))
    desk.set_rates({model: Rates(Price(1, 0, 0)) for model in desk_state.models()})
    frame = desk_state.sessions().set_index("session_key")
    assert frame.status[3] == "fixed" and desk.marks() == {3: Mark("fixed")}
    assert (frame.wasted_cost * 1e6).astype(float).tolist() == pytest.approx(frame.wasted_tokens.astype(float).tolist())


@pytest.mark.usefixtures("database")
def test_frames_are_read_once_per_state_of_the_store() -> None:
    assert len(desk_state.turns()) == 12 * 20 and desk_state.turns() is desk_state.turns()
    assert desk_state.losses().tokens.sum() == desk_state.turns().wasted_tokens.sum()
    assert desk_state.measured_speeds() == {model: pytest.approx(RATE) for model in desk_state.models()}
    state.repository().delete(1)
    assert desk_state.turns().empty and desk_state.sessions().empty


def test_ticks_begin_a_new_table_and_are_taken_once() -> None:
    before = state.table_number()
    desk_state.tick([3, 1])
    assert state.table_number() == before + 1
    assert desk_state.to_tick() == (3, 1) and desk_state.to_tick() == ()
