"""Where it is told that something of a case could not be written."""

from pathlib import Path

from analysis.model.annotation import CaseText
from app import state
from app.case_form import place_of
from tests.app.dashboard import Open, no_exception, press
from tests.app.test_notes_view import named


def test_each_case_has_its_own_place(visit: Open, tmp_path: Path, samples: Path) -> None:
    database = tmp_path / "cases.duckdb"
    database.write_bytes(samples.read_bytes())
    shown = named(no_exception(visit("cases", database)))
    cases = state.repository().cases
    first, second = (cases.create("Ann", CaseText(title)) for title in ("One", "Two"))
    assert place_of(first) != place_of(second)
    cases.change(first, 1, "Ann", None)
    shown = no_exception(shown.run())
    cases.change(first, 2, "Bob", CaseText("One"))
    cases.change(first, 3, "Bob", None)
    shown = press(shown, "Bring back")
    assert [error.value for error in shown.error] == [
        r"Bob has changed this case meanwhile\: nothing was overwritten\."
    ]
