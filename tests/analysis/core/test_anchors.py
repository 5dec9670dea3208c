"""Quotes of a prompt: found again under another tokenizer or template, and not found where the text is gone."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analysis.core.anchors import Decoded, checksum, core_of, decoded, found, quoted, unit_of
from analysis.model.annotation import Quote
from analysis.model.session import TokenIds

KEY = bytes(range(32))


class Pieces:
    """A tokenizer that cuts a text at given places; a token's id stands for its piece."""

    def __init__(self, text: bytes, cuts: list[int]) -> None:
        edges = sorted({0, len(text), *(cut % (len(text) + 1) for cut in cuts)})
        pieces = [text[start:stop] for start, stop in pairwise(edges)]
        names = {piece: number for number, piece in enumerate(dict.fromkeys(pieces))}
        self.starts = edges
        self.ids: TokenIds = np.array([names[piece] for piece in pieces], np.int32)
        self.texts = {number: piece for piece, number in names.items()}

    def decoded(self, key: bytes = KEY) -> Decoded:
        return decoded(self.ids, self.texts, key)

    def text(self, start: int, stop: int) -> bytes:
        return b"".join(self.texts[one] for one in self.ids[start:stop].tolist())


def every_byte(text: bytes) -> Pieces:
    return Pieces(text, list(range(len(text))))


def quote_of(prompt: Pieces, start: int, stop: int) -> Quote:
    made = quoted(prompt.decoded(), start, stop)
    assert made is not None
    return made


def quote_text(text: bytes, piece: bytes, number: int = 0) -> Quote:
    """The ``number``-th occurrence of a piece in a text, quoted byte by byte."""
    at = -1
    for _ in range(number + 1):
        at = text.index(piece, at + 1)
    return quote_of(every_byte(text), at, at + len(piece))


def place_in(text: bytes, quote: Quote) -> int | None:
    prompt = every_byte(text)
    span = found(quote, prompt.decoded())
    return None if span is None else span[0]


TEXTS = st.text(min_size=1, max_size=80).map(str.encode)
FEW_LETTERS = st.text("ab", min_size=1, max_size=60).map(str.encode)  # everything occurs many times
CUTS = st.lists(st.integers(0, 400), max_size=30)


@given(st.one_of(TEXTS, FEW_LETTERS), CUTS, CUTS, st.data())
@settings(deadline=None)
def test_a_span_is_found_in_the_same_text_cut_into_other_tokens(
    text: bytes, cuts: list[int], others: list[int], data: st.DataObject
) -> None:
    then, now = Pieces(text, cuts), Pieces(text, others)
    start = data.draw(st.integers(0, len(then.ids) - 1))
    stop = data.draw(st.integers(start + 1, len(then.ids)))
    span = found(quote_of(then, start, stop), now.decoded())
    assert span is not None
    first, end = then.starts[start], then.starts[stop]
    assert now.starts[span[0]] <= first < now.starts[span[0] + 1], "the first token holds the first byte"
    assert now.starts[span[1] - 1] < end <= now.starts[span[1]], "the last token holds the last byte"


@given(FEW_LETTERS, st.data())
@settings(deadline=None)
def test_text_that_is_gone_is_not_found(text: bytes, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text) - 1))
    stop = data.draw(st.integers(start + 1, len(text)))
    piece = text[start:stop]
    other = data.draw(FEW_LETTERS.filter(lambda it: piece not in it))
    assert place_in(other, quote_of(every_byte(text), start, stop)) is None


@given(TEXTS, st.lists(st.binary(max_size=40), min_size=2, max_size=2))
def test_what_is_put_around_a_text_moves_it(text: bytes, around: list[bytes]) -> None:
    quote = quote_of(every_byte(text), 0, len(text))
    at = place_in(around[0] + text + around[1], quote)
    assert at is not None and (around[0] + text + around[1])[at : at + len(text)] == text


@pytest.mark.parametrize(
    ("then", "piece", "number", "now", "at"),
    [
        pytest.param(b"one cat, two cat", b"cat", 1, b"one cat, two cat", 13, id="the same text"),
        pytest.param(b"one cat, two cat", b"cat", 1, b"a cat: one cat, two cat", 20, id="one more in front"),
        pytest.param(b"one cat, two cat", b"cat", 0, b"two cat; one cat, two cat", 13, id="what stands around tells"),
        pytest.param(b"cat" * 30, b"cat", 20, b"cat" * 30, 60, id="its number, where all around is alike"),
        pytest.param(b"x" * 100, b"x", 50, b"x" * 99, 50, id="the nearest, where some went"),
        pytest.param(b"1 yes 2 no", b"yes", 0, b"0 no 1 no", None, id="gone"),
        pytest.param(b"yes", b"yes", 0, b"", None, id="an empty prompt"),
        pytest.param(b"long text", b"long text", 0, b"long", None, id="longer than the prompt"),
    ],
)
def test_the_occurrence_that_was_meant(then: bytes, piece: bytes, number: int, now: bytes, at: int | None) -> None:
    assert place_in(now, quote_text(then, piece, number)) == at


def test_a_quote_holds_no_text_and_depends_on_the_key() -> None:
    prompt = every_byte(b"the word is hunter2 and no other")
    made, other = (quoted(prompt.decoded(key), 12, 19) for key in (KEY, b"another key"))
    assert made is not None and other is not None
    assert "hunter2" not in repr(made)
    assert (made.start, made.length, made.ordinal, made.occurrences) == (12, 7, 0, 1)
    for name in ("checksum", "digest", "before", "after"):
        assert getattr(made, name) != getattr(other, name), name


def test_a_checksum_that_is_met_by_chance_is_no_find() -> None:
    """Thue and Morse: their sequence and its complement have one checksum modulo 2**64, whatever the base."""
    bits = [bin(number).count("1") % 2 for number in range(2**11)]
    piece, twin = (bytes(65 + (bit ^ flip) for bit in bits) for flip in (0, 1))
    assert checksum(piece, KEY) == checksum(twin, KEY)
    assert place_in(twin + piece, quote_text(piece, piece)) == len(twin)
    assert place_in(twin, quote_text(piece, piece)) is None


def by_ids(*ids: int) -> Decoded:
    return decoded(np.array(ids, np.int32), {}, KEY, "token id")


def test_tokens_without_a_text_are_found_by_their_ids() -> None:
    ids = (7, 8, 9, 8, 9, 300, 70000)
    assert unit_of(np.array(ids), {7: b"a"}) == "token id" and unit_of(np.array([7]), {7: b"a"}) == "byte"
    quote = quoted(by_ids(*ids), 3, 5)
    assert quote is not None and (quote.unit, quote.ordinal, quote.occurrences) == ("token id", 1, 2)
    assert found(quote, by_ids(1, 7, *ids)) == (5, 7)
    assert found(quote, by_ids(7, 8)) is None
    shifted = np.frombuffer(b"\0" + np.array(ids, "<i4").tobytes() + b"\0\0\0", "<i4").tolist()
    assert found(quote, by_ids(*shifted)) is None, "not in the middle of an id"


def test_a_token_without_a_text_elsewhere_does_not_matter() -> None:
    prompt = decoded(np.array([1, 2, 3], np.int32), {2: b"text"}, KEY)
    quote = quoted(prompt, 1, 2)
    assert quote is not None and found(quote, prompt) == (1, 2)


def test_tokens_of_no_bytes_cannot_be_quoted() -> None:
    prompt = decoded(np.array([1, 2], np.int32), {1: b"", 2: b"x"}, KEY)
    assert quoted(prompt, 0, 1) is None
    quote = quoted(prompt, 0, 2)
    assert quote is not None and found(quote, prompt) == (1, 2)


def test_the_bytes_of_a_prompt() -> None:
    made = decoded(np.array([5, 6, 5], np.int32), {5: b"ab"}, KEY)
    assert made.content == b"ab\xffab" and made.starts.tolist() == [0, 2, 3, 5]


CHATML = b"<|im_start|>user\nPlease read the file.<|im_end|>\n<|im_start|>assistant\n"
LLAMA = b"<|start_header_id|>user<|end_header_id|>\n\nPlease read the file.<|eot_id|>"


def test_the_core_of_a_quote_survives_another_template() -> None:
    then, now = every_byte(CHATML), every_byte(LLAMA)
    whole = quote_of(then, 0, len(CHATML))
    core = core_of(then.decoded(), 0, len(CHATML))
    assert core is not None
    assert found(whole, now.decoded()) is None
    span = found(core, now.decoded())
    assert span is not None and now.text(*span) == b"Please read the file."


@pytest.mark.parametrize(
    "text", [b"no markup at all in this", b"<a>short</a>", b"<|im_end|>", b"\n\n", b"[INST] hi [/INST]"]
)
def test_no_core_where_it_says_no_more(text: bytes) -> None:
    prompt = every_byte(text)
    assert core_of(prompt.decoded(), 0, len(text)) is None


def test_tokens_without_text_have_no_core() -> None:
    assert core_of(by_ids(1, 2), 0, 2) is None


@pytest.mark.parametrize("piece", [b"needle in it", b" "], ids=["rare", "everywhere"])
def test_a_long_prompt_is_searched(piece: bytes) -> None:
    words = np.random.default_rng(1).integers(97, 123, 400_000, np.uint8)
    words[::7] = 32
    text = words.tobytes()
    text = text[:300_000] + b"needle in it" + text[300_000:]
    prompt = Pieces(text, list(range(0, len(text), 4)))
    at = text.index(piece, 300_000)
    quote = Quote("byte", at, len(piece), 0, 1, checksum(piece, KEY), _digest(piece), "", "")
    span = found(quote, prompt.decoded())
    assert span is not None and piece.strip() in prompt.text(*span)


def _digest(piece: bytes) -> str:
    return quote_text(piece, piece).digest
