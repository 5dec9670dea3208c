"""Nothing of what a log says leaves with a redacted report: secrets in every field of every format, none is found."""

from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from analysis.formats import FORMATS, read_logs
from analysis.model.record import SessionRecord
from analysis.model.renderer import Renderer
from analysis.model.session import Log
from analysis.model.settings import Settings
from analysis.pipeline.analyse import analyse
from analysis.pipeline.importing import Analysed, analyse_source
from analysis.pipeline.peel import with_plans
from analysis.pipeline.record import figures, records
from analysis.pipeline.renderers import Renderers
from analysis.pipeline.sources import LogFile, Source
from analysis.report.building import Subject, report_of
from analysis.report.document import Placeholder, Quote, Released, Report, TextChange
from analysis.report.redaction import Rules, redacted
from app.reporting import FORMS, report_of_logs
from tests.builders import SAMPLES, ByteRenderer
from tests.format_samples import FORMAT_SAMPLES, beside
from tests.planted import Planter, leaks, lines
from tests.report_parts import every
from tests.sample_store import analysed_samples, sample_renderers

TOKENS = ("prompt_token_ids", "output_token_ids", "usage", "token_ids")
EVERYTHING = Rules()
KEY = bytes(range(32))
SESSIONS = [path for path in SAMPLES if path.stem != "11-long-haul"]  # long, and in no way another one
PLANTED_AS_TEXT = (  # logs that are still read with a secret in every text of theirs
    *SESSIONS,
    *(
        path
        for path, name in FORMAT_SAMPLES.items()
        if name in ("anthropic-messages", "litellm", "mini-swe-agent", "openai-responses", "swe-agent", "transcript")
    ),
)
MOST_TURNS = 6  # of a session that are read and planted


class EveryModel(Renderers):
    """A renderer for whatever a log calls its model: tokens are bytes, so every character of a prompt is one."""

    def has(self, model: str) -> bool:
        return True

    def renderer_for(self, model: str) -> Renderer | None:
        return ByteRenderer(keep_reasoning=False)


def outputs(report: Report[Quote], rules: Rules = EVERYTHING) -> Iterator[tuple[str, str]]:
    made, _hidden = redacted(report, rules, KEY)
    return ((form, write(made)) for form, write in FORMS.items())


@cache
def planted(path: Path) -> tuple[Report[Quote], list[str]]:
    """The report of a log with secrets.  Every other sample session loses its ids and counts, and so is rendered."""
    rendered = path in SAMPLES and path.name[1] in "24680"
    planter = Planter(len(path.name), TOKENS if rendered else ())
    file = LogFile(f"{planter.secret()}{path.suffix}", lines(path.read_bytes(), planter))
    renderers = EveryModel()
    analysed = analyse_source(Source(planter.secret(), (file,)), renderers, Settings(16, "given"))
    assert analysed.records, "the planted log is still read"
    return report_of_logs([analysed], renderers, []), planter.secrets


@cache
def planted_sessions(known: str, rendered: bool) -> tuple[Report[Quote], list[str]]:
    """The report of a format's samples with secrets in everything that was read; else compared by text alone."""
    planter = Planter(len(known))
    files = [(path.name, beside(path)) for path, name in FORMAT_SAMPLES.items() if name == known]
    logs = {repr([name for name, _data in several]): several for _name, several in files}
    read = [log for several in logs.values() for _file, log in read_logs(several, "s") if isinstance(log, Log)]
    few = [replace(one, turns=one.turns[:MOST_TURNS]) for log in read for one in log.sessions]
    sessions = [planter.in_session(one) for one in few]
    settings = Settings(16, "given")
    renderers = EveryModel() if rendered else Renderers()
    analyses = with_plans(analyse(sessions, renderers.renderer_for, settings), renderers.renderer_for)
    problems = tuple(planter.in_record(problem) for log in read for problem in log.problems)
    found = Analysed(Source(planter.secret(), ()), settings, tuple(records(analyses)), problems)
    return report_of_logs([found], renderers, []), planter.secrets


@pytest.mark.parametrize("path", PLANTED_AS_TEXT, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_no_secret_of_a_log_is_in_a_report(path: Path) -> None:
    report, secrets = planted(path)
    for form, written in outputs(report):
        assert not leaks(written, secrets), form


@pytest.mark.parametrize("rendered", [True, False], ids=["rendered", "by text"])
@pytest.mark.parametrize("known", [known.name for known in FORMATS])
def test_no_secret_of_any_format_is_in_a_report(known: str, rendered: bool) -> None:
    report, secrets = planted_sessions(known, rendered)
    assert report.sessions and len(secrets) > 10
    for form, written in outputs(report):
        assert not leaks(written, secrets), form


def test_thousands_of_secrets_are_planted() -> None:
    assert sum(len(planted_sessions(known.name, True)[1]) for known in FORMATS) > 1_000
    assert sum(len(planted(path)[1]) for path in PLANTED_AS_TEXT) > 1_000


def test_without_redaction_the_same_reports_hold_secrets() -> None:
    seen: set[str] = set()
    for path in SESSIONS[:6]:
        report, secrets = planted(path)
        for _form, written in outputs(report, Rules("nothing")):
            seen.update(leaks(written, secrets))
    assert len(seen) > 200


@pytest.mark.parametrize("name", sorted(analysed_samples()))
def test_no_secret_of_a_record_is_in_a_report_wherever_it_stands(name: str) -> None:
    """Even where a code, a field, a role or our own words were exchanged for something else."""
    planter = Planter(7)
    records = [planter.in_record(record) for record in analysed_samples()[name].records]
    report = report_of([_subject(record) for record in records], lambda _model, ids: {}, "0", [])
    for form, written in outputs(report):
        assert not leaks(written, planter.secrets), form


def test_thousands_of_texts_of_records_are_planted() -> None:
    planter = Planter(7)
    for analysed in analysed_samples().values():
        planter.in_record(analysed.records)
    assert len(planter.secrets) > 1_000


@pytest.mark.parametrize("name", sorted(analysed_samples()))
def test_a_redacted_report_holds_no_quote_and_no_text_that_was_not_released(name: str) -> None:
    report = report_of_logs([analysed_samples()[name]], sample_renderers(), [])
    assert [*every(report, Quote)]
    made, _hidden = redacted(report, EVERYTHING, KEY)
    assert not [*every(made, Quote)] and not [*every(made, Released)] and [*every(made, Placeholder)]


def _subject(record: SessionRecord) -> Subject:
    pairs = zip(record.turns, record.full_ids, strict=False)
    return Subject(record, figures(record), {turn.turn: ids for turn, ids in pairs if ids is not None})


def test_requests_are_compared_by_text_too() -> None:
    reports = [planted_sessions(known.name, False)[0] for known in FORMATS]
    changes = [change for report in reports for change in every(report, TextChange) if change.old and change.new]
    assert len(changes) > 5
