"""From records to a report: everything that is said stands in it, the costliest first."""

from dataclasses import replace

import pytest

from analysis.model.record import SessionRecord
from analysis.model.session import Problem
from analysis.pipeline.record import figures
from analysis.report import building
from analysis.report.building import Subject, report_of
from analysis.report.document import Report
from analysis.report.quotes import Quote
from tests.sample_reports import report
from tests.sample_store import analysed_samples, record_of


def of(*records: SessionRecord, problems: tuple[Problem, ...] = ()) -> Report[Quote]:
    subjects = [Subject(record, figures(record), {}) for record in records]
    return report_of(subjects, lambda _model, _ids: {}, "1.2", problems)


def test_a_session_is_told_from_its_record() -> None:
    (session,) = report("03").sessions
    assert session.verdict.startswith("86% computed again") and session.figures[0].value == "8"
    assert [(one.code, one.tokens, one.turns) for one in session.findings] == [
        ("volatile-head/client-timestamp", 13_211, (2, 3, 4, 5, 6, 7, 8)),
        ("template/reasoning-stripped", 709, (4, 6, 8)),
    ]
    assert [(one.code, one.turns) for one in session.plan] == [
        ("volatile-head/client-timestamp", "turns 2–8"),
        ("template/reasoning-stripped", "turns 4, 6, 8"),
    ]
    assert session.started == Quote("2026-11-29 22:31:12 UTC", "started", "time", "YYYY-MM-DD HH:MM:SS")
    assert session.name == Quote("desk-chat-60417", "session", "name")


def test_tokens_of_findings_are_those_that_were_wasted() -> None:
    for found in analysed_samples().values():
        for record in found.records:
            (session,) = of(record).sessions
            faults = sum(one.tokens for one in session.findings if not one.deliberate)
            assert faults == figures(record).wasted_tokens


def test_what_was_meant_stands_behind_the_faults() -> None:
    assert [one.deliberate for one in report("11").sessions[0].findings] == [False, False, True]


def test_a_fleet_begins_with_what_costs_most_and_is_summed() -> None:
    made = report("busy")
    wasted = [one.wasted_tokens for one in made.overview]
    assert wasted == sorted(wasted, reverse=True) and len(made.sessions) == 7
    assert made.causes == (("capacity/eviction", "the memory was needed for other requests", 2704, 2),)
    assert [(one.label, one.value) for one in made.fleet] == [
        ("Sessions", "7"), ("Turns", "24"), ("Prompt tokens", "39,747"), ("Hit rate (reported)", "75.1%"),
        ("Wasted", "2,704"),
    ]  # fmt: skip
    assert report("03").fleet == ()


def test_of_a_large_fleet_the_rest_is_in_the_overview_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(building, "MOST_SESSIONS", 1)
    made = of(record_of("01"), record_of("03"))
    assert [one.detailed for one in made.overview] == [True, False] and len(made.sessions) == 1
    assert made.sessions[0].name.text == "desk-chat-60417"


def test_problems_are_told_with_their_file_and_line() -> None:
    made = of(record_of("01"), problems=(Problem("a.jsonl", 12, "no JSON"), Problem("b", None, "empty")))
    assert made.problems == (
        (Quote("a.jsonl", "file", "name"), Quote(", line 12", "line", "offset"), ": ", Quote("no JSON", "problem")),
        (Quote("b", "file", "name"), ": ", Quote("empty", "problem")),
    )


def test_a_step_that_was_not_verified_says_why() -> None:
    record = record_of("03")
    step = replace(record.plan[0], after=None, reason="no change to the requests undoes it")
    (session,) = of(replace(record, plan=(step,))).sessions
    assert session.plan[0].worth == ("not verified: ", "no change to the requests undoes it")


@pytest.mark.parametrize("seconds", [1e30, -1e30, float("nan")])
def test_a_time_that_no_calendar_has_is_no_error(seconds: float) -> None:
    record = record_of("01")
    odd = replace(record, turns=(replace(record.turns[0], started_at=seconds), *record.turns[1:]))
    started = of(odd).sessions[0].started
    assert started is not None and started.text.endswith(" s")


def test_a_session_without_turns_and_a_report_without_sessions() -> None:
    assert of(replace(record_of("01"), turns=())).sessions[0].started is None
    assert of().sessions == ()


def without_tokens(tokens: int | None) -> SessionRecord:
    """A session whose tokens are unknown, of which the server's counts leave some open in turn 2."""
    record = record_of("03")
    first, second = record.turns[:2]
    unknown = {"fidelity": None, "account": None, "divergence": None}
    open_ = replace(second, **unknown, causes=(replace(second.causes[0], tokens=tokens),))  # type: ignore[arg-type]
    return replace(record, turns=(replace(first, **unknown), open_), plan=())  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("tokens", "cost"),
    [
        pytest.param(10_128, "up to 10,128 tokens, not proven", id="left open"),
        pytest.param(None, "what it cost is not known", id="by text"),
    ],
)
def test_of_unknown_tokens_no_waste_is_claimed(tokens: int | None, cost: str) -> None:
    made = of(without_tokens(tokens), without_tokens(tokens))
    assert [one.cost for one in made.sessions[0].findings] == [cost]
    assert [one.wasted_tokens for one in made.overview] == [None, None]
    assert made.fleet[-1].value == "?" and made.causes == ()
