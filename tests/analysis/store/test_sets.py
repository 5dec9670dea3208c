"""The sums that sets are held against each other by: those that the analysis takes from its records."""

from collections.abc import Iterator
from dataclasses import asdict, replace

import pytest

from analysis.report.baseline import figures_of, waste_of
from analysis.store.imports import Import
from analysis.store.repository import Repository
from analysis.store.sets import SUMS
from tests.sample_store import analysed_samples, fill, record_of, text_record

RECORDS = [record for analysed in analysed_samples().values() for record in analysed.records]


@pytest.fixture
def empty() -> Iterator[Repository]:
    repository = Repository.open(":memory:")
    yield repository
    repository.close()


def test_sums_are_those_of_the_records() -> None:
    odd = [text_record(), replace(record_of("03"), turns=_mismatched())]
    repository = fill(":memory:")
    repository.save(Import("odd.jsonl", "odd", 1, "as given", odd))
    frame = repository.sets.sums().set_index("session_key")
    repository.close()
    assert len(frame) == len(RECORDS) + 2
    for key, record in enumerate([*RECORDS, *odd], 1):
        row = frame.loc[key]
        expected = asdict(figures_of(record.turns)) | asdict(waste_of(record.turns))
        assert {name: int(row[name]) for name in SUMS} == expected, record.session_id
        assert (row.session_id, bool(row.inferred)) == (record.session_id, record.inferred)


def _mismatched() -> tuple[object, ...]:
    first, second, *rest = record_of("03").turns
    return (first, replace(second, fidelity="mismatch"), *(replace(turn, cached_tokens=None) for turn in rest))


def test_sessions_that_begin_with_the_same_prompt_have_one_opening(empty: Repository) -> None:
    record, other = record_of("02"), record_of("03")
    first, *rest = record.turns
    shorter = replace(record, session_id="cut", turns=(first,), full_ids=record.full_ids[:1])
    unknown = replace(record, session_id="unknown", full_ids=(None,) * len(record.turns))
    wrong = replace(record, session_id="wrong", turns=(replace(first, fidelity="mismatch"), *rest))
    empty.save(Import("a.jsonl", "a", 1, "as given", [record, shorter, other, unknown, wrong]))
    found = empty.sets.openings().set_index("session_key").opening.to_dict()
    assert found.keys() == {1, 2, 3} and found[1] == found[2] != found[3]


def test_the_reply_is_no_part_of_an_opening(empty: Repository) -> None:
    record = record_of("02")
    longer = record.full_ids[0]
    assert longer is not None
    another = replace(record, full_ids=(longer[: record.turns[0].prompt_tokens], *record.full_ids[1:]))
    empty.save(Import("a.jsonl", "a", 1, "as given", [record, replace(another, session_id="other reply")]))
    assert empty.sets.openings().opening.nunique() == 1 and len(longer) > (record.turns[0].prompt_tokens or 0)
