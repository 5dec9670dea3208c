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


@dataclass(frozen=True, slots=True, eq=False)
class Decoded:
    """A prompt as bytes, made ready to be searched.

    Token ``i`` starts at byte ``starts[i]``, the last entry is the length of all of it.  ``sums[i]`` is the polynomial
    over the bytes before ``i``, and ``powers[i]`` what it is shifted by there; both modulo 2**64.
    """

    unit: Unit
    content: bytes
    starts: npt.NDArray[np.int64]
    sums: npt.NDArray[np.uint64]
    powers: npt.NDArray[np.uint64]
    key: bytes


def decoded(token_ids: TokenIds, texts: Mapping[int, bytes], key: bytes, unit: Unit = "byte") -> Decoded:
    """A prompt as the bytes of its text, or of its ids: four to a token."""
    if unit == "token id":
        content = token_ids.astype("<i4").tobytes()
        starts = 4 * np.arange(len(token_ids) + 1, dtype=np.int64)
    else:
        pieces = [texts.get(token_id, UNKNOWN_TEXT) for token_id in token_ids.tolist()]
        content = b"".join(pieces)
        starts = np.concatenate([[0], np.cumsum(np.fromiter(map(len, pieces), np.int64, len(pieces)))]).astype(np.int64)
    return Decoded(unit, content, starts, *_polynomial(content, key), key)


def unit_of(token_ids: TokenIds, texts: Mapping[int, bytes]) -> Unit:
    """How these tokens can be quoted: by their text only where all of them have some."""
    return "byte" if all(token_id in texts for token_id in token_ids.tolist()) else "token id"


def quoted(prompt: Decoded, start: int, stop: int) -> Quote | None:
    """Tokens ``[start, stop)`` of a prompt as a quote; None where they have no text at all."""
    first, end = int(prompt.starts[start]), int(prompt.starts[stop])
    return _quote(prompt, first, end) if end > first else None


def core_of(prompt: Decoded, start: int, stop: int) -> Quote | None:
    """The longest piece of tokens ``[start, stop)`` that is no template markup; None where that is all or little."""
    if prompt.unit == "token id":
        return None
    first, end = int(prompt.starts[start]), int(prompt.starts[stop])
    piece = max(_unmarked(prompt.content, first, end), key=lambda it: it[1] - it[0])
    if piece == (first, end) or piece[1] - piece[0] < SHORTEST_CORE:
        return None
    return _quote(prompt, *piece)


def found(quote: Quote, prompt: Decoded) -> tuple[int, int] | None:
    """The tokens ``[start, stop)`` of a prompt of the quote's unit that hold the quote; None where it is gone."""
    at = _nearest(quote, prompt)
    return None if at is None else _tokens(prompt, at, at + quote.length)


def _tokens(prompt: Decoded, start: int, stop: int) -> tuple[int, int]:
    """The tokens that bytes ``[start, stop)`` stand in, whole ones."""
    first = int(np.searchsorted(prompt.starts, start, "right")) - 1
    return first, int(np.searchsorted(prompt.starts, stop, "left"))


def _quote(prompt: Decoded, start: int, stop: int) -> Quote:
    piece, key = prompt.content[start:stop], prompt.key
    places = _occurrences(prompt, checksum(piece, key), len(piece), _digest(piece, key))
    before, after = _surroundings(prompt.content, start, stop)
    return Quote(
        unit=prompt.unit,
        start=start,
        length=stop - start,
        ordinal=places.index(start),
        occurrences=len(places),
        checksum=checksum(piece, key),
        digest=_digest(piece, key),
        before=_digest(before, key),
        after=_digest(after, key),
    )


def _nearest(quote: Quote, prompt: Decoded) -> int | None:
    """The occurrence that is meant: in its surroundings, then of its number where none came or went, then nearest."""
    places = _occurrences(prompt, quote.checksum, quote.length, quote.digest)
    if len(places) < 2:
        return places[0] if places else None
    scores = [_likeness(quote, prompt, place) for place in places]
    most = max(scores)
    alike = [place for place, score in zip(places, scores, strict=True) if score == most]
    if len(places) == quote.occurrences and places[quote.ordinal] in alike:
        return places[quote.ordinal]
    return min(alike, key=lambda place: abs(place - quote.start))


def _likeness(quote: Quote, prompt: Decoded, place: int) -> int:
    before, after = _surroundings(prompt.content, place, place + quote.length)
    return (_digest(before, prompt.key) == quote.before) + (_digest(after, prompt.key) == quote.after)


def _surroundings(content: bytes, start: int, stop: int) -> tuple[bytes, bytes]:
    return content[max(0, start - CONTEXT_BYTES) : start], content[stop : stop + CONTEXT_BYTES]


def _occurrences(prompt: Decoded, wanted: int, length: int, digest: str) -> list[int]:
    """Where a text of this checksum, length and digest stands in the bytes, in order."""
    places: list[int] = []
    piece: bytes | None = None
    step = 4 if prompt.unit == "token id" else 1
    for place in _candidates(prompt, wanted, length):
        if place % step:
            continue
        seen = prompt.content[place : place + length]
        if seen == piece or (piece is None and _digest(seen, prompt.key) == digest):
            piece = seen
            places.append(place)
    return places


def _candidates(prompt: Decoded, wanted: int, length: int) -> list[int]:
    """Every window of ``length`` bytes whose checksum is the wanted one, all of them compared at once."""
    windows = len(prompt.content) - length + 1
    if windows < 1 or length < 1:
        return []
    seen = prompt.sums[length:] - prompt.sums[:windows]
    return np.flatnonzero(seen == np.uint64(wanted) * prompt.powers[:windows]).tolist()


def checksum(piece: bytes, key: bytes) -> int:
    """A keyed 64-bit number of a text; equal texts have equal ones, and hardly ever others."""
    sums, _powers = _polynomial(piece, key)
    return int(sums[-1])


def _polynomial(content: bytes, key: bytes) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.uint64]]:
    """Sums of bytes times powers of a keyed base, up to every byte, and those powers; all of it modulo 2**64."""
    seed = hashlib.blake2b(b"checksum", key=key, digest_size=8).digest()
    base = np.uint64(int.from_bytes(seed, "little") | 1)  # an even one would shift its powers to zero
    powers = np.full(len(content) + 1, base, np.uint64)
    powers[0] = 1
    powers = powers.cumprod(dtype=np.uint64)
    terms = (np.frombuffer(content, np.uint8).astype(np.uint64) + np.uint64(1)) * powers[1:]
    return np.concatenate([np.zeros(1, np.uint64), np.cumsum(terms, dtype=np.uint64)]), powers


def _digest(piece: bytes, key: bytes) -> str:
    return hashlib.blake2b(piece, key=key, digest_size=32).hexdigest()


def _unmarked(content: bytes, start: int, stop: int) -> Iterator[tuple[int, int]]:
    """The stretches of bytes ``[start, stop)`` between markup."""
    at = start
    for mark in MARKUP.finditer(content, start, stop):
        yield at, mark.start()
        at = mark.end()
    yield at, stop
