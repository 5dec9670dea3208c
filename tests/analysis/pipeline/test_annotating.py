"""Annotations stay at their text through analyses with other tokenizers, templates and logs."""

from collections.abc import Iterable, Mapping
from dataclasses import replace

import numpy as np
import pytest

from analysis.model.annotation import Anchor, Annotation, Place, Version
from analysis.model.finding import Divergence
from analysis.model.prompt import Segment
from analysis.model.record import SessionRecord, TurnRecord
from analysis.model.session import TokenIds
from analysis.pipeline.annotating import (
    WHOLE_SESSION,
    TextsOf,
    anchor_of_span,
    anchor_of_turn,
    divergence_span,
    places_of,
)
from tests.sample_store import record_of

KEY = b"k" * 32
TEXT = "<|im_start|>user\nRead the file now.<|im_end|>\n<|im_start|>assistant\nI have read the file.<|im_end|>\n"


def by_bytes(text: str) -> TokenIds:
    return np.frombuffer(text.encode(), np.uint8).astype(np.int32)


def by_pairs(text: str) -> TokenIds:
    """Another tokenizer: two bytes to a token."""
    content = text.encode() + b"\0" * (len(text.encode()) % 2)
    return np.frombuffer(content, "<u2").astype(np.int32) + 1000


def texts_of(model: str, token_ids: Iterable[int]) -> Mapping[int, bytes]:
    pair = {one: (one - 1000).to_bytes(2, "little") for one in token_ids if one >= 1000}
    return pair | {one: bytes([one]) for one in token_ids if one < 256}


def no_texts(model: str, token_ids: Iterable[int]) -> Mapping[int, bytes]:
    return {}


def turn(number: int, ids: TokenIds, **fields: object) -> TurnRecord:
    made = replace(record_of("01").turns[0], turn=number, request_id=f"r{number}", prompt_tokens=len(ids))
    return replace(made, divergence=None, **fields)


def session(*turns: TurnRecord) -> SessionRecord:
    return replace(record_of("01"), turns=turns)


def note(anchor: Anchor) -> Annotation:
    return Annotation(1, 1, anchor, (Version(1, "ann", 0.0, "text"),))


def span_anchor(piece: str, text: str = TEXT, number: int = 2) -> Anchor:
    start = text.index(piece)
    ids = by_bytes(text)
    return anchor_of_span(turn(number, ids), ids, texts_of, start, start + len(piece), KEY)


def place_of(
    annotation: Annotation, record: SessionRecord, ids: Mapping[int, TokenIds], texts: TextsOf, key: bytes
) -> Place:
    return places_of([annotation], record, ids, texts, key)[annotation.key]


def placed(anchor: Anchor, now: TokenIds, number: int = 2) -> Place:
    return place_of(note(anchor), session(turn(number, now)), {number: now}, texts_of, KEY)


def test_a_span_stands_where_it_was_made() -> None:
    anchor = span_anchor("the file now")
    start = TEXT.index("the file now")
    assert (anchor.request_id, anchor.turn, anchor.kind, anchor.path) == ("r2", 2, "span", None)
    assert (anchor.token_start, anchor.token_stop) == (start, start + 12)
    assert placed(anchor, by_bytes(TEXT)) == Place(2, start, start + 12)


def test_another_tokenizer_moves_a_span() -> None:
    start = TEXT.index("the file now")
    assert placed(span_anchor("the file now"), by_pairs(TEXT)) == Place(2, start // 2, -(-(start + 12) // 2))


def test_another_template_moves_a_span() -> None:
    other = "[INST]Read the file now.[/INST]I have read the file.</s>"
    start = other.index("the file now")
    assert placed(span_anchor("the file now"), by_bytes(other)) == Place(2, start, start + 12)


def test_of_a_span_over_markup_the_longest_piece_is_found_under_another_template() -> None:
    other = "[INST]Read the file now.[/INST]I have read the file.</s>"
    start = other.index("I have read the file.")
    assert placed(span_anchor(TEXT), by_bytes(other)) == Place(2, start, start + 21, partly=True)


def test_what_is_gone_is_marked_on_its_turn() -> None:
    assert placed(span_anchor("the file now"), by_bytes("Nothing of that.")) == Place(2, moved=True)


@pytest.mark.parametrize(
    ("anchor", "place"),
    [
        pytest.param(WHOLE_SESSION, Place(None), id="the session"),
        pytest.param(Anchor("turn", "r2", 2), Place(2), id="a turn"),
        pytest.param(Anchor("turn", "r9", 9), Place(None, moved=True), id="a turn that is gone"),
        pytest.param(span_anchor("file", number=9), Place(None, moved=True), id="a span of it"),
        pytest.param(Anchor("span", "r2", 2), Place(2, moved=True), id="nothing was quoted"),
        pytest.param(span_anchor("file", number=1), Place(1, moved=True), id="the tokens are unknown now"),
    ],
)
def test_places_without_a_text(anchor: Anchor, place: Place) -> None:
    ids = by_bytes(TEXT)
    record = session(turn(1, ids), turn(2, ids))
    assert place_of(note(anchor), record, {2: ids}, texts_of, KEY) == place


def test_a_turn_is_known_by_its_request_and_else_by_its_number() -> None:
    ids = by_bytes(TEXT)
    anchor = anchor_of_turn(turn(3, ids))
    moved = session(turn(1, ids), turn(2, ids), replace(turn(4, ids), request_id="r3"))
    assert place_of(note(anchor), moved, {}, texts_of, KEY) == Place(4)
    twins = session(*(replace(turn(number, ids), request_id="r3") for number in (1, 2, 5)))
    assert place_of(note(anchor), twins, {}, texts_of, KEY) == Place(2)


def test_the_field_is_told_where_a_span_begins_at_the_divergence() -> None:
    ids = by_bytes("abc früh")
    for segment, expected in (
        (Segment("messages[1].content", 4), ("messages[1].content", 4, 8)),
        (Segment("template", None), ("template", None, None)),
        (None, (None, None, None)),
    ):
        diverged = replace(turn(1, ids), divergence=Divergence(4, 0, segment))
        anchor = anchor_of_span(diverged, ids, texts_of, 4, len(ids), KEY, "divergence")
        assert (anchor.kind, anchor.path, anchor.char_start, anchor.char_stop) == ("divergence", *expected)
        assert anchor_of_span(diverged, ids, texts_of, 3, 5, KEY).path is None


def test_a_span_of_unknown_tokens_is_known_by_their_ids() -> None:
    ids = np.array([5, 6, 7, 8], np.int32)
    diverged = replace(turn(1, ids), divergence=Divergence(1, 0, Segment("messages[0].content", 0)))
    anchor = anchor_of_span(diverged, ids, no_texts, 1, 3, KEY)
    assert anchor.quote is not None and anchor.quote.unit == "token id"
    assert (anchor.char_start, anchor.char_stop) == (0, None)
    now = np.array([9, 9, *ids], np.int32)
    assert place_of(note(anchor), session(turn(1, now)), {1: now}, no_texts, KEY) == Place(1, 3, 5)


@pytest.mark.parametrize(("start", "stop"), [(-1, 2), (2, 2), (3, 2), (0, 9), (8, 9)])
def test_a_span_outside_the_prompt_is_refused(start: int, stop: int) -> None:
    ids = by_bytes("12345678 and a reply")
    with pytest.raises(ValueError, match="The prompt of turn 1 has the tokens 0 to 7"):
        anchor_of_span(replace(turn(1, ids), prompt_tokens=8), ids, texts_of, start, stop, KEY)


def test_a_reply_is_not_searched() -> None:
    ids = by_bytes("12345678 and a reply")
    record = session(replace(turn(2, ids), prompt_tokens=8))
    assert place_of(note(span_anchor("reply", "a reply")), record, {2: ids}, texts_of, KEY) == Place(2, moved=True)


@pytest.mark.parametrize(
    ("token", "prompt_tokens", "span"),
    [(35, 100, (35, 48)), (32, 100, (32, 48)), (47, 100, (47, 48)), (35, 40, (35, 40)), (None, 100, None)],
)
def test_what_is_quoted_of_a_divergence(token: int | None, prompt_tokens: int, span: tuple[int, int] | None) -> None:
    found = None if token is None else Divergence(token, token // 16)
    one = replace(turn(1, by_bytes("")), divergence=found, prompt_tokens=prompt_tokens)
    assert divergence_span(one, 16) == span


def test_a_prompt_is_decoded_once_for_all_its_annotations() -> None:
    ids = by_bytes(TEXT)
    asked: list[str] = []

    def counting(model: str, token_ids: Iterable[int]) -> Mapping[int, bytes]:
        asked.append(model)
        return texts_of(model, token_ids)

    anchors = [span_anchor("file"), span_anchor("read"), span_anchor("now")]
    every = [Annotation(key, 1, anchor, (Version(1, "ann", 0.0, "text"),)) for key, anchor in enumerate(anchors)]
    places = places_of(every, session(turn(2, ids)), {2: ids}, counting, KEY)
    assert [place.start for place in places.values()] == [TEXT.index(piece) for piece in ("file", "read", "now")]
    assert len(asked) == 1
