"""The Sessions page as a triage desk: filters in the address, marks, prices, days and several sessions compared."""

import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from analysis.core.price import Price, Rates
from analysis.model.desk import Mark, MarkChange, View
from analysis.store.imports import Import
from analysis.store.repository import Repository
from app import state, visitors
from tests.app.dashboard import (
    SESSIONS,
    Open,
    address,
    cards,
    field,
    key_of,
    no_exception,
    press,
    tables_of_sessions,
    words,
)
from tests.many_sessions import fill_with_many
from tests.sample_store import record_of

MANY = 200
DIALOG = """
from app import desk_state, rates_view
rates_view.rates_dialog(desk_state.models())
"""
GIVEN = {"sample/agent-8k": Rates(Price(2.0, 0.5, 8.0), 8000)}
CLOCK = "volatile-head/client-timestamp"


@pytest.fixture
def writable(samples: Path, tmp_path: Path) -> Path:
    """A database of the samples that may be changed."""
    return Path(shutil.copy(samples, tmp_path / "samples.duckdb"))


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Many sessions on fourteen days; a new client comes with the last three."""
    database = tmp_path_factory.mktemp("many") / "many.duckdb"
    fill_with_many(database, MANY, num_turns=5).close()
    return database


def listed(shown: AppTest) -> list[str]:
    return [str(name) for table in tables_of_sessions(shown) for name in table.value.session_id]


def tick(shown: AppTest, *rows: int) -> AppTest:
    """The page after ticking these rows of the sessions."""
    (table,) = tables_of_sessions(shown)
    key = "sessions_" + table.proto.id.partition("-sessions_")[2]
    shown.session_state[key] = {"selection": {"rows": list(rows), "columns": [], "cells": []}}
    return no_exception(shown.run())


def test_an_address_narrows_the_list_and_fills_the_fields(visit: Open, samples: Path) -> None:
    shown = no_exception(visit("sessions", samples, cause=CLOCK, q="desk", order="newest"))
    assert listed(shown) == ["desk-chat-60417"]
    assert field(shown, "multiselect", "Cause").value == [CLOCK]
    assert shown.text_input[0].value == "desk" and shown.selectbox[0].value == "newest"
    assert "cause: a time stands in the prompt · search: desk" in words(shown)
    assert CLOCK not in words(shown)
    assert cards(shown)["Sessions"] == "1"


def test_fields_are_written_into_the_address(visit: Open, samples: Path) -> None:
    shown = no_exception(visit("sessions", samples))
    assert address(shown) == {}
    field(shown, "multiselect", "Cause").set_value([CLOCK])
    shown.selectbox[0].set_value("share")
    no_exception(shown.run())
    assert address(shown) == {"cause": CLOCK, "order": "share"}
    assert len(listed(shown)) == 2
    press(shown, "Clear filters")
    assert address(shown) == {"order": "share"} and len(listed(shown)) == len(SESSIONS)


@pytest.mark.parametrize("look", ["causes", "days"])
def test_where_nothing_is_listed_nothing_is_said_of_causes_and_times(visit: Open, samples: Path, look: str) -> None:
    shown = no_exception(visit("sessions", samples, q="nonesuch", look=look))
    assert "No session is listed." in words(shown) and "Clear filters**, above, lists all" in words(shown)
    assert "no cause stands" not in words(shown) and "has a time" not in words(shown)


def test_a_filter_that_nothing_passes_is_shown_and_can_be_cleared(visit: Open, samples: Path) -> None:
    shown = no_exception(visit("sessions", samples, model="no such model", order="cost"))
    assert "None of 24 sessions passes" in words(shown) and cards(shown)["Wasted tokens"] == "?"
    press(shown, "Clear filters")
    assert len(listed(shown)) == len(SESSIONS)


def test_filters_are_kept_while_another_page_is_open(visit: Open, samples: Path) -> None:
    shown = no_exception(visit("sessions", samples, cause=CLOCK))
    shown.switch_page("../pages/models.py").run()
    shown.query_params.clear()
    shown.switch_page("../pages/sessions.py").run()
    assert len(listed(no_exception(shown))) == 2 and address(shown) == {"cause": CLOCK}


def test_a_list_is_saved_under_a_name_and_found_again(visit: Open, writable: Path) -> None:
    shown = no_exception(visit("sessions", writable, cause=CLOCK))
    field(shown, "text_input", "Save this list as").set_value("clocks")
    press(shown, "Save view")
    assert state.repository().desk.views() == [View("clocks", "cause=volatile-head%2Fclient-timestamp")]
    press(shown, "Clear filters")
    assert len(listed(shown)) == len(SESSIONS)
    press(shown, "clocks")
    assert len(listed(shown)) == 2
    no_exception(next(one for one in shown.button if one.key == "drop_clocks").click().run())
    assert state.repository().desk.views() == []


def test_ticked_sessions_are_marked_together(visit: Open, writable: Path) -> None:
    repository = Repository.open(writable)
    repository.desk.change_marks([1], MarkChange("fixed", "ada", added=("Acme",)))
    repository.close()
    shown = tick(no_exception(visit("sessions", writable)), 0, 2)
    assert "2 sessions ticked." in words(shown)
    field(shown, "selectbox", "Status").set_value("explained")
    field(shown, "selectbox", "Assignee").set_value("ada")
    field(shown, "multiselect", "Add labels").set_value(["Acme"])
    press(shown, "Save status")
    table = tables_of_sessions(shown)[0].value
    assert table.status.tolist()[:4] == ["explained", "new", "explained", "new"]
    assert table.assignee.tolist()[:2] == ["ada", ""] and list(table.labels[2]) == ["Acme"]
    field(shown, "multiselect", "Status").set_value(["explained"])
    field(shown, "multiselect", "Customer or label").set_value(["Acme"])
    assert len(listed(no_exception(shown.run()))) == 2, "the third of this label is fixed"
    assert state.repository().desk.marks()[int(key_of("11"))] == Mark("explained", "ada", ("Acme",))


def test_one_ticked_session_is_told_in_plain_words_and_opened(visit: Open, samples: Path) -> None:
    shown = tick(no_exception(visit("sessions", samples)), 1)
    folded = [text.value for one in shown.expander if one.label == "For engineers" for text in one.text]
    assert "parts at token" in "\n".join(folded)
    assert "It comes from the client" in words(shown) and "**Fix:** " in words(shown)
    press(shown, "Open")
    assert "desk-chat-60417" in words(shown) and shown.header


def test_several_sessions_are_compared_at_an_address(visit: Open, samples: Path) -> None:
    shown = tick(no_exception(visit("sessions", samples)), 0, 1)
    press(shown, "Compare")
    assert shown.title[0].value == "2 sessions side by side"
    keys = address(shown)["compare"]
    again = no_exception(visit("sessions", samples, compare=keys))
    assert "korvale-clock-a94e" in words(again) and "How they differ from" in words(again)
    assert any("Hit rate (reported)" in table.value.index for table in again.dataframe)
    assert len(listed(press(again, "All sessions"))) == len(SESSIONS)


@pytest.mark.parametrize("compare", ["1", "1,99999", "x"])
def test_fewer_than_two_are_not_compared(visit: Open, samples: Path, compare: str) -> None:
    shown = no_exception(visit("sessions", samples, compare=compare))
    assert "Fewer than two of these sessions" in words(shown) or len(listed(shown)) == len(SESSIONS)


def test_a_price_makes_money_of_tokens(visit: Open, writable: Path) -> None:
    shown = no_exception(visit("sessions", writable, order="cost"))
    assert "No session here has known wasted cost: give the price of its model in Prices." in words(
        shown
    ) and "Wasted cost" not in cards(shown)
    state.repository().desk.set_rates(GIVEN)
    no_exception(shown.run())
    table = tables_of_sessions(shown)[0].value.set_index("session_id")
    assert table.wasted_cost["desk-chat-60417"] == pytest.approx(13_920 * 1.5 / 1e6)
    assert table.wasted_seconds["desk-chat-60417"] == pytest.approx(13_920 / 8000)
    assert cards(shown)["Wasted seconds"] == f"{table.wasted_tokens.sum() / 8000:,.2f}"


def test_prices_are_given_in_a_dialog(visit: Open, writable: Path) -> None:
    press(no_exception(visit("sessions", writable)), "Prices")
    shown = no_exception(AppTest.from_string(DIALOG).run(timeout=60))
    assert any("prefill" in table.value and len(table.value) == 1 for table in shown.dataframe)
    for field_of, value in (("Uncached, per million", 2.0), ("Cached, per million", 0.5)):
        field(shown, "number_input", field_of).set_value(value)
    press(shown, "Save prices")
    assert "Give all three prices, or none." in words(shown) and state.repository().desk.rates() == {}
    field(shown, "number_input", "Output, per million").set_value(8.0)
    field(shown, "number_input", "Prefill rate").set_value(8000)
    press(shown, "Save prices")
    assert state.repository().desk.rates() == GIVEN


def test_a_day_is_told_against_the_day_before(visit: Open, many: Path) -> None:
    shown = no_exception(visit("sessions", many, look="days", by="client", since="2026-11-29", until="2026-11-29"))
    assert "Sunday 2026-11-29: " in words(shown) and "The largest change: agent/1.3.0" in words(shown)
    assert "Seen for the first time that day: client version agent/1.3.0." in words(shown)
    days = next(frame for frame in shown.dataframe if "day" in frame.value)
    assert len(days.value) >= 12 and '"name_0": {"label": "agent/1.3.0"' in days.proto.columns
    assert 0 < len(listed(shown)) < MANY


@pytest.mark.parametrize("day", ["0001-01-01", "1969-12-30", "9999-12-31", "2026-02-30", "yesterday", ""])
def test_a_day_that_cannot_be_meant_is_no_filter(visit: Open, many: Path, day: str) -> None:
    shown = no_exception(visit("sessions", many, look="days", since=day, until=day))
    assert cards(shown)["Sessions"] == str(MANY)


def test_a_client_may_have_any_name(visit: Open, tmp_path: Path) -> None:
    record = record_of("03")
    turns = [replace(turn, client="turns" if turn.turn % 2 else "**day** [x](y)") for turn in record.turns]
    repository = Repository.open(tmp_path / "named.duckdb")
    repository.save(Import("a.jsonl", "s", 1, "as given", [replace(record, turns=tuple(turns))]))
    repository.close()
    no_exception(visit("sessions", tmp_path / "named.duckdb", look="days", by="client"))


def test_a_click_on_a_day_lists_its_sessions(visit: Open, many: Path) -> None:
    shown = no_exception(visit("sessions", many, look="days"))
    shown.session_state["day_table_0"] = {"selection": {"rows": [0], "columns": [], "cells": []}}
    no_exception(shown.run())
    assert address(shown)["since"] == address(shown)["until"] and 0 < len(listed(shown)) < MANY
    assert "Wasted seconds" in cards(shown), "the log measures its prefill rate"


def test_sessions_without_times_are_on_no_day(visit: Open, tmp_path: Path) -> None:
    record = record_of("02")
    timeless = replace(record, turns=tuple(replace(turn, started_at=None, ended_at=None) for turn in record.turns))
    repository = Repository.open(tmp_path / "timeless.duckdb")
    repository.save(Import("a.jsonl", "s", 1, "as given", [timeless]))
    repository.close()
    shown = no_exception(visit("sessions", tmp_path / "timeless.duckdb", look="days"))
    assert "No turn of these sessions has a time" in words(shown) and len(listed(shown)) == 1


def test_times_are_those_of_the_zone(visit: Open, samples: Path) -> None:
    shown = no_exception(visit("sessions", samples, zone="Asia/Tokyo"))
    assert '"label": "Started (Asia/Tokyo)"' in tables_of_sessions(shown)[0].proto.columns
    shown.query_params["session"] = "1"
    shown.switch_page("../pages/session.py").run()
    turns = next(frame.value for frame in no_exception(shown).dataframe if "Divergence" in frame.value)
    assert str(turns["Started (Asia/Tokyo)"].dtype).endswith("Asia/Tokyo]")
    assert '"label": "Started (UTC)"' in tables_of_sessions(no_exception(visit("sessions", samples)))[0].proto.columns


def test_a_session_is_marked_on_its_own_page(visit: Open, writable: Path) -> None:
    shown = no_exception(visit("session", writable, session="3"))
    field(shown, "selectbox", "Status").set_value("fixed")
    press(shown, "Save status")
    assert state.repository().desk.marks() == {3: Mark("fixed")}


def test_what_others_mark_meanwhile_is_neither_undone_nor_in_the_way(visit: Open, writable: Path) -> None:
    repository = Repository.open(writable)
    repository.desk.change_marks([5], MarkChange(assignee="ann"))
    repository.close()
    shown = no_exception(visit("session", writable, session="3"))
    field(shown, "selectbox", "Assignee").set_value("ann")
    field(shown, "multiselect", "Add labels").set_value(["of ann"])
    state.repository().desk.change_marks([3, 4], MarkChange("explained", "bob", added=("of bob",)))
    press(shown, "Save status")
    assert state.repository().desk.marks()[3] == Mark("explained", "ann", ("of ann", "of bob"))
    field(shown, "multiselect", "Remove labels").set_value(["of ann"])
    state.repository().desk.change_marks([3], MarkChange("fixed"))
    press(shown, "Save status")
    assert state.repository().desk.marks()[3] == Mark("fixed", "ann", ("of bob",)), "nothing is sent a second time"


def test_who_only_looks_sees_marks_and_changes_none(
    visit: Open, writable: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository = Repository.open(writable)
    repository.desk.change_marks([1], MarkChange("explained", "ada", added=("eu",)))
    repository.desk.save_view(View("clocks", f"cause={CLOCK}"))
    repository.close()
    monkeypatch.setenv(visitors.READ_ONLY, "1")
    state._open.clear()  # type: ignore[attr-defined]
    shown = no_exception(visit("sessions", writable, status="explained"))
    assert len(listed(shown)) == 1
    labels = {button.label for button in shown.button}
    assert {"Save view", "Save status"} & labels == set() and {"Compare", "Prices", "clocks"} <= labels
    press(shown, "Prices")
    assert "Save prices" not in {button.label for button in shown.button}
    page = no_exception(visit("session", writable, session="1"))
    assert "with ada" in words(page) and "Save status" not in {button.label for button in page.button}


def test_what_is_listed_or_ticked_is_shared_as_one_report(visit: Open, samples: Path) -> None:
    shown = no_exception(visit("sessions", samples, q="harrow"))
    count = len(listed(shown))
    assert count > 1 and f"One report of {count} sessions." in words(press(shown, "Share"))
    shown = tick(shown, 0)
    assert "One report of 1 session." in words(press(shown, "Share"))
