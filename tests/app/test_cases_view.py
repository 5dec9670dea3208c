"""The page of cases: written, changed, deleted; sessions, findings in order, before against after."""

import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from analysis.model.annotation import Anchor, Case, CaseText, CaseVersion, Finding
from analysis.store.repository import Repository
from app import state, visitors
from app.cases_view import listed
from tests.app.dashboard import Open, address, key_of, no_exception, press, words
from tests.app.test_notes_view import ODD, fill, named
from tests.sample_store import record_of

TEXT = CaseText("Slow since Monday", "SUP-17", "Customer", "**It** began with the release.")
TURN = record_of("02").turns[6]
FINDING = Finding(1, TURN.request_id, 7, TURN.causes[0].code, TURN.causes[0].tokens, TURN.causes[0].evidence)


@pytest.fixture
def database(samples: Path, tmp_path: Path) -> Path:
    """The samples with one case, in which two sessions are."""
    path = Path(shutil.copy(samples, tmp_path / "cases.duckdb"))
    repository = Repository.open(path)
    key = repository.cases.create("Ann", TEXT)
    for start in ("02", "03"):
        repository.cases.take(key, int(key_of(start)))
    for turn in record_of("02").turns[6], record_of("02").turns[12]:
        cause = turn.causes[0]
        pinned = Finding(int(key_of("02")), turn.request_id, turn.turn, cause.code, cause.tokens, cause.evidence)
        repository.cases.pin(key, pinned, "Ann")
    repository.close()
    return path


def case_of(database: Path, key: int = 1) -> Case:
    case = state._open(str(database)).cases.one(key)
    assert case is not None
    return case


def press_key(shown: AppTest, key: str) -> AppTest:
    return no_exception(next(button for button in shown.button if button.key == key).click().run())


def write(shown: AppTest, **fields: str) -> AppTest:
    labels = {"title": "Title", "ticket": "Ticket", "customer": "Customer"}
    for name, text in fields.items():
        fill(shown, labels[name], text)
    return shown


def test_a_case_is_made_and_opened(visit: Open, samples: Path, tmp_path: Path) -> None:
    database = Path(shutil.copy(samples, tmp_path / "none.duckdb"))
    shown = no_exception(visit("cases", database))
    assert "A case bundles sessions" in words(shown) and not shown.dataframe
    shown = press(write(shown, title="Slow"), "Create case")
    assert [error.value for error in shown.error] == [r"Give your name first\: it stands beside what you write\."]
    shown = press(write(named(shown), title="  "), "Create case")
    assert [error.value for error in shown.error] == [r"Give the case a title\."]
    shown = press(write(shown, title="Slow", ticket="SUP-1", customer="Us"), "Create case")
    assert shown.query_params["case"] == "1" and "ticket SUP-1 · Us · opened by Ann" in words(shown)
    shown = press(shown, "All cases")
    (table,) = shown.dataframe
    assert table.value.Case.tolist() == ["Slow"] and "case" not in shown.query_params


@pytest.mark.parametrize("key", ["99", "abc", "-1", "9" * 30, ""])
def test_an_unknown_case_shows_the_list(visit: Open, database: Path, key: str) -> None:
    shown = no_exception(visit("cases", database, case=key))
    assert len(shown.dataframe) == 1 and not shown.error
    assert ("no such case" in words(shown)) == (key == "99")


def test_who_comes_second_is_told_and_keeps_the_own_words(visit: Open, database: Path) -> None:
    shown = press(named(no_exception(visit("cases", database, case="1"))), "Edit")
    state._open(str(database)).cases.change(1, 1, "Bob", replace(TEXT, title="By Bob"))
    shown = press(write(shown, title="By Ann"), "Save")
    assert len(shown.error) == 1 and "Bob has changed this case meanwhile" in words(shown)
    assert shown.header[0].value == "By Bob"
    assert next(field for field in shown.text_input if field.label == "Title").value == "By Ann"
    shown = press(write(press(shown, "Go on from there"), title="By both"), "Save")
    assert shown.header[0].value == "By both" and not shown.error
    assert [one.text.title for one in case_of(database).versions if one.text] == [TEXT.title, "By Bob", "By both"]


def test_a_case_is_deleted_and_brought_back(visit: Open, database: Path) -> None:
    shown = press(press(named(no_exception(visit("cases", database, case="1"))), "Edit"), "Delete case")
    assert not shown.dataframe and "deleted by Ann" in words(shown)
    shown = press(shown, "Bring back")
    assert len(shown.dataframe) == 1
    assert [one.text for one in case_of(database).versions] == [TEXT, None, TEXT]


def test_findings_are_put_in_order_and_unpinned(visit: Open, database: Path) -> None:
    shown = no_exception(visit("cases", database, case="1"))
    assert [one.finding.turn for one in case_of(database).pinned] == [7, 13]
    shown = press_key(shown, "pin_up_2")
    assert [one.finding.turn for one in case_of(database).pinned] == [13, 7]
    ups = {button.key: button.disabled for button in shown.button if button.label in ("Up", "Down")}
    assert ups == {"pin_up_2": True, "pin_down_2": False, "pin_up_1": False, "pin_down_1": True}
    press_key(shown, "pin_drop_2")
    assert [one.finding.turn for one in case_of(database).pinned] == [7]


def test_a_finding_is_pinned_from_the_case(visit: Open, database: Path) -> None:
    shown = named(no_exception(visit("cases", database, case="1")))
    shown = press(shown, "Pin")
    assert len(case_of(database).pinned) == 3 and "3. " in words(shown)


def test_what_others_add_meanwhile_loses_no_choice(visit: Open, database: Path) -> None:
    shown = named(no_exception(visit("cases", database, case="1")))
    next(one for one in shown.multiselect if one.label == "Add sessions").set_value([int(key_of("14"))]).run()
    state.repository().cases.take(1, int(key_of("11")))
    shown = press(shown, "Add to the case")
    assert {one.session_key for one in case_of(database).sessions} == {
        int(key_of(start)) for start in ("02", "03", "11", "14")
    }
    assert next(one for one in shown.multiselect if one.label == "Add sessions").value == []


def test_what_others_pin_meanwhile_is_not_taken_for_the_own_choice(visit: Open, database: Path) -> None:
    shown = named(no_exception(visit("cases", database, case="1")))
    (found,) = {one.key for one in shown.button if one.label == "Pin"}
    _, _case, session_key, turn, code = found.split("_", 4)
    record = state.session(int(session_key))
    assert record is not None
    request = next(one.request_id for one in record.turns if one.turn == int(turn))
    state.repository().cases.pin(1, Finding(int(session_key), request, int(turn), code, 0, ""), "Bob")
    press(shown, "Pin")
    assert len(case_of(database).pinned) == 3, "what was chosen is there, and nothing else came with it"


def test_a_session_and_its_finding_get_into_a_case_from_the_session(visit: Open, database: Path) -> None:
    shown = named(no_exception(visit("session", database, session=key_of("14"))))
    shown = press(shown, "Add this session")
    assert {one.session_key for one in case_of(database).sessions} == {
        int(key_of(start)) for start in ("02", "03", "14")
    }
    assert [one.disabled for one in shown.button if one.label == "The session is in this case"] == [True]
    button = next(button for button in shown.button if button.label.startswith("Pin "))
    no_exception(button.click().run())
    assert case_of(database).pinned[-1].finding.session_key == int(key_of("14"))


def test_without_a_case_the_session_page_leads_to_the_first(visit: Open, samples: Path, tmp_path: Path) -> None:
    database = Path(shutil.copy(samples, tmp_path / "none.duckdb"))
    assert "There is no case yet." in words(no_exception(visit("session", database, session="2")))


def test_sessions_are_taken_in_and_out(visit: Open, database: Path) -> None:
    shown = no_exception(visit("cases", database, case="1"))
    (field,) = shown.multiselect
    shown = press(no_exception(field.set_value([int(key_of("12"))]).run()), "Add to the case")
    assert int(key_of("12")) in {one.session_key for one in case_of(database).sessions}
    press_key(shown, f"case_drop_{key_of('12')}")
    assert len(case_of(database).sessions) == 2


def test_two_sets_are_held_against_each_other(visit: Open, database: Path) -> None:
    shown = no_exception(visit("cases", database, case="1"))
    assert "Put sessions into both sets" in words(shown)
    for start, side in (("02", "before"), ("03", "after")):
        control = next(one for one in shown.button_group if one.key.startswith(f"side_1_{key_of(start)}_"))
        shown = no_exception(control.set_value(side).run())
    said = words(shown)
    assert "Before: 1 session, 18 turns · after: 1 session," in said
    metrics = {metric.label: metric.value for metric in shown.metric}
    assert metrics["Hit rate"].startswith("89.7% → ") and set(metrics) == {"Hit rate", "Reusable share"}
    press(shown, "Open as two sets")
    assert address(shown) == {"by": "own", "a.case": "1-before", "b.case": "1-after"}, "however many sessions they have"
    said = words(shown)
    assert "before in the case Slow since Monday" in said and "after in the case Slow since Monday" in said
    assert "Too little to tell which set is worse" in said


def test_a_case_with_odd_words(visit: Open, database: Path) -> None:
    key = state._open(str(database)).cases.create(ODD, CaseText(ODD, ODD, ODD, ODD))
    shown = no_exception(visit("cases", database, case=str(key)))
    every = [one.value for kind in ("header", "markdown", "caption") for one in shown.get(kind)]
    assert not any("![" in text or "\u202e" in text for text in every)
    assert shown.header[0].value.startswith(r"\<script\>")


def test_a_reader_sees_a_case_and_changes_nothing(visit: Open, database: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(visitors.READ_ONLY, "1")
    shown = no_exception(visit("cases", database, case="1"))
    assert {button.label for button in shown.button} == {"All cases", "Share", "Show"}
    assert not shown.text_input and not shown.multiselect
    listing = no_exception(visit("cases", database))
    assert not listing.button and len(listing.dataframe) == 1


def test_notes_whose_session_went_are_shown(visit: Open, database: Path) -> None:
    repository = Repository.open(database)
    repository.annotations.add(1, Anchor("session"), "Ann", "still here")
    repository.transactions.connection.execute("DELETE FROM sessions WHERE session_key = 1")
    repository.close()
    assert "still here" in words(no_exception(visit("cases", database)))


def test_the_table_of_cases() -> None:
    frame = listed([Case(3, (CaseVersion(1, "Ann", 0.0, TEXT), CaseVersion(2, "Bob", 60.0, TEXT)))])
    (row,) = frame.to_dict("records")
    assert row["Case"] == "Slow since Monday" and row["by"] == "Bob" and str(row["Changed (UTC)"])[11:16] == "00:01"
    assert (row["Sessions"], row["Findings"]) == (0, 0)
