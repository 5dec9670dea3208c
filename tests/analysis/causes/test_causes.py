"""What all families say of a turn, in the order of decision."""

from collections.abc import Iterator

import pytest

import analysis.causes
from analysis.causes import FAMILIES, explain, measurement
from analysis.causes.base import Evidence
from analysis.model.finding import Cause, Note, TurnAnalysis
from tests.builders import turn, user

EVIDENCE = Evidence(TurnAnalysis(turn(user("hi"), cached=0), 10), None)


class Says:
    """A family that says the same of every turn."""

    def __init__(self, *findings: Cause | Note) -> None:
        self.findings = findings

    def explain(self, evidence: Evidence) -> Iterator[Cause | Note]:
        yield from self.findings


def cause(code: str) -> Cause:
    return Cause(code, "certain", None, 1, None, "seen", "undo")


def test_causes_and_notes_keep_the_order_of_the_families(monkeypatch: pytest.MonkeyPatch) -> None:
    first = Says(Note("n/1", "a"), cause("z/1"))
    second = Says(cause("a/2"), Note("a/2", "b"))
    monkeypatch.setattr(analysis.causes, "FAMILIES", (first, second))
    causes, notes = explain(EVIDENCE)
    assert [found.code for found in causes] == ["z/1", "a/2"]
    assert [found.code for found in notes] == ["n/1", "a/2"]


def test_nothing_to_say_is_no_finding() -> None:
    assert explain(EVIDENCE) == ((), ())


def test_what_was_not_measured_is_asked_for() -> None:
    assert measurement in FAMILIES
    causes, (note,) = explain(Evidence(TurnAnalysis(turn(user("hi")), 10), None))
    assert causes == () and note.code == measurement.USAGE_MISSING
