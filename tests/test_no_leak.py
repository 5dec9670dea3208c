"""Nothing of what a log says leaves with a redacted report: secrets in every field of every format, none is found.

They are planted in the raw files, so that all stands between them and a report that stands there in the product.
"""

from collections.abc import Iterator
from functools import cache
from pathlib import Path

import duckdb
import pytest

from analysis.formats import FORMATS, read_logs
from analysis.model.record import SessionRecord
from analysis.pipeline.importing import store
from analysis.pipeline.record import figures
from analysis.report.building import Subject, report_of
from analysis.report.document import Report
from analysis.report.quotes import Placeholder, Quote, Released
from analysis.report.redaction import Rules, redacted
from analysis.report.turn_document import TextChange
from analysis.store.repository import Repository
from app.reporting import FORMS, report_of_logs
from tests.generated_secrets import KINDS
from tests.leak_check import Sought
from tests.planted import Planter
from tests.planted_formats import (
    SESSIONS,
    SampleTokenizer,
    analysed_secrets,
    num_turns,
    secret_logs,
    secret_report,
)
from tests.report_parts import every
from tests.sample_store import analysed_samples, sample_renderers

EVERYTHING, NOTHING = Rules(), Rules("nothing")
KEY = bytes(range(32))
LOGS = [*(known.name for known in FORMATS), SESSIONS]
every_log = pytest.mark.parametrize("known", LOGS)


def outputs(report: Report[Quote], rules: Rules = EVERYTHING) -> Iterator[tuple[str, str]]:
    made, _hidden = redacted(report, rules, KEY)
    return ((form, write(made)) for form, write in FORMS.items())


@cache
def sought(known: str) -> Sought:
    return Sought(secret_report(known)[1])


@cache
def leaked(known: str, rules: Rules) -> dict[str, set[str]]:
    """The secrets of which something stands in the report of a log, by its form; nothing for a form without any."""
    pairs = outputs(secret_report(known)[0], rules)
    return {form: cores for form, written in pairs if (cores := sought(known).found_in(written))}


@every_log
def test_a_planted_log_is_read_like_the_sample(known: str) -> None:
    """Else the secrets would stand where nobody reads, and prove nothing."""
    logs = secret_logs(known)
    assert num_turns(logs.files) == num_turns(logs.plain) > 0
    assert len(logs.secrets) > 25


@every_log
def test_no_secret_is_in_a_report(known: str) -> None:
    assert secret_report(known)[0].sessions
    assert leaked(known, EVERYTHING) == {}


@every_log
def test_without_redaction_the_same_report_holds_secrets(known: str) -> None:
    """The search finds what is there, in every form of a report."""
    seen = leaked(known, NOTHING)
    assert seen.keys() == FORMS.keys() and all(len(cores) > 3 for cores in seen.values())


@every_log
def test_credentials_and_given_names_are_hidden_where_the_rest_is_not(known: str) -> None:
    """Names are given that the report would hold, and so that would be seen."""
    seen = set().union(*leaked(known, NOTHING).values())
    secrets = secret_report(known)[1]
    names = tuple(one.core for one in secrets if not one.by_form and one.core in seen)
    to_hide = {one.core for one in secrets if one.by_form or one.core in names}
    assert to_hide & seen
    for form, cores in leaked(known, Rules("secrets", names)).items():
        assert not cores & to_hide, form


def test_thousands_of_secrets_of_every_kind_are_planted() -> None:
    secrets = [one for known in LOGS for one in secret_logs(known).secrets]
    assert len({one.core for one in secrets}) > 5_000
    assert {one.kind for one in secrets} == KINDS.keys()


def test_secrets_of_every_kind_reach_a_report() -> None:
    seen = {known: set().union(*leaked(known, NOTHING).values()) for known in LOGS}
    kinds = {one.kind for known in LOGS for one in secret_report(known)[1] if one.core in seen[known]}
    assert kinds == KINDS.keys()


@every_log
def test_no_parser_keeps_what_stands_in_headers_and_fields_for_keys(known: str) -> None:
    logs = secret_logs(known)
    keys = Sought([one for one in logs.keys if not one.whole])
    assert keys.found_in(repr([log for _name, log in read_logs(logs.files, "s")])) == set()


def test_no_key_of_any_log_is_in_the_database(tmp_path: Path) -> None:
    database = tmp_path / "keys.duckdb"
    repository = Repository.open(database)
    for known in LOGS:
        store(analysed_secrets(known), SampleTokenizer(), repository)
    repository.close()
    keys = [one for known in LOGS for one in secret_logs(known).keys if not one.whole]
    held = dump(database)
    assert len(keys) > 500 and Sought(secret_logs("har").secrets).found_in(held), "names of sessions are in there"
    assert Sought(keys).found_in(held) == set()
    raw = database.read_bytes()
    assert not [key for key in keys if key.core.encode() in raw]


def dump(database: Path) -> str:
    """All rows of all tables as text."""
    with duckdb.connect(str(database), read_only=True) as connection:
        tables = connection.execute("SELECT table_name FROM duckdb_tables()").fetchall()
        return "\n".join(
            str(row) for (table,) in tables for row in connection.execute(f'SELECT * FROM "{table}"').fetchall()
        )


@pytest.mark.parametrize("name", sorted(analysed_samples()))
def test_no_secret_of_a_record_is_in_a_report_wherever_it_stands(name: str) -> None:
    """Even where a code, a field, a role or our own words were exchanged for something else."""
    planter = Planter(7)
    records = [planter.in_record(record) for record in analysed_samples()[name].records]
    report = report_of([_subject(record) for record in records], lambda _model, ids: {}, "0", [])
    search = Sought(planter.maker.made)
    assert {form: search.found_in(written) for form, written in outputs(report)} == {form: set() for form in FORMS}


def test_thousands_of_texts_of_records_are_planted() -> None:
    planter = Planter(7)
    for analysed in analysed_samples().values():
        planter.in_record(analysed.records)
    assert len(planter.maker.made) > 1_000


@pytest.mark.parametrize("name", sorted(analysed_samples()))
def test_a_redacted_report_holds_no_quote_and_no_text_that_was_not_released(name: str) -> None:
    report = report_of_logs([analysed_samples()[name]], sample_renderers(), [])
    assert [*every(report, Quote)]
    made, _hidden = redacted(report, EVERYTHING, KEY)
    assert not [*every(made, Quote)] and not [*every(made, Released)] and [*every(made, Placeholder)]


def _subject(record: SessionRecord) -> Subject:
    pairs = zip(record.turns, record.full_ids, strict=False)
    return Subject(record, figures(record), {turn.turn: ids for turn, ids in pairs if ids is not None})


def test_requests_are_compared_by_tokens_and_by_text() -> None:
    reports = [secret_report(known)[0] for known in LOGS]
    changes = [change for report in reports for change in every(report, TextChange) if change.old and change.new]
    turns = [turn for known in LOGS for record in analysed_secrets(known).records for turn in record.turns]
    assert len(changes) > 3 and sum(turn.divergence is not None for turn in turns) > 50
