"""Exact tokenising of growing prompts: the text between added tokens is encoded once and remembered.

A tokenizer cuts a text at its added tokens before anything else, so the pieces are independent of each other.  That
holds for added tokens that are not normalised and strip nothing, and for pre-tokenizers that do not ask where a piece
stands; where a tokenizer is different, whole texts are encoded.
"""

import json
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np
from tokenizers import Tokenizer

from analysis.model.session import TokenIds

REMEMBERED_CHARACTERS = 64 << 20
NOTHING: TokenIds = np.empty(0, np.int32)
PROBE = "one two\nthree  four"


@dataclass(slots=True)
class _Memory:
    """Arrays by piece of text, those that ``make`` made lately; ``always`` are never forgotten.

    Several threads may ask: a dictionary is only ever added to, and replaced when it is full.
    """

    make: Callable[[list[str]], Iterable[TokenIds]]
    always: dict[str, TokenIds] = field(default_factory=dict)
    _recent: dict[str, TokenIds] = field(default_factory=dict)
    _older: dict[str, TokenIds] = field(default_factory=dict)
    _characters: int = 0  # of the recent ones

    def of(self, pieces: Sequence[str]) -> list[TokenIds]:
        """An array per piece."""
        recent = self._recent
        if unknown := [piece for piece in pieces if piece not in recent]:
            self._learn(recent, unknown)
        found = [recent[piece] for piece in pieces]
        if 2 * self._characters > REMEMBERED_CHARACTERS:
            self._older, self._recent, self._characters = recent, {}, 0
        return found

    def _learn(self, recent: dict[str, TokenIds], unknown: Iterable[str]) -> None:
        new = []
        for piece in dict.fromkeys(unknown):
            known = self.always.get(piece, self._older.get(piece))
            if known is None:
                new.append(piece)
            else:
                recent[piece] = known
            self._characters += len(piece)
        recent.update(zip(new, self.make(new) if new else (), strict=True))


class SegmentTokenizer:
    """Encodes texts as the tokenizer would without adding special tokens."""

    def __init__(self, tokenizer: Tokenizer) -> None:
        self._tokenizer = tokenizer
        added = tokenizer.get_added_tokens_decoder()
        self._ids = {token.content: token_id for token_id, token in added.items() if not token.normalized}
        longest_first = sorted(self._ids, key=len, reverse=True)
        self._cut = re.compile("(" + "|".join(map(re.escape, longest_first)) + ")") if longest_first else None
        self._pieces = _Memory(self._encoded, {text: np.array([one], np.int32) for text, one in self._ids.items()})
        self._offsets = _Memory(self._begun, {text: np.zeros(1, np.int32) for text in self._ids})
        plain = not any(token.lstrip or token.rstrip or token.single_word for token in added.values())
        self.exact = plain and self._cut is not None and _position_free(tokenizer) and self._probe(longest_first[0])

    def encode(self, text: str) -> TokenIds:
        """Token ids of a text; shape ``(num_tokens,)``."""
        if not self.exact or self._cut is None:
            return np.array(self._tokenizer.encode(text, add_special_tokens=False).ids, np.int32)
        pieces = [piece for piece in self._cut.split(text) if piece]
        return np.concatenate(self._pieces.of(pieces)) if pieces else NOTHING

    def starts(self, text: str) -> TokenIds:
        """The first character of every token of a text; shape ``(num_tokens,)``."""
        if not self.exact or self._cut is None:
            return self._begun([text])[0]
        pieces = [piece for piece in self._cut.split(text) if piece]
        places = np.cumsum([0, *map(len, pieces)], dtype=np.int32).tolist()
        starts = [start + place for start, place in zip(self._offsets.of(pieces), places, strict=False)]
        return np.concatenate(starts) if starts else NOTHING

    def _encoded(self, texts: list[str]) -> list[TokenIds]:
        encodings = self._tokenizer.encode_batch_fast(texts, add_special_tokens=False)
        return [np.array(encoding.ids, np.int32) for encoding in encodings]

    def _begun(self, texts: list[str]) -> list[TokenIds]:
        """The first character of every token of each text."""
        encodings = self._tokenizer.encode_batch(texts, add_special_tokens=False)
        return [np.array([start for start, _stop in encoding.offsets], np.int32) for encoding in encodings]

    def _probe(self, marker: str) -> bool:
        """Encode a small text both ways: a tokenizer that sees across its added tokens is found out here."""
        text = f"{PROBE}{marker}{PROBE}{marker}\n{PROBE}"
        whole = self._tokenizer.encode(text, add_special_tokens=False).ids
        parts: list[int] = []
        for index, piece in enumerate(self._cut.split(text) if self._cut else []):
            if index % 2:
                parts.append(self._ids[piece])
            elif piece:
                parts.extend(self._tokenizer.encode(piece, add_special_tokens=False).ids)
        return parts == whole


def _position_free(tokenizer: Tokenizer) -> bool:
    """No part of the tokenizer treats the first piece of a text differently (Metaspace with scheme "first")."""
    part = tokenizer.pre_tokenizer
    state = json.loads(part.__getstate__()) if part is not None else {}
    steps = [state, *state.get("pretokenizers", [])]
    return not any(step.get("prepend_scheme") == "first" for step in steps)
