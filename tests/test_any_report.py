"""Whatever a record holds, likely or not, makes a report in every form."""

import json
from dataclasses import replace
from typing import get_args

from hypothesis import given, settings
from hypothesis import strategies as st

from analysis.model.record import SessionRecord
from analysis.pipeline.record import figures
from analysis.report.building import Subject, report_of
from analysis.report.quotes import Scope
from analysis.report.redaction import Rules, redacted
from app.reporting import FORMS, written
from tests.generated_records import session_records


@settings(max_examples=40, deadline=None)
@given(st.lists(session_records, min_size=1, max_size=2), st.sampled_from(get_args(Scope)))
def test_any_records_make_a_report(records: list[SessionRecord], scope: Scope) -> None:
    report = report_of(list(map(subject, records)), lambda _model, ids: dict.fromkeys(ids, b"\xff"), "0", ())
    made, _hidden = redacted(report, Rules(scope), b"key")
    for form in FORMS:
        assert written(made, form)
    json.loads(written(made, ".json"))


def subject(record: SessionRecord) -> Subject:
    """A session with its tokens; every prompt has some, or shares of it have no meaning."""
    turns = tuple(replace(turn, prompt_tokens=turn.prompt_tokens or 1) for turn in record.turns)
    pairs = zip(turns, record.full_ids, strict=True)
    whole = replace(record, turns=turns)
    return Subject(whole, figures(whole), {turn.turn: ids for turn, ids in pairs if ids is not None})
