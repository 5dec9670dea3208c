"""A case in a report: what people wrote as quotes, findings in their order, two sets held against each other."""

from dataclasses import replace

import pytest

from analysis.model.annotation import CaseText, Finding, PinnedFinding
from analysis.report import case_part as case_part_module
from analysis.report.case_part import case_part, held, size_of, still_there
from analysis.report.cleaning import cleaned
from analysis.report.quotes import Quote
from analysis.report.shape import left_out
from tests.case_reports import STARTS, case, pinned
from tests.sample_store import record_of

RECORDS = {key: cleaned(record_of(start)) for key, start in enumerate(STARTS, 1)}
PIN = pinned(1, 1, 7)


def test_what_people_wrote_is_quoted_and_what_they_left_out_is_nothing() -> None:
    made = case_part(case(), RECORDS)
    assert (made.title, made.ticket) == (Quote("Slow since Monday", "title"), Quote("SUP-17", "ticket", "name"))
    assert (made.author, made.at) == (Quote("Ann Lee", "author", "name"), "2025-06-15 15:06 UTC")
    bare = case_part(case(CaseText("only a title")), RECORDS)
    assert (bare.ticket, bare.customer, bare.narrative, bare.pinned) == (None, None, None, ())


def test_findings_stand_in_the_order_of_the_case_with_their_place_in_the_report() -> None:
    first, second = case_part(case(pins=(pinned(1, 3, 4), PIN)), {3: RECORDS[3], 1: RECORDS[1]}).pinned
    assert (first.code, first.words, first.session, first.turn, first.is_found) == (
        "tools/order", "the tools came in another order", 1, 4, True,
    )  # fmt: skip
    assert second.session == 2 and [one.path for one in second.evidence if isinstance(one, Quote)] == [
        "messages[2].reasoning"
    ]


def test_a_finding_that_is_gone_or_of_another_session_is_said_to_be() -> None:
    gone = replace(PIN, finding=replace(PIN.finding, request_id="gone", evidence="zorquen"))
    far = replace(PIN, finding=replace(PIN.finding, session_key=99))
    first, second = case_part(case(pins=(gone, far)), RECORDS).pinned
    assert (first.session, first.is_found, first.evidence) == (1, False, (Quote("zorquen", "evidence", cut=True),))
    assert (second.session, second.name, second.is_found) == (None, None, False)


def test_before_is_held_against_after() -> None:
    found = case_part(case(), RECORDS).before_and_after
    assert found is not None and found.sizes == ("1 session, 18 turns", "1 session, 8 turns")
    assert [(one.what, one.before, one.after) for one in found.measures] == [
        (("Hit rate",), "89.7%", "1.4%"), (("Reusable share",), "89.7%", "1.4%"),
    ]  # fmt: skip
    assert [(one.code, one.before, one.after, one.change) for one in found.causes] == [
        ("volatile-head/client-timestamp", "0", "13,211", "+13,211"),
        ("template/reasoning-stripped", "2,176", "709", "-1,467"),
    ]
    assert case_part(case(), {1: RECORDS[1]}).before_and_after is None


def test_what_is_left_out_of_before_and_after_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(case_part_module, "MOST_SHIFTS", 1)
    found = case_part(case(), RECORDS).before_and_after
    assert found is not None and len(found.causes) == 1
    assert left_out(found) == "Moved as well, and left out here: 1 more cause."


def test_settings_of_all_sessions_of_a_set_are_compared() -> None:
    other = replace(RECORDS[2], settings=replace(RECORDS[2].settings, block_size=32))
    assert held([RECORDS[1], RECORDS[2]], [RECORDS[1], other]).settings == ("block_size: 16 → 16 / 32",)


@pytest.mark.parametrize(
    ("finding", "turn"),
    [
        (PIN.finding, 7),
        (replace(PIN.finding, turn=99), 7),
        (replace(PIN.finding, code="tools/order"), None),
        (replace(PIN.finding, request_id="gone"), None),
    ],
)
def test_whether_a_finding_is_still_there(finding: Finding, turn: int | None) -> None:
    found = still_there(PinnedFinding(1, finding, "Ann", 0.0), record_of("02"))
    assert (found.turn if found else None) == turn
    assert still_there(PIN, None) is None


def test_sizes_in_words() -> None:
    assert size_of([record_of("02"), record_of("03")]) == "2 sessions, 26 turns"


def test_two_sets_and_the_same_set() -> None:
    before, after = record_of("02"), record_of("14")
    found = held([before], [after])
    assert [one.name for one in found.measures] == ["hit rate", "reusable share"]
    assert {one.name for one in found.causes} == {"template/reasoning-stripped", "volatile-head/template-date"}
    same = held([before], [before])
    assert same.causes == () and same.sessions == () and all(one.change == 0 for one in same.measures)
