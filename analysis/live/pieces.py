"""What token ids stand for, in bytes, asked from a server with as few calls as possible.

The server decodes text only, so a token that is half a character comes back as U+FFFD; the tokenizer's own spelling
shows its bytes where it is a byte-level one.  Where it is not, U+FFFD is all that is known.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from analysis.live.errors import EndpointError
from analysis.live.vllm import VllmServer

IDS_PER_CALL = 2_000
REVEAL_ATTEMPTS = 3  # per id: each costs two calls, and some ids only ever stand beside others like them
UNKNOWN = "\ufffd"
_MARKER = re.compile(r"<[^<>\s]{1,60}>")  # <|im_start|>, <s>, <bos>
_BYTE_TOKEN = re.compile(r"<0x([0-9A-Fa-f]{2})>")  # how byte fallback spells a byte


class TokenPieces:
    """The bytes of one server's token ids; every id is asked for once."""

    def __init__(self, server: VllmServer) -> None:
        """Start knowing nothing."""
        self._server = server
        self._texts: dict[int, str] = {}
        self._spelled: dict[int, bytes] = {}
        self._attempts: Counter[int] = Counter()
        self._suggested: tuple[int, ...] = ()
        self._marker: tuple[int, str] | None = None

    def suggest_marker(self, token_id: int) -> None:
        """Name an id that may be a special token: the first one of a prompt most often is."""
        if self._marker is None and token_id not in self._texts:
            self._suggested = (token_id,)

    def bytes_of(self, token_ids: Sequence[int], model: str = "", text: str | None = None) -> list[bytes]:
        """Return the bytes of each id.  ``text`` is what they all decode to, where the caller knows it already."""
        ids = [int(token_id) for token_id in token_ids]
        self._learn(sorted(set(ids) - self._texts.keys()), model)
        broken = {token_id for token_id in ids if self._is_broken(token_id)}
        if any(self._attempts[token_id] < REVEAL_ATTEMPTS for token_id in broken):
            self._attempts.update(broken)
            self._reveal(ids, model, text)
        return [self._spelled.get(token_id) or self._texts[token_id].encode("utf-8", "replace") for token_id in ids]

    def _is_broken(self, token_id: int) -> bool:
        return UNKNOWN in self._texts.get(token_id, UNKNOWN) and token_id not in self._spelled

    def _learn(self, unknown: list[int], model: str) -> None:
        if len(unknown) > 1:
            self._find_marker(unknown, model)
            unknown = [token_id for token_id in unknown if token_id not in self._texts]
        for begin in range(0, len(unknown), IDS_PER_CALL):
            batch = unknown[begin : begin + IDS_PER_CALL]
            texts = self._apart(batch, model) or [self._server.detokenize([token_id], model) for token_id in batch]
            self._texts.update(zip(batch, texts, strict=True))

    def _find_marker(self, unknown: list[int], model: str) -> None:
        """Look for a special token: its text cannot be part of another piece, so it can stand between pieces."""
        for token_id in (*self._suggested, unknown[-1], unknown[0]):  # special ids are the highest or the lowest
            if self._marker is None and token_id not in self._texts:
                text = self._texts[token_id] = self._server.detokenize([token_id], model)
                if _MARKER.fullmatch(text):
                    self._marker = (token_id, text)

    def _apart(self, batch: list[int], model: str) -> list[str] | None:
        """Decode a batch in one call; None where the marker did not hold the pieces apart."""
        if self._marker is None or len(batch) < 2:
            return None
        marker_id, marker = self._marker
        between = [marker_id]
        for token_id in batch:
            between += [token_id, marker_id]
        before, *texts, behind = self._server.detokenize(between, model).split(marker)
        return texts if len(texts) == len(batch) and not before and not behind else None

    def _reveal(self, ids: list[int], model: str, text: str | None) -> None:
        """Learn the bytes of half characters from the spelling of the text that they stand in."""
        try:
            shown = self._server.detokenize(ids, model) if text is None else text
            found, strings = self._server.token_strings(shown, model)
        except EndpointError:
            return  # a server without /tokenize, or a text over its limit: the bytes stay unknown
        for run in self._broken_runs(found.tolist()):
            spelled = [spelled_bytes(strings[index]) for index in run]
            if all(spelled) and _is_text(b"".join(spelled)):
                self._spelled.update({int(found[index]): piece for index, piece in zip(run, spelled, strict=True)})

    def _broken_runs(self, ids: list[int]) -> Iterator[list[int]]:
        """Yield the indices of ids side by side of which none is known to be whole characters."""
        run: list[int] = []
        for index, token_id in enumerate(ids):
            if UNKNOWN in self._texts.get(token_id, UNKNOWN):
                run.append(index)
            elif run:
                yield run
                run = []
        if run:
            yield run


def spelled_bytes(string: str) -> bytes:
    """Return the bytes behind a tokenizer's spelling; empty where it is no byte-level one.

    ``Ġthe`` is ``b" the"`` (byte-level BPE), ``<0xE2>`` is ``b"\\xe2"`` (byte fallback).
    """
    fallback = _BYTE_TOKEN.fullmatch(string)
    if fallback:
        return bytes.fromhex(fallback[1])
    if all(char in BYTE_OF for char in string):
        return bytes(BYTE_OF[char] for char in string)
    return b""


def _byte_alphabet() -> dict[str, int]:
    """Return the printable character by which byte-level BPE writes each byte (GPT-2, encoder.py)."""
    printable = [*range(ord("!"), ord("~") + 1), *range(ord("¡"), ord("¬") + 1), *range(ord("®"), ord("ÿ") + 1)]
    others = [byte for byte in range(256) if byte not in printable]
    shifted = {chr(256 + index): byte for index, byte in enumerate(others)}
    return {chr(byte): byte for byte in printable} | shifted


BYTE_OF = _byte_alphabet()


def _is_text(joined: bytes) -> bool:
    try:
        return bool(joined.decode())
    except UnicodeDecodeError:
        return False
