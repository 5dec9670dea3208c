"""Nothing of what a log says leaves with a redacted report: secrets in every field of every format, none is found."""

from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from analysis.formats import FORMATS
from analysis.model.record import SessionRecord
from analysis.model.renderer import Renderer
from analysis.model.settings import Settings
from analysis.pipeline.importing import Analysed, analyse_source
from analysis.pipeline.record import figures
from analysis.pipeline.renderers import Renderers
from analysis.pipeline.sources import LogFile, Source
from analysis.report.building import Subject, report_of
from analysis.report.document import Placeholder, Quote, Released, Report
from analysis.report.redaction import Rules, redacted
from app.reporting import FORMS, report_of_logs
from tests.builders import SAMPLES, ByteRenderer
from tests.format_samples import FORMAT_SAMPLES
from tests.planted import Planter, leaks, lines
from tests.report_parts import every
from tests.sample_store import analysed_samples, sample_renderers

TOKENS = ("prompt_token_ids", "output_token_ids", "usage", "token_ids")
EVERYTHING = Rules()
KEY = bytes(range(32))
BATCH = "openai-batch"  # its requests and its answers are two files that are read together
SESSIONS = [path for path in SAMPLES if path.stem != "11-long-haul"]  # long, and in no way another one
LOGS = {
    **{path: name for path, name in FORMAT_SAMPLES.items() if name != BATCH or path.stem == "input"},
    **dict.fromkeys(SESSIONS, "openai-chat"),
}


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
def planted(path: Path) -> tuple[Analysed, Renderers, list[str]]:
    """A log with secrets, analysed.  Every other sample session loses its ids and counts, so that it is rendered."""
    rendered = path in SAMPLES and path.name[1] in "24680"
    planter = Planter(len(path.name), TOKENS if rendered else ())
    renderers = EveryModel()
    paths = [path, *path.parent.glob("output.jsonl")] if LOGS[path] == BATCH else [path]
    files = tuple(LogFile(f"{planter.secret()}{one.suffix}", lines(one.read_bytes(), planter)) for one in paths)
    analysed = analyse_source(Source(planter.secret(), files), renderers, Settings(16, "given"))
    return analysed, renderers, planter.secrets


@pytest.mark.parametrize("path", LOGS, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_no_secret_of_a_log_is_in_a_report(path: Path) -> None:
    analysed, renderers, secrets = planted(path)
    assert analysed.records, "the planted log is still read"
    report = report_of_logs([analysed], renderers, [])
    for form, written in outputs(report):
        assert not leaks(written, secrets), form


def test_all_formats_are_planted_with_thousands_of_secrets() -> None:
    assert set(LOGS.values()) == {known.name for known in FORMATS}
    planted_in = [planted(path) for path in LOGS]
    assert sum(len(secrets) for _analysed, _renderers, secrets in planted_in) > 1_000


def test_without_redaction_the_same_reports_hold_secrets() -> None:
    seen: set[str] = set()
    for path in SESSIONS[:6]:
        analysed, renderers, secrets = planted(path)
        for _form, written in outputs(report_of_logs([analysed], renderers, []), Rules("nothing")):
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
