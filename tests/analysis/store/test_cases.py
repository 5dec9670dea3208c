"""Cases in the store: text with its history, sessions in two sets, findings in their order."""

from collections.abc import Iterator
from dataclasses import replace

import pytest

from analysis.model.annotation import Case, CaseText, Finding
from analysis.store.notes import Outdated
from analysis.store.repository import Repository
from tests.analysis.store.stored import an_import
from tests.analysis.store.test_notes import ODD
from tests.sample_store import record_of

TEXT = CaseText("Slow since Monday", "SUP-17", "Customer", "**It** began with the release.")
FINDING = Finding(1, "r7", 7, "volatile-head/client-date", 890, "2024 → 2025")


@pytest.fixture
def store() -> Iterator[Repository]:
    repository = Repository.open(":memory:")
    repository.save(an_import(record_of("03")))
    repository.save(an_import(record_of("07"), sha256="t"))
    yield repository
    repository.close()


def pins(store: Repository, key: int) -> list[str]:
    case = store.cases.one(key)
    assert case is not None
    return [one.finding.code for one in case.pinned]


@pytest.mark.parametrize("text", [TEXT, CaseText(ODD, ODD, ODD, ODD), CaseText("only a title")])
def test_a_case_is_read_as_it_was_written(store: Repository, text: CaseText) -> None:
    key = store.cases.create("ann", text)
    case = store.cases.one(key)
    assert case is not None and case.text == text
    assert (case.last.number, case.last.author, case.sessions, case.pinned) == (1, "ann", (), ())


def test_every_state_stays_and_races_are_said(store: Repository) -> None:
    key = store.cases.create("ann", TEXT)
    later = replace(TEXT, narrative="more")
    assert store.cases.change(key, 1, "bob", later) == 2
    with pytest.raises(Outdated, match="bob has changed this case meanwhile"):
        store.cases.change(key, 1, "ann", TEXT)
    with pytest.raises(Outdated):
        store.cases.change(99, 1, "ann", TEXT)
    store.cases.change(key, 2, "cy", None)
    case = store.cases.one(key)
    assert case is not None and [(one.author, one.text) for one in case.versions] == [
        ("ann", TEXT), ("bob", later), ("cy", None),
    ]  # fmt: skip
    assert case.text == later
    assert store.cases.all() == (case,) and case.is_deleted and store.cases.one(99) is None


def test_the_case_that_changed_last_comes_first(store: Repository) -> None:
    first, second = (store.cases.create("ann", CaseText(name)) for name in ("first", "second"))
    assert [case.key for case in store.cases.all()] == [second, first]
    store.cases.change(first, 1, "ann", CaseText("first again"))
    assert [case.text.title for case in store.cases.all()] == ["first again", "second"]


def test_a_session_is_in_one_set_of_a_case(store: Repository) -> None:
    key = store.cases.create("ann", TEXT)
    store.cases.take(key, 1)
    store.cases.take(key, 2, "after")
    store.cases.take(key, 1, "before")
    case = store.cases.one(key)
    assert case is not None
    assert {(one.session_id, one.side) for one in case.sessions} == {
        (record_of("03").session_id, "before"), (record_of("07").session_id, "after"),
    }  # fmt: skip
    store.cases.drop(key, 2)
    case = store.cases.one(key)
    assert case is not None and [one.session_key for one in case.sessions] == [1]


def test_a_finding_is_pinned_once(store: Repository) -> None:
    key = store.cases.create("ann", TEXT)
    pin = store.cases.pin(key, FINDING, "ann")
    assert store.cases.pin(key, replace(FINDING, evidence="told otherwise"), "bob") == pin
    case = store.cases.one(key)
    assert case is not None
    (read,) = case.pinned
    assert (read.finding, read.author) == (FINDING, "ann")
    store.cases.unpin(pin)
    assert pins(store, key) == []


@pytest.mark.parametrize(
    ("moved", "by", "order"),
    [("b", -1, "bac"), ("b", 1, "acb"), ("a", -1, "abc"), ("c", 1, "abc"), ("c", -1, "acb")],
)
def test_findings_are_put_in_order(store: Repository, moved: str, by: int, order: str) -> None:
    key = store.cases.create("ann", TEXT)
    made = {code: store.cases.pin(key, replace(FINDING, code=code), "ann") for code in "abc"}
    other = store.cases.create("ann", TEXT)
    store.cases.pin(other, FINDING, "ann")
    store.cases.move(made[moved], by)
    assert pins(store, key) == list(order)
    store.cases.pin(key, replace(FINDING, code="d"), "ann")
    assert pins(store, key) == [*order, "d"], "a new one comes last"
    assert pins(store, other) == [FINDING.code]
    store.cases.move(99, 1)


def test_forgetting_a_log_takes_it_out_of_cases(store: Repository) -> None:
    key = store.cases.create("ann", TEXT)
    for session_key in (1, 2):
        store.cases.take(key, session_key)
        store.cases.pin(key, replace(FINDING, session_key=session_key, evidence="a \0 b"), "ann")
    store.delete(1)
    case = store.cases.one(key)
    assert case is not None and case.text == TEXT
    assert [one.session_key for one in case.sessions] == [2]
    assert [one.finding.session_key for one in case.pinned] == [2]


def test_a_session_that_is_imported_anew_stays_in_its_case(store: Repository) -> None:
    key = store.cases.create("ann", TEXT)
    store.cases.take(key, 1, "before")
    store.save(an_import(record_of("03"), sha256="u"), replacing=[1])
    case = store.cases.one(key)
    assert case is not None and [(one.session_key, one.side) for one in case.sessions] == [(1, "before")]


def test_nothing_of_a_log_that_was_forgotten_comes_into_a_case(store: Repository) -> None:
    key = store.cases.create("ann", TEXT)
    store.delete(1)
    with pytest.raises(Outdated, match="This session has been forgotten meanwhile"):
        store.cases.take(key, 1)
    with pytest.raises(Outdated, match="This session has been forgotten meanwhile"):
        store.cases.pin(key, FINDING, "ann")
    for table in ("case_sessions", "pinned_findings"):
        assert store.transactions.rows(f"SELECT count(*) FROM {table}") == [(0,)]


def test_nothing_is_put_into_a_case_that_was_deleted(store: Repository) -> None:
    key = store.cases.create("ann", TEXT)
    store.cases.change(key, 1, "bob", None)
    for gone in (key, 99):
        with pytest.raises(Outdated, match="This case was deleted meanwhile"):
            store.cases.take(gone, 1)
        with pytest.raises(Outdated, match="This case was deleted meanwhile"):
            store.cases.pin(gone, FINDING, "ann")
    store.cases.change(key, 2, "bob", TEXT)
    store.cases.take(key, 1)


def test_the_same_change_twice_is_made_once(store: Repository) -> None:
    key = store.cases.create("ann", TEXT)
    for text in (CaseText(ODD, ODD), None):
        version = len(_case(store, key).versions)
        assert [store.cases.change(key, version, "ann", text) for _press in range(2)] == [version + 1] * 2
        with pytest.raises(Outdated):
            store.cases.change(key, version, "bob", text)
    assert len(_case(store, key).versions) == 3


def _case(store: Repository, key: int) -> Case:
    case = store.cases.one(key)
    assert case is not None
    return case
