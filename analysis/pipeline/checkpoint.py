"""Tokens that an import has found so far, on the disk: one that is interrupted goes on from there.

A file holds one record per rendered turn in the order they were analysed, each as its difference to the turn before it
in its session.  What was cut off in the middle is found anew.  Does not keep what the log itself says, nor any text.
"""

import struct
import time
import zlib
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from hashlib import blake2b, sha256
from pathlib import Path
from typing import BinaryIO, TypeGuard, get_args

import numpy as np

from analysis.core.align import common_prefix
from analysis.model.prompt import Fidelity, GeneratedBasis
from analysis.model.session import Session, TokenIds, Turn
from analysis.pipeline.tokens import RendererFor, TokensOf, TurnTokens, rendered_tokens

FORMAT = b"whymiss tokens 1\n"
ENDING = ".tokens"
HEAD = struct.Struct("<8sIIIBB")  # turn, prompt tokens, tokens kept of the last turn, new ones, two kinds
CHECK = struct.Struct("<I")  # of the head and the new tokens, which follow
FIDELITIES: tuple[Fidelity, ...] = get_args(Fidelity)
BASES: tuple[GeneratedBasis, ...] = get_args(GeneratedBasis)
STALE_SECONDS = 7 * 86400.0  # after which nobody will go on with what was interrupted
NOTHING: TokenIds = np.empty(0, np.int32)


@dataclass(frozen=True, slots=True, eq=False)
class Record:
    """The tokens of one turn: the first ``kept`` ones of the turn before it in its session, then ``new``."""

    turn: bytes
    prompt_tokens: int
    kept: int
    new: TokenIds
    fidelity: Fidelity
    basis: GeneratedBasis


@dataclass(slots=True, eq=False)
class Checkpoint:
    """The tokens of one import, to be asked for turn after turn in an order that is always the same."""

    path: Path
    _file: BinaryIO
    _known: Iterator[tuple[Record, int]]
    _otherwise: TokensOf
    _next: Record | None = None
    _is_full: bool = False

    def __post_init__(self) -> None:
        self._go_on()

    def tokens_of(
        self, session: Session, turn: Turn, renderer_for: RendererFor, last: TokenIds | None
    ) -> TurnTokens | None:
        """The tokens of a turn as they were found before, or found now; ``last`` are those of the turn before it.

        Raises what a renderer raises.
        """
        name = blake2b(repr((session.file, turn.line, turn.request_id)).encode(), digest_size=8).digest()
        before, record = NOTHING if last is None else last, self._next
        if record is not None and record.turn == name and record.kept <= len(before):
            self._go_on()
            full_ids = np.concatenate([before[: record.kept], record.new])
            return TurnTokens(full_ids, record.prompt_tokens, record.fidelity, record.basis)
        tokens = self._otherwise(session, turn, renderer_for, last)
        if record is None and not self._is_full and _is_worth_keeping(tokens):
            kept = common_prefix(before, tokens.full_ids)
            new = tokens.full_ids[kept:]
            self._write(Record(name, tokens.prompt_tokens, kept, new, tokens.fidelity, tokens.generated_basis))
        return tokens

    def close(self) -> None:
        """Leave the file for whoever goes on."""
        with suppress(OSError):  # a full disk: what is whole is of use
            self._file.close()

    def drop(self) -> None:
        """Remove the file, and the folder with the last one: what it was for is done."""
        self.close()
        with suppress(OSError):  # in use, or the folder is not empty: another import is under way
            self.path.unlink(missing_ok=True)
            self.path.parent.rmdir()

    def _go_on(self) -> None:
        found = next(self._known, None)
        self._next = None if found is None else found[0]

    def _write(self, record: Record) -> None:
        new = np.ascontiguousarray(record.new, "<i4").tobytes()
        kinds = FIDELITIES.index(record.fidelity), BASES.index(record.basis)
        head = HEAD.pack(record.turn, record.prompt_tokens, record.kept, len(record.new), *kinds)
        try:
            self._file.write(head + CHECK.pack(zlib.crc32(new, zlib.crc32(head))) + new)
        except OSError:  # a full disk is no reason to stop: the import works without
            self._is_full = True


def checkpoint(folder: Path, what: str, otherwise: TokensOf = rendered_tokens) -> Checkpoint:
    """The checkpoint of ``what`` in this folder, begun or continued; ``otherwise`` finds tokens that are not in it.

    Raise OSError where it cannot be written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    _clear(folder)
    path = folder / f"{sha256(what.encode()).hexdigest()[:32]}{ENDING}"
    path.touch(0o600)
    whole = len(FORMAT)
    for _record, end in _records(path):
        whole = end
    file = path.open("r+b")
    file.write(FORMAT)
    file.truncate(whole)
    file.seek(whole)
    return Checkpoint(path, file, _records(path, whole), otherwise)


def _records(path: Path, stop: int | None = None) -> Iterator[tuple[Record, int]]:
    """The records that are whole, each with the place it ends at; up to ``stop``."""
    with path.open("rb") as file:
        if file.read(len(FORMAT)) != FORMAT:
            return
        while file.tell() != stop and len(head := file.read(HEAD.size)) == HEAD.size:
            turn, prompt_tokens, kept, length, fidelity, basis = HEAD.unpack(head)
            check, new = file.read(CHECK.size), file.read(4 * length)
            if len(new) < 4 * length or CHECK.pack(zlib.crc32(new, zlib.crc32(head))) != check:
                return
            ids = np.frombuffer(new, "<i4").astype(np.int32)
            yield Record(turn, prompt_tokens, kept, ids, FIDELITIES[fidelity], BASES[basis]), file.tell()


def _is_worth_keeping(tokens: TurnTokens | None) -> TypeGuard[TurnTokens]:
    """Whether tokens were rendered and are all there is to know: where images stand is not kept."""
    return tokens is not None and tokens.fidelity != "logged" and tokens.media == ()


def _clear(folder: Path) -> None:
    """Forget what was interrupted long ago."""
    for old in folder.glob(f"*{ENDING}"):
        if time.time() - old.stat().st_mtime > STALE_SECONDS:
            old.unlink(missing_ok=True)
