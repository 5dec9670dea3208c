"""The sessions of a case: a page at a time, found by their words, and each where its own page is."""

from pathlib import Path

import pytest

from analysis.model.annotation import CaseSession, CaseText
from analysis.report.baseline import held_against
from analysis.report.case_part import held
from app import sets_state, state
from app.case_sessions import ON_A_PAGE, sizes
from tests.app.dashboard import Open, field, no_exception, words
from tests.many_sessions import fill_with_many

NUM_SESSIONS = 45
FIRST, LAST = "session-00000", "session-00044"


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A case of 45 sessions: every third in neither set."""
    database = tmp_path_factory.mktemp("case") / "case.duckdb"
    repository = fill_with_many(database, NUM_SESSIONS, num_turns=3)
    case = repository.cases.create("ann", CaseText("Slow"))
    for key in range(1, NUM_SESSIONS + 1):
        repository.cases.take(case, key, (None, "before", "after")[key % 3])
    repository.close()
    return database


def test_a_large_case_is_shown_page_by_page(visit: Open, many: Path) -> None:
    shown = no_exception(visit("cases", many, case="1"))
    said = words(shown)
    assert "1 to 20 of 45 sessions · 15 before, 15 after" in said and FIRST in said and LAST not in said
    assert len([one for one in shown.button if str(one.key).startswith("case_show_")]) == ON_A_PAGE
    no_exception(field(shown, "number_input", "Page (of 3)").set_value(3).run())
    said = words(shown)
    assert "41 to 45 of 45 sessions" in said and LAST in said and f"**{FIRST}**" not in said


def test_a_session_is_found_and_the_page_begins_anew(visit: Open, many: Path) -> None:
    shown = no_exception(visit("cases", many, case="1"))
    no_exception(field(shown, "number_input", "Page (of 3)").set_value(3).run())
    no_exception(field(shown, "text_input", "Search the case").set_value("SESSION-0003 proxy").run())
    said = words(shown)
    assert "1 to 10 of 10 sessions" in said and "session-00030" in said
    no_exception(field(shown, "text_input", "Search the case").set_value("nowhere").run())
    assert "No session of the case has these words in its id or its log." in words(shown)


def test_a_verdict_stands_at_each_and_no_record_is_read(
    visit: Open, many: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[int] = []
    session = state.session
    monkeypatch.setattr(state, "session", lambda key: read.append(key) or session(key))
    shown = no_exception(visit("cases", many, case="1"))
    assert len({*read}) == 1, "that of which a finding can be pinned"
    assert "Before: 15 sessions, 45 turns · after: 15 sessions, 45 turns" in words(shown)
    assert len([text for text in shown.text if text.value]) == ON_A_PAGE


def test_before_and_after_are_those_of_the_records(many: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WHYMISS_DB", str(many))
    records = {key: state.session(key) for key in range(1, NUM_SESSIONS + 1)}
    before, after = ([one for key, one in records.items() if one and key % 3 == rest] for rest in (1, 2))
    sets = [sets_state.of_sessions({key for key in records if key % 3 == rest}) for rest in (1, 2)]
    expected = held(before, after)
    found = held_against(*(one.baseline for one in sets))
    assert found.measures == expected.measures and found.sessions == expected.sessions
    assert {one.name: one for one in found.causes} == {one.name: one for one in expected.causes}
    state._open.clear()  # type: ignore[attr-defined]


def test_which_sessions_stand_below() -> None:
    found = [CaseSession(number, f"s{number}", "a.jsonl", "before") for number in range(25)]
    assert sizes(found, 20) == "21 to 25 of 25 sessions · 25 before, 0 after"
