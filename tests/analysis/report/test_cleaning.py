"""Names that a log may choose: what we know of them stays, the rest says nothing."""

from dataclasses import replace

import pytest

from analysis.model.finding import Cause, Note
from analysis.model.prompt import Segment
from analysis.pipeline.record import figures
from analysis.report.cleaning import cleaned, cleaned_figures, field_of
from tests.sample_store import record_of


@pytest.mark.parametrize(
    ("path", "shown"),
    [
        ("messages[3].content", "messages[3].content"),
        ("messages[2].tool_calls[0]", "messages[2].tool_calls[0]"),
        ("tools[12]", "tools[12]"),
        ("template", "template"),
        ("messages[3].zorquen", "messages[3] (a field)"),
        ("messages[3]", "messages[3]"),
        ("chat_template_kwargs.zorquen", "chat_template_kwargs"),
        ("messages[3].content\n", "messages[3] (a field)"),
        ("messages[99999999].content", "a field"),
        ("zorquen", "a field"),
        (None, ""),
    ],
)
def test_field_of(path: str | None, shown: str) -> None:
    assert field_of(path) == shown


def test_a_record_of_ours_stays_what_it_is() -> None:
    record = record_of("06")
    assert cleaned(record) == replace(record, turns=cleaned(record).turns)
    assert [turn.divergence for turn in cleaned(record).turns] == [turn.divergence for turn in record.turns]


def test_what_is_not_known_says_nothing() -> None:
    record = record_of("03")
    found = record.turns[1].divergence
    assert found is not None
    odd = replace(
        record.turns[1],
        salt="zorquen",
        divergence=replace(found, segment=Segment("messages[1].zorquen", 3, "zorquen")),
        causes=(Cause("zorquen", "certain", "zorquen", 1, None, "e", "f"),),
        notes=(Note("zorquen", "e"),),
    )
    step = replace(record.plan[0], code="zorquen", also=("zorquen",))
    clean = cleaned(replace(record, log_format="zorquen", turns=(odd,), plan=(step,)))
    turn = clean.turns[0]
    assert (clean.log_format, turn.salt, turn.causes[0].code, turn.causes[0].segment) == (
        "unknown",
        None,
        "unknown",
        "a field",
    )
    assert turn.notes[0].code == clean.plan[0].code == clean.plan[0].also[0] == "unknown"
    assert turn.divergence is not None and turn.divergence.segment == Segment("messages[1] (a field)", 3, None)


def test_the_costliest_place_is_cleaned_too() -> None:
    sums = replace(figures(record_of("03")), costliest_segment=Segment("zorquen", None, "zorquen"))
    assert cleaned_figures(sums).costliest_segment == Segment("a field", None, None)
    assert cleaned_figures(replace(sums, costliest_segment=None)).costliest_segment is None
