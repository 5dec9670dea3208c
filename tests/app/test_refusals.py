"""What is pressed is written before the run that follows it draws anything; what is refused is told once."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from analysis.model.annotation import CaseText
from analysis.model.desk import Mark
from analysis.store.database import StoreError
from analysis.store.repository import Repository
from app import login, state
from tests.app.dashboard import Open, field, key_of, no_exception, press
from tests.app.test_notes_view import NOTE, fill, named

Kept = Callable[[Repository], bool]


@pytest.fixture
def database(samples: Path, tmp_path: Path) -> Path:
    """The samples with one case, in which a session is."""
    path = Path(shutil.copy(samples, tmp_path / "kept.duckdb"))
    repository = Repository.open(path)
    repository.cases.take(repository.cases.create("Ann", CaseText("Slow")), int(key_of("02")))
    repository.close()
    return path


def refused_there() -> None:
    from analysis.store.database import StoreError
    from app.refusals import kept, refusal

    def write(words: str) -> None:
        raise StoreError(words)

    kept("here", write, "The disk is *full*.")
    refusal("elsewhere")
    refusal("here")
    refusal("here")


def test_a_refusal_is_told_once_at_its_place() -> None:
    (error,) = no_exception(AppTest.from_function(refused_there).run()).error
    assert error.value == r"The disk is \*full\*\."


def a_note(visit: Open, database: Path) -> tuple[AppTest, str, Kept]:
    shown = named(no_exception(visit("session", database, session=key_of("02"))))
    fill(shown, NOTE, "seen", "text_area")
    return shown, "Add note", lambda kept: kept.annotations.counts() == {int(key_of("02")): 1}


def a_pin(visit: Open, database: Path) -> tuple[AppTest, str, Kept]:
    shown = named(no_exception(visit("cases", database, case="1")))
    return shown, "Pin", lambda kept: len(kept.cases.all()[0].pinned) == 1


def a_case(visit: Open, database: Path) -> tuple[AppTest, str, Kept]:
    shown = named(no_exception(visit("cases", database)))
    fill(shown, "Title", "Slow too")
    return shown, "Create case", lambda kept: len(kept.cases.all()) == 2


def a_mark(visit: Open, database: Path) -> tuple[AppTest, str, Kept]:
    shown = no_exception(visit("session", database, session="3"))
    field(shown, "selectbox", "Status").set_value("fixed")
    return shown, "Save status", lambda kept: kept.desk.marks() == {3: Mark("fixed")}


def a_view(visit: Open, database: Path) -> tuple[AppTest, str, Kept]:
    shown = no_exception(visit("sessions", database, q="clock"))
    field(shown, "text_input", "Save this list as").set_value("clocks")
    return shown, "Save view", lambda kept: [view.name for view in kept.desk.views()] == ["clocks"]


@pytest.mark.parametrize("written", [a_note, a_pin, a_case, a_mark, a_view])
def test_a_press_is_kept_though_the_next_one_cuts_its_run_short(
    visit: Open,
    database: Path,
    monkeypatch: pytest.MonkeyPatch,
    written: Callable[[Open, Path], tuple[AppTest, str, Kept]],
) -> None:
    shown, label, is_kept = written(visit, database)
    assert not is_kept(state.repository())
    monkeypatch.setattr(login, "required", st.stop)
    press(shown, label)
    assert is_kept(state.repository())


def an_edit(visit: Open, database: Path) -> tuple[AppTest, str, Kept]:
    shown, label, _is_kept = a_note(visit, database)
    shown = press(press(shown, label), "Edit")
    fill(shown, NOTE, "seen again", "text_area")
    return shown, "Save note", lambda kept: len(kept.annotations.of_session(int(key_of("02")))[0].versions) == 2


def a_case_edit(visit: Open, database: Path) -> tuple[AppTest, str, Kept]:
    shown = press(named(no_exception(visit("cases", database, case="1"))), "Edit")
    fill(shown, "Ticket", "SUP-17")
    return shown, "Save", lambda kept: len(kept.cases.all()[0].versions) == 2


def a_deletion(visit: Open, database: Path) -> tuple[AppTest, str, Kept]:
    shown, label, _is_kept = a_note(visit, database)
    return press(shown, label), "Delete", lambda kept: kept.annotations.counts() == {}


@pytest.mark.parametrize("written", [a_note, an_edit, a_deletion, a_pin, a_case, a_case_edit, a_mark, a_view])
def test_a_double_click_writes_once(
    visit: Open, database: Path, written: Callable[[Open, Path], tuple[AppTest, str, Kept]]
) -> None:
    shown, label, is_kept = written(visit, database)
    for box in shown.selectbox:
        box.set_value(box.value)  # else it is asked for at the second press, when its field is another one
    drawn = shown._tree
    shown = press(shown, label)
    assert not shown.error and is_kept(state.repository())
    shown._tree = drawn  # the second press comes from the page as it was at the first one
    shown = press(shown, label)
    assert not shown.error and is_kept(state.repository())


def test_a_name_is_known_though_the_next_press_cuts_its_run_short(visit: Open, database: Path) -> None:
    shown = no_exception(visit("session", database, session=key_of("02")))
    fill(shown, "Your name", "Ann")
    fill(shown, NOTE, "seen", "text_area")
    press(shown, "Add note")
    (note,) = state.repository().annotations.of_session(int(key_of("02")))
    assert note.author == "Ann"


def test_a_note_goes_where_the_form_says_now(visit: Open, database: Path) -> None:
    shown = named(no_exception(visit("session", database, session=key_of("02"))))
    box = field(shown, "selectbox", "About")
    box.select_index(list(box.options).index("The whole session"))
    fill(shown, NOTE, "seen", "text_area")
    press(shown, "Add note")
    (note,) = state.repository().annotations.of_session(int(key_of("02")))
    assert note.anchor.kind == "session"


def test_a_full_disk_is_told_where_the_note_was_written(
    visit: Open, database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown = named(no_exception(visit("session", database, session=key_of("02"))))

    def full(*_args: object) -> None:
        raise StoreError("No room is left.")

    monkeypatch.setattr(state.repository().annotations, "add", full)
    fill(shown, NOTE, "seen", "text_area")
    press(shown, "Add note")
    assert [error.value for error in shown.error] == [r"No room is left\."]
    assert field(shown, "text_area", NOTE).value == "seen"


def forget(start: str) -> None:
    """Forget a sample log as another person does."""
    found = state.repository().transactions.rows(
        "SELECT import_key FROM sessions WHERE session_key = ?", int(key_of(start))
    )
    state.repository().delete(found[0][0])


def test_a_note_on_tokens_that_are_forgotten_meanwhile_is_refused(visit: Open, database: Path) -> None:
    shown = named(no_exception(visit("session", database, session=key_of("02"))))
    fill(shown, NOTE, "seen", "text_area")
    forget("02")
    press(shown, "Add note")
    assert state.repository().annotations.counts() == {}


def test_a_finding_whose_log_is_forgotten_meanwhile_is_not_pinned(visit: Open, database: Path) -> None:
    shown = named(no_exception(visit("cases", database, case="1")))
    forget("02")
    shown = press(shown, "Pin")
    (case,) = state.repository().cases.all()
    assert [error.value for error in shown.error] == [
        r"This session has been forgotten meanwhile\: nothing was put into the case\."
    ]
    assert case.sessions == case.pinned == ()
