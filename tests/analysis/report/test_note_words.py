"""Annotations in words."""

import pytest

from analysis.model.annotation import Anchor, Annotation, Place, Placed, Version
from analysis.report.note_words import block_of, in_reading_order, remark, where


def placed(anchor: Anchor, place: Place, key: int = 1) -> Placed:
    return Placed(Annotation(key, 1, anchor, (Version(1, "ann", 0.0, "text"),)), place)


@pytest.mark.parametrize(
    ("anchor", "place", "words"),
    [
        (Anchor("session"), Place(None), "the whole session"),
        (Anchor("turn", "r7", 7), Place(8), "turn 8"),
        (Anchor("turn", "r7", 7), Place(None, moved=True), "turn 7, which is no longer in the log"),
        (Anchor("span", "r7", 7), Place(7, moved=True), "turn 7"),
        (Anchor("span", "r7", 7), Place(7, 1239, 1248), "turn 7, tokens 1,239–1,247 (block 77)"),
        (Anchor("span", "r7", 7), Place(7, 16, 17), "turn 7, token 16 (block 1)"),
        (Anchor("span", "r7", 7), Place(7, 15, 33), "turn 7, tokens 15–32 (blocks 0–2)"),
        (
            Anchor("divergence", "r7", 7, "messages[2].content", 12, 16),
            Place(7, 3, 5),
            "divergence of turn 7, tokens 3–4 (block 0), in message 3, character 12",
        ),
        (
            Anchor("divergence", "r7", 7, "template"),
            Place(7, 3, 5),
            "divergence of turn 7, tokens 3–4 (block 0), in text of the chat template",
        ),
    ],
)
def test_where_an_annotation_stands(anchor: Anchor, place: Place, words: str) -> None:
    assert where(placed(anchor, place), 16) == words


@pytest.mark.parametrize(
    ("place", "words", "block"),
    [
        (Place(7), "", None),
        (Place(7, 40, 50), "", 2),
        (Place(7, moved=True), "moved: what it is about is no longer there", None),
        (Place(7, 32, 40, partly=True), "a part of the text it is about is no longer there", 2),
    ],
)
def test_what_must_be_known_of_a_place(place: Place, words: str, block: int | None) -> None:
    assert (remark(place), block_of(place, 16)) == (words, block)


def test_the_order_they_are_read_in() -> None:
    turn = Anchor("turn", "r", 7)
    ordered = [
        placed(Anchor("session"), Place(None), 9),
        placed(turn, Place(2, 5, 6), 8),
        placed(turn, Place(2, 30, 31), 3),
        placed(turn, Place(7), 1),
        placed(turn, Place(None, moved=True), 2),
        placed(turn, Place(7, 0, 1), 6),
        placed(turn, Place(7, 0, 1), 7),
    ]
    assert in_reading_order(reversed(ordered)) == ordered


def test_a_field_can_be_left_out() -> None:
    one = placed(Anchor("divergence", "r7", 7, "messages[2].content", 12, 16), Place(7, 3, 5))
    assert where(one, 16, with_field=False) == "divergence of turn 7, tokens 3–4 (block 0)"
