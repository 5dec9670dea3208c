"""Exact tokenising of growing prompts: the text between added tokens is encoded once and remembered.

A tokenizer cuts a text at its added tokens before anything else, so the pieces are independent of each other.  That
holds for added tokens that are not normalised and strip nothing, and for pre-tokenizers that do not ask where a piece
stands; where a tokenizer is different, whole texts are encoded.
"""

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np
from tokenizers import Tokenizer

from analysis.model.session import TokenIds

REMEMBERED_CHARACTERS = 64 << 20
NOTHING: TokenIds = np.empty(0, np.int32)
PROBE = "one two\nthree  four"


@dataclass(frozen=True, slots=True)
class _Encoded:
    """The last text with its pieces: piece ``i`` starts at character ``chars[i]`` and at token ``tokens[i]``."""

    text: str = ""
    chars: tuple[int, ...] = ()
    tokens: tuple[int, ...] = ()
    token_ids: TokenIds = field(default_factory=lambda: NOTHING)


class SegmentTokenizer:
    """Encodes texts as the tokenizer would without adding special tokens."""

    def __init__(self, tokenizer: Tokenizer) -> None:
        self._tokenizer = tokenizer
        added = tokenizer.get_added_tokens_decoder()
        self._ids = {token.content: token_id for token_id, token in added.items() if not token.normalized}
        self._longest = max(map(len, self._ids), default=0)
        longest_first = sorted(self._ids, key=len, reverse=True)
        self._cut = re.compile("(" + "|".join(map(re.escape, longest_first)) + ")") if longest_first else None
        self._pieces: dict[str, TokenIds] = {}
        self._remembered = 0
        self._last = _Encoded()
        plain = not any(token.lstrip or token.rstrip or token.single_word for token in added.values())
        self.exact = plain and self._cut is not None and _position_free(tokenizer) and self._probe(longest_first[0])

    def encode(self, text: str) -> TokenIds:
        """Token ids of a text; shape ``(num_tokens,)``."""
        if not self.exact:
            return np.array(self._tokenizer.encode(text, add_special_tokens=False).ids, np.int32)
        last = self._last  # read once: other threads may encode with the same tokenizer
        kept = self._kept_pieces(last, text)
        start = last.chars[kept] if kept else 0
        pieces = self._cut.split(text[start:]) if self._cut else [text]
        self._learn(piece for piece in pieces[::2] if piece)
        arrays = [last.token_ids[: last.tokens[kept]]] if kept else []
        chars, tokens = list(last.chars[:kept]), list(last.tokens[:kept])
        at_char, at_token = start, len(arrays[0]) if arrays else 0
        for index, piece in enumerate(pieces):
            ids = self._piece_ids(piece, added=index % 2 == 1)
            chars.append(at_char)
            tokens.append(at_token)
            arrays.append(ids)
            at_char += len(piece)
            at_token += len(ids)
        token_ids = np.concatenate(arrays)
        self._last = _Encoded(text, tuple(chars), tuple(tokens), token_ids)
        return token_ids

    def starts(self, text: str) -> TokenIds:
        """The first character of every token of a text; shape ``(num_tokens,)``."""
        if not self.exact or self._cut is None:
            encoding = self._tokenizer.encode(text, add_special_tokens=False)
            return np.array([start for start, _stop in encoding.offsets], np.int32)
        starts: list[int] = []
        at = 0
        for index, piece in enumerate(self._cut.split(text)):
            if index % 2:
                starts.append(at)
            elif piece:
                offsets = self._tokenizer.encode(piece, add_special_tokens=False).offsets
                starts.extend(at + start for start, _stop in offsets)
            at += len(piece)
        return np.array(starts, np.int32)

    def _kept_pieces(self, last: _Encoded, text: str) -> int:
        """How many pieces of the last text begin this one too, none of them cut by what follows."""
        safe = _common_prefix(last.text, text) - self._longest
        kept = len(last.chars) - 1
        while kept > 0 and last.chars[kept] > safe:
            kept -= 1
        return max(0, kept - kept % 2)  # resume at a piece of text, not at an added token

    def _learn(self, texts: Iterable[str]) -> None:
        unknown = list(dict.fromkeys(text for text in texts if text not in self._pieces))
        if not unknown:
            return
        self._remembered += sum(map(len, unknown))
        if self._remembered > REMEMBERED_CHARACTERS:
            self._pieces.clear()
            self._remembered = sum(map(len, unknown))
        encodings = self._tokenizer.encode_batch_fast(unknown, add_special_tokens=False)
        for text, encoding in zip(unknown, encodings, strict=True):
            self._pieces[text] = np.array(encoding.ids, np.int32)

    def _piece_ids(self, piece: str, added: bool) -> TokenIds:
        if not piece:
            return NOTHING
        if added:
            return np.array([self._ids[piece]], np.int32)
        known = self._pieces.get(piece)
        if known is None:  # forgotten between learning and use: the text is larger than the memory
            known = np.array(self._tokenizer.encode(piece, add_special_tokens=False).ids, np.int32)
        return known

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


def _common_prefix(left: str, right: str) -> int:
    """Leading characters in common, by halving: comparing slices is far cheaper than comparing characters."""
    low, high = 0, min(len(left), len(right))
    while low < high:
        middle = (low + high + 1) // 2
        if left[low:middle] == right[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def _position_free(tokenizer: Tokenizer) -> bool:
    """No part of the tokenizer treats the first piece of a text differently (Metaspace with scheme "first")."""
    part = tokenizer.pre_tokenizer
    state = json.loads(part.__getstate__()) if part is not None else {}
    steps = [state, *state.get("pretokenizers", [])]
    return not any(step.get("prepend_scheme") == "first" for step in steps)
