"""Reports from logs and from the store are the same; every form is written."""

import json

import pytest

from analysis.report.redaction import Rules, redacted
from app.reporting import FORMS, report_of_logs, report_of_session, subject, written
from tests.sample_reports import KEY, leaving, report
from tests.sample_store import fill, record_of, sample, sample_renderers


@pytest.mark.parametrize(
    ("form", "start"), [(".html", "<!doctype html>"), (".md", "# Prefix cache report: "), (".json", "{\n")]
)
def test_every_form_is_written(form: str, start: str) -> None:
    assert set(FORMS) == {".html", ".md", ".json"}
    content = written(leaving("03"), form)
    assert content.startswith(start) and content.endswith("\n")


def test_json_is_read_by_a_program() -> None:
    assert json.loads(written(leaving("03"), ".json"))["sessions"][0]["name"] == "session A"


def test_a_stored_session_gives_the_report_of_its_log() -> None:
    repository = fill(":memory:", "03")
    record = repository.session(1, with_runs=True)
    assert record is not None
    stored = report_of_session(record, repository.full_ids(1), repository.token_bytes)
    fresh = report_of_logs([sample("03")], sample_renderers(), [])
    assert redacted(stored, Rules("nothing"), KEY)[0].sessions == redacted(fresh, Rules("nothing"), KEY)[0].sessions
    repository.close()


def test_a_subject_has_the_sums_of_its_session() -> None:
    assert subject(record_of("03"), {}).figures.num_turns == 8


def test_problems_of_a_log_are_told_once() -> None:
    assert report("03").problems == ()
