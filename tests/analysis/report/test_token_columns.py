"""Tokens around a divergence: by position, with what differs, and the spans as texts."""

from collections.abc import Iterable, Mapping
from dataclasses import replace

from analysis.report.quotes import Quote
from analysis.report.token_columns import BEFORE, BEHIND, Sides, texts_only
from tests.builders import tokens
from tests.sample_store import record_of

OLD = tokens(range(40), 100, 101, range(50, 90))
NEW = tokens(range(40), 200, range(50, 90))


def letters(_model: str, ids: Iterable[int]) -> Mapping[int, bytes]:
    return {one: b"<%d>" % one for one in ids if one < 300}


def sides() -> Sides:
    then, now = record_of("03").turns[:2]
    return Sides(replace(then, prompt_tokens=60), replace(now, prompt_tokens=len(NEW)), OLD, NEW, 40)


def test_columns_stand_around_the_divergence() -> None:
    old, new = sides().columns(letters)
    assert (old.turn, new.turn) == (1, 2)
    assert [box.position for box in new.boxes] == [*range(40 - BEFORE, min(len(NEW), 40 + BEHIND))]
    assert [box.position for box in old.boxes if box.differs] == [40, 41]
    assert [box.position for box in new.boxes if box.differs] == [40]
    assert {box.generated for box in old.boxes if box.position >= 60} == {True} and not any(
        b.generated for b in new.boxes
    )
    assert (new.boxes[BEFORE].text, new.boxes[BEFORE].token_id) == (
        Quote("<200>", "token", "token"),
        Quote("200", "token", "token"),
    )


def test_spans_are_what_differs() -> None:
    found = record_of("03").turns[1].divergence
    assert found is not None
    old, new = sides().spans(found, letters)
    assert old == Quote("<100><101>", "messages[0].content", num_tokens=2, cut=True)
    assert new == Quote("<200>", "messages[0].content", num_tokens=1, cut=True)


def test_tokens_without_a_text_are_their_ids_and_nothing_is_none() -> None:
    then, now = record_of("03").turns[:2]
    found = now.divergence
    assert found is not None
    grown = Sides(
        replace(then, prompt_tokens=4), replace(now, prompt_tokens=6), tokens(1, 2, 3, 4), tokens(1, 2, 9, 9, 3, 4), 2
    )
    old, new = grown.spans(found, lambda _model, _ids: {})
    assert old is None and new is not None and new.text == "#9 #9"


def test_where_tokens_are_not_at_hand_the_texts_of_the_record_stand() -> None:
    found = record_of("03").turns[1].divergence
    assert found is not None
    old, new = texts_only(found)
    assert old is not None and new is not None and old.text == found.old and new.path == "messages[0].content"
    assert texts_only(replace(found, old=None, new=None)) == (None, None)
