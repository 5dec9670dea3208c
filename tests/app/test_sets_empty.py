"""The page of two sets where nothing was chosen yet, and where a choice leaves a set without sessions."""

from datetime import date
from pathlib import Path

import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from app.sets_empty import one_sided
from tests.app.dashboard import Open, address, field, no_exception, press, words
from tests.builders import SAMPLES
from tests.many_sessions import fill_with_many
from tests.sample_store import fill

SPLIT = {"a.until": "2026-11-28", "b.since": "2026-11-29"}  # since when a new client wastes more


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Sessions on fourteen days; a client that wastes more comes with the last three."""
    database = tmp_path_factory.mktemp("many") / "many.duckdb"
    fill_with_many(database, 200, num_turns=5).close()
    return database


def offered(shown: AppTest) -> list[str]:
    return [one.label.replace("\\", "") for one in shown.button if str(one.key).startswith("offer_")]


def test_the_page_opens_on_the_day_of_most_change_and_says_why(visit: Open, many: Path) -> None:
    shown = no_exception(visit("sets", many))
    assert address(shown) == SPLIT and shown.table
    said = words(shown)
    assert "Before and after Sunday 2026-11-29: the day on which what is wasted changed most." in said
    assert "Set B is worse" in said and "client/history-edited" in said


def test_what_is_asked_for_is_not_replaced_and_a_split_that_is_taken_back_is_offered(visit: Open, many: Path) -> None:
    assert address(no_exception(visit("sets", many, **{"a.model": "acme/large"}))) == {"a.model": "acme/large"}
    shown = no_exception(visit("sets", many))
    no_exception(field(shown, "date_input", "Set B begins on (day)").set_value(None).run())
    assert address(shown) == {} and not shown.table
    assert "Both sets are the same sessions, so there is nothing to compare. Press what you want" in words(shown)
    assert [one.split(":")[0] for one in offered(shown)] == [
        "Before and after Sunday 2026-11-29",
        "Client versions",
        "Models",
        "Logs",
    ]
    press(shown, next(one.label for one in shown.button if one.key == "offer_1"))
    assert address(shown) == {"by": "client", "a.client": "agent/1.2.0", "b.client": "agent/1.3.0"} and shown.table


def test_logs_of_one_day_are_offered_one_against_the_other(visit: Open, samples: Path) -> None:
    shown = no_exception(visit("sets", samples))
    assert "Both sets are the same sessions" in words(shown) and address(shown) == {}, "no two logs are meant unasked"
    assert [one.split(":")[0] for one in offered(shown)] == ["Logs"]
    shown = press(shown, "Split where most changed")
    assert "All sessions began on one day, or say no time: Logs tells them apart." in words(shown)
    press(shown, next(one.label for one in shown.button if one.key == "offer_0"))
    assert set(address(shown)) == {"by", "a.source", "b.source"} and shown.table
    one = no_exception(visit("sets", samples, by="label"))
    assert "There are no two labels here: both sets are the same sessions" in words(one)


def test_one_log_says_what_to_do(visit: Open, tmp_path: Path) -> None:
    fill(tmp_path / "one.duckdb", "02").close()
    shown = no_exception(visit("sets", tmp_path / "one.duckdb"))
    said = words(shown)
    assert "All began on one day, with one model, one client version and no label, in one log: add logs of" in said
    assert offered(shown) == []


def test_an_address_with_two_equal_sets_says_so(visit: Open, samples: Path) -> None:
    name = SAMPLES[0].name
    shown = no_exception(visit("sets", samples, **{"by": "source", "a.source": name, "b.source": name}))
    assert "Both sets are the same sessions, so there is nothing to compare." in words(shown) and not shown.table


@pytest.mark.parametrize(
    ("query", "said"),
    [
        pytest.param(
            {"a.until": "1969-12-31", "b.since": "1970-01-01"},
            "No session began before 1970-01-01: all 200 sessions lie in set B. They began from 2026-11-18 to"
            " 2026-12-01: choose a day after the first of these, up to the last.",
            id="before all",
        ),
        pytest.param(
            {"a.until": "2027-01-31", "b.since": "2027-02-01"},
            "No session was under way on 2027-02-01 or later: all 200 sessions lie in set A.",
            id="after all",
        ),
        pytest.param({"a.until": "1999-01-01", "a.model": "no/such"}, "A set without sessions cannot be", id="filters"),
        pytest.param(
            {"a.case": "99-before", "by": "own"}, "a case that is not here any more", id="a case that is gone"
        ),
    ],
)
def test_a_day_beside_all_sessions_says_on_which_side_they_lie(
    visit: Open, many: Path, query: dict[str, str], said: str
) -> None:
    shown = no_exception(visit("sets", many, **query))
    assert said in words(shown) and not shown.table
    assert offered(shown)[0] == "Before and after Sunday 2026-11-29"


def test_a_day_far_off_can_be_chosen(visit: Open, many: Path) -> None:
    shown = no_exception(visit("sets", many))
    no_exception(field(shown, "date_input", "Set B begins on (day)").set_value(date(1970, 1, 1)).run())
    assert "all 200 sessions lie in set B" in words(shown)


def test_sessions_of_one_day_are_split_by_none() -> None:
    rows = pd.DataFrame({"started": pd.to_datetime(["2026-11-24T22:30Z", "2026-11-24T23:30Z"])})
    assert one_sided(date(2026, 11, 26), "B", rows, "UTC").endswith(
        "all 2 sessions lie in set A. All of them began on 2026-11-24, so no day tells them apart."
    )
    assert "They began from 2026-11-24 to 2026-11-25" in one_sided(date(2026, 11, 26), "B", rows, "Europe/Berlin")
