"""Where each token begins in the text: from the server's offsets, or from the bytes of the tokens.

Pure.  Does not trust offsets that do not cover the text: a tokenizer that normalises counts in another text.
"""

from collections.abc import Sequence

import numpy as np

from analysis.model.session import TokenIds

SEARCHED_CHARACTERS = 64  # how far behind a token of unknown length the next one is looked for


def from_offsets(offsets: TokenIds, text: str) -> "TokenIds | None":
    """Return the first character of every token; None where the offsets do not cover the text without gaps."""
    starts, stops = offsets[:, 0], offsets[:, 1]
    if not len(offsets) or starts[0] != 0 or stops[-1] != len(text):
        return None
    in_order = bool((np.diff(starts) >= 0).all())
    without_gaps = bool((starts[1:] <= stops[:-1]).all() and (stops >= starts).all())
    return starts.copy() if in_order and without_gaps else None


def from_pieces(pieces: Sequence[bytes], text: str) -> TokenIds:
    """Return the first character of every token; a token that begins inside a character gets that character.

    Exact where the pieces add up to the text: ``[b"a", b"\\xc3", b"\\xa9"]`` in "aé" is ``[0, 1, 1]``.
    Elsewhere the pieces that can be found in the text hold the others in place.
    """
    encoded = text.encode("utf-8", "replace")
    if b"".join(pieces) != encoded:
        return _searched(pieces, text)
    first_bytes = (np.frombuffer(encoded, dtype=np.uint8) & 0xC0) != 0x80
    character_of_byte = np.append(np.cumsum(first_bytes) - 1, len(text))
    begins = np.cumsum([0, *(len(piece) for piece in pieces[:-1])])[: len(pieces)]
    return np.asarray(character_of_byte[begins], dtype=np.int32)


def _searched(pieces: Sequence[bytes], text: str) -> TokenIds:
    starts = np.zeros(len(pieces), dtype=np.int32)
    position = 0
    for index, piece in enumerate(pieces):
        written = piece.decode("utf-8", "replace")
        found = (
            -1 if "\ufffd" in written else text.find(written, position, position + SEARCHED_CHARACTERS + len(written))
        )
        if found >= 0:
            starts[index] = found
            position = found + len(written)
        else:
            starts[index] = min(position, max(len(text) - 1, 0))
    return starts
