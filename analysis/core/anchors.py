"""Quotes of a prompt that are found again in another analysis of it, without the quoted text being kept.

A quote is kept as keyed digests.  It is looked for in the decoded bytes of a prompt, so another tokenizer or template
moves it and does not lose it; where tokens have no known text, in their ids.  Does not know fields or turns.
"""

import hashlib
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from analysis.model.annotation import Quote, Unit
from analysis.model.session import TokenIds

CONTEXT_BYTES = 32  # on either side: enough to tell occurrences apart, little enough to survive a change nearby
SHORTEST_CORE = 12  # bytes: less of a text would be found anywhere
UNKNOWN_TEXT = b"\xff"  # stands for a token without text; no byte of UTF-8
# What chat templates put around texts: special tokens, tags, and the lines they begin.
MARKUP = re.compile(rb"<[^<>\n]{1,40}>|\[/?[A-Z_]{2,24}\]|\n+")

Bytes = npt.NDArray[np.uint8]


@dataclass(frozen=True, slots=True, eq=False)
class Decoded:
    """A prompt as bytes; token ``i`` starts at byte ``starts[i]``, the last entry is the length of all of it."""

    content: bytes
    starts: npt.NDArray[np.int64]


def decoded(token_ids: TokenIds, texts: Mapping[int, bytes], unit: Unit = "byte") -> Decoded:
    """A prompt as the bytes of its text, or of its ids: four to a token."""
    if unit == "token id":
        return Decoded(token_ids.astype("<i4").tobytes(), 4 * np.arange(len(token_ids) + 1, dtype=np.int64))
    pieces = [texts.get(token_id, UNKNOWN_TEXT) for token_id in token_ids.tolist()]
    lengths = np.fromiter(map(len, pieces), np.int64, len(pieces))
    return Decoded(b"".join(pieces), np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64))


def unit_of(token_ids: TokenIds, texts: Mapping[int, bytes]) -> Unit:
    """How these tokens can be quoted: by their text only where all of them have some."""
    return "byte" if all(token_id in texts for token_id in token_ids.tolist()) else "token id"


def quoted(token_ids: TokenIds, texts: Mapping[int, bytes], start: int, stop: int, key: bytes) -> Quote | None:
    """Tokens ``[start, stop)`` of a prompt as a quote; None where they have no text at all."""
    unit = unit_of(token_ids[start:stop], texts)
    prompt = decoded(token_ids, texts, unit)
    first, end = int(prompt.starts[start]), int(prompt.starts[stop])
    return _quote(prompt.content, first, end, unit, key) if end > first else None


def core_of(token_ids: TokenIds, texts: Mapping[int, bytes], start: int, stop: int, key: bytes) -> Quote | None:
    """The longest piece of tokens ``[start, stop)`` that is no template markup; None where that is all or little."""
    if unit_of(token_ids[start:stop], texts) == "token id":
        return None
    prompt = decoded(token_ids, texts)
    first, end = int(prompt.starts[start]), int(prompt.starts[stop])
    piece = max(_unmarked(prompt.content, first, end), key=lambda it: it[1] - it[0])
    if piece == (first, end) or piece[1] - piece[0] < SHORTEST_CORE:
        return None
    return _quote(prompt.content, *piece, "byte", key)


def found(quote: Quote, token_ids: TokenIds, texts: Mapping[int, bytes], key: bytes) -> tuple[int, int] | None:
    """The tokens ``[start, stop)`` of this prompt that hold the quote; None where it is gone."""
    prompt = decoded(token_ids, texts, quote.unit)
    at = _nearest(quote, prompt.content, key)
    return None if at is None else _tokens(prompt, at, at + quote.length)


def _tokens(prompt: Decoded, start: int, stop: int) -> tuple[int, int]:
    """The tokens that bytes ``[start, stop)`` stand in, whole ones."""
    first = int(np.searchsorted(prompt.starts, start, "right")) - 1
    return first, int(np.searchsorted(prompt.starts, stop, "left"))


def _quote(content: bytes, start: int, stop: int, unit: Unit, key: bytes) -> Quote:
    piece = content[start:stop]
    places = _occurrences(content, checksum(piece, key), len(piece), _digest(piece, key), unit, key)
    before, after = _surroundings(content, start, stop)
    return Quote(
        unit=unit,
        start=start,
        length=stop - start,
        ordinal=places.index(start),
        occurrences=len(places),
        checksum=checksum(piece, key),
        digest=_digest(piece, key),
        before=_digest(before, key),
        after=_digest(after, key),
    )


def _nearest(quote: Quote, content: bytes, key: bytes) -> int | None:
    """The occurrence that is meant: in its surroundings, then of its number where none came or went, then nearest."""
    places = _occurrences(content, quote.checksum, quote.length, quote.digest, quote.unit, key)
    if len(places) < 2:
        return places[0] if places else None
    scores = [_likeness(quote, content, place, key) for place in places]
    most = max(scores)
    alike = [place for place, score in zip(places, scores, strict=True) if score == most]
    if len(places) == quote.occurrences and places[quote.ordinal] in alike:
        return places[quote.ordinal]
    return min(alike, key=lambda place: abs(place - quote.start))


def _likeness(quote: Quote, content: bytes, place: int, key: bytes) -> int:
    before, after = _surroundings(content, place, place + quote.length)
    return (_digest(before, key) == quote.before) + (_digest(after, key) == quote.after)


def _surroundings(content: bytes, start: int, stop: int) -> tuple[bytes, bytes]:
    return content[max(0, start - CONTEXT_BYTES) : start], content[stop : stop + CONTEXT_BYTES]


def _occurrences(content: bytes, wanted: int, length: int, digest: str, unit: Unit, key: bytes) -> list[int]:
    """Where a text of this checksum, length and digest stands in the bytes, in order."""
    places: list[int] = []
    piece: bytes | None = None
    step = 4 if unit == "token id" else 1
    for place in _candidates(content, wanted, length, key):
        if place % step:
            continue
        seen = content[place : place + length]
        if seen == piece or (piece is None and _digest(seen, key) == digest):
            piece = seen
            places.append(place)
    return places


def _candidates(content: bytes, wanted: int, length: int, key: bytes) -> list[int]:
    """Every window of ``length`` bytes whose checksum is the wanted one, by a polynomial over all of them at once."""
    windows = len(content) - length + 1
    if windows < 1 or length < 1:
        return []
    terms, powers = _terms(content, key)
    sums = np.concatenate([np.zeros(1, np.uint64), np.cumsum(terms, dtype=np.uint64)])
    shifts = np.concatenate([np.ones(1, np.uint64), powers])[:windows]
    return np.flatnonzero(sums[length:] - sums[:windows] == np.uint64(wanted) * shifts).tolist()


def checksum(piece: bytes, key: bytes) -> int:
    """A keyed 64-bit number of a text; equal texts have equal ones, and hardly ever others."""
    terms, _powers = _terms(piece, key)
    return int(terms.sum(dtype=np.uint64))


def _terms(content: bytes, key: bytes) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.uint64]]:
    """Every byte times its power of the base, and those powers; all of it modulo 2**64."""
    seed = hashlib.blake2b(b"checksum", key=key, digest_size=8).digest()
    base = np.uint64(int.from_bytes(seed, "little") | 1)  # an even one would shift its powers to zero
    values: Bytes = np.frombuffer(content, np.uint8)
    powers = np.full(len(values), base, np.uint64).cumprod(dtype=np.uint64)
    return (values.astype(np.uint64) + np.uint64(1)) * powers, powers


def _digest(piece: bytes, key: bytes) -> str:
    return hashlib.blake2b(piece, key=key, digest_size=32).hexdigest()


def _unmarked(content: bytes, start: int, stop: int) -> Iterator[tuple[int, int]]:
    """The stretches of bytes ``[start, stop)`` between markup."""
    at = start
    for mark in MARKUP.finditer(content, start, stop):
        yield at, mark.start()
        at = mark.end()
    yield at, stop
