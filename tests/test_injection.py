"""Whatever a log says is shown as text in a report: markup of HTML and Markdown, escapes, a megabyte a word."""

from collections.abc import Callable
from functools import cache
from itertools import chain, cycle

import pytest

from analysis.formats import FORMATS
from analysis.model.record import SessionRecord
from analysis.pipeline.importing import Analysed, analyse_source
from analysis.pipeline.record import figures
from analysis.pipeline.sources import LogFile, Source
from analysis.report.building import Subject, report_of
from analysis.report.document import Report
from analysis.report.quotes import Quote, Scope
from analysis.report.redaction import Rules, redacted
from app.reporting import written
from tests.hostile import ASSERTIONS, EVIL
from tests.planted import Planter as RecordPlanter
from tests.planted_formats import GIVEN, SampleTokenizer, files_of_format, num_turns, report_with_notes
from tests.planting import KEPT, Planter, planted, planted_name
from tests.sample_store import analysed_samples

SCOPES: tuple[Scope, ...] = ("nothing", "secrets", "everything")
LOGS = [known.name for known in FORMATS]


class Injector(RecordPlanter):
    """Plants one and the same text everywhere."""

    def __init__(self, text: str) -> None:
        super().__init__(0)
        self.text = text

    def secret(self) -> str:
        return self.text


@cache
def injected(text: str) -> Report[Quote]:
    records: list[SessionRecord] = [
        Injector(text).in_record(record) for start in ("05", "06") for record in _records(start)
    ]
    subjects = [Subject(record, figures(record), _ids(record)) for record in records]
    shown = text.encode("utf-8", "surrogatepass")[:80]
    return report_of(subjects, lambda _model, ids: dict.fromkeys(ids, shown), "0", [])


def _records(start: str) -> tuple[SessionRecord, ...]:
    return next(one.records for name, one in analysed_samples().items() if name.startswith(start))


def _ids(record: SessionRecord) -> dict[int, object]:
    pairs = zip(record.turns, record.full_ids, strict=True)
    return {turn.turn: ids for turn, ids in pairs if ids is not None}


@pytest.mark.parametrize("form", ASSERTIONS)
@pytest.mark.parametrize("text", EVIL.values(), ids=EVIL)
def test_a_report_of_a_record_has_no_markup_but_its_own(text: str, form: str) -> None:
    for scope in SCOPES:
        ASSERTIONS[form](written(redacted(injected(text), Rules(scope), b"key")[0], form))


def hostile_texts(but: str = "") -> Callable[[], str]:
    """Every hostile text in turn; the megabyte once."""
    rest = [text for name, text in EVIL.items() if name not in ("long", but)]
    return chain(rest[:5], [EVIL["long"]], cycle(rest)).__next__


@cache
def hostile(known: str) -> Analysed:
    """The sample logs of a format with every hostile text in turn in their fields."""
    new = hostile_texts(but="half a character" if known == "cassette" else "")  # which YAML cannot say
    planter = Planter(new, KEPT.get(known, set()))
    plain = files_of_format(known)
    files = [(planted_name(name, planter), planted(data, planter)) for name, data in plain]
    assert num_turns(files) == num_turns(plain)
    return analyse_source(Source(new(), tuple(LogFile(*file) for file in files)), SampleTokenizer(), GIVEN)


@pytest.mark.parametrize("known", LOGS)
def test_a_report_of_a_hostile_log_has_no_markup_but_its_own(known: str) -> None:
    report = report_with_notes(hostile(known), hostile_texts())
    for scope in SCOPES:
        made = redacted(report, Rules(scope), b"key")[0]
        for form, check in ASSERTIONS.items():
            check(written(made, form))
