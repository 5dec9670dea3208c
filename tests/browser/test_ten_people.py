"""Ten people do a triage at the same time, each in a window of its own: nothing fails, and nothing is lost."""

from collections import Counter
from pathlib import Path

import pytest

from analysis.model.annotation import CaseText
from analysis.model.desk import Mark
from analysis.pipeline.importing import store
from analysis.store.repository import Repository
from tests.browser.dashboard_window import serving
from tests.browser.triage import Task, all_at_once, note_of
from tests.many_sessions import fill_with_many
from tests.sample_store import sample, sample_renderers

pytestmark = pytest.mark.browser

NUM_SESSIONS = 300  # beside those that people look into
STARTS = ("02", "03", "04", "05", "06", "08", "09", "14", "13")  # the samples with divergences; the last has several
PEOPLE = 10


@pytest.fixture
def database(tmp_path: Path) -> Path:
    repository = fill_with_many(tmp_path / "desk.duckdb", NUM_SESSIONS)
    for start in STARTS:
        store(sample(start), sample_renderers(), repository)
    repository.cases.create("Ann", CaseText("The bill doubled since Tuesday"))
    repository.close()
    return tmp_path / "desk.duckdb"


def tasks_of(database: Path) -> list[Task]:
    """A session for each, and the same second one for all of them."""
    repository = Repository.open(database)
    frame = repository.sessions()
    repository.close()
    found = frame[frame.source.isin({sample(start).records[0].source for start in STARTS})]
    keys = list(zip(found.session_id, map(int, found.session_key), strict=True))
    return [Task(f"Person {number}", keys[number + 1], keys[0]) for number in range(PEOPLE)]


def test_ten_people_triage_at_once(database: Path) -> None:
    tasks = tasks_of(database)
    shared = tasks[0].shared
    with serving(database) as address:
        done = all_at_once(address, tasks)
    assert {one.who: one.errors for one in done} == {task.who: [] for task in tasks}
    repository = Repository.open(database)
    notes = {
        key: Counter((one.author, one.text, one.anchor.kind) for one in repository.annotations.of_session(key))
        for _name, key in (*(task.session for task in tasks), shared)
    }
    (case,) = repository.cases.all()
    marks = repository.desk.marks()
    repository.close()
    for task in tasks:
        name, key = task.session
        assert notes[key] == {(task.who, note_of(task.who, name), "divergence"): 1}
        assert marks[key] == Mark("investigating", task.who)
    assert notes[shared[1]] == Counter((task.who, note_of(task.who, shared[0]), "divergence") for task in tasks)
    assert marks[shared[1]] == Mark("new", "", tuple(sorted(task.who for task in tasks)))
    assert [one.session_key for one in case.sessions] == sorted(
        (key for _name, key in (task.session for task in tasks)),
        key=lambda key: next(task.session for task in tasks if task.session[1] == key),
    )
