"""Where annotations are made, and where they stand in the analysis that is stored now.

A turn is known by its request id; where several have it, or its log gives none, by its number too.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import cache

import numpy as np

from analysis.core.anchors import Decoded, core_of, decoded, found, quoted, unit_of
from analysis.model.annotation import Anchor, Annotation, Kind, Place, Unit
from analysis.model.record import SessionRecord, TurnRecord
from analysis.model.session import TokenIds

TextsOf = Callable[[str, Iterable[int]], Mapping[int, bytes]]  # model and token ids -> what they stand for

WHOLE_SESSION = Anchor("session")


def anchor_of_turn(turn: TurnRecord) -> Anchor:
    """A whole turn."""
    return Anchor("turn", turn.request_id, turn.turn)


def anchor_of_span(
    turn: TurnRecord, token_ids: TokenIds, texts_of: TextsOf, start: int, stop: int, key: bytes, kind: Kind = "span"
) -> Anchor:
    """Tokens ``[start, stop)`` of a turn's prompt; raise ValueError where there are none of them.

    The message field is told where the span begins at the turn's divergence: of other tokens it is not stored.
    """
    prompt = token_ids[: turn.prompt_tokens]
    if not 0 <= start < stop <= len(prompt):
        raise ValueError(f"The prompt of turn {turn.turn} has the tokens 0 to {len(prompt) - 1:,}.")
    texts = _texts(turn, prompt, texts_of)
    searched = decoded(prompt, texts, key, unit_of(prompt[start:stop], texts))
    anchor = replace(
        anchor_of_turn(turn),
        kind=kind,
        quote=quoted(searched, start, stop),
        core=core_of(searched, start, stop),
        token_start=start,
        token_stop=stop,
    )
    segment = turn.divergence.segment if turn.divergence and turn.divergence.token == start else None
    if segment is None or segment.char is None:
        return anchor if segment is None else replace(anchor, path=segment.path)
    length = _characters(prompt[start:stop], texts)
    char_stop = None if length is None else segment.char + length
    return replace(anchor, path=segment.path, char_start=segment.char, char_stop=char_stop)


def divergence_span(turn: TurnRecord, block_size: int) -> tuple[int, int] | None:
    """What an annotation of a divergence quotes: from the first token that differs to the end of its block."""
    if turn.divergence is None or turn.prompt_tokens is None:
        return None
    start = turn.divergence.token
    return start, min((start // block_size + 1) * block_size, turn.prompt_tokens)


def places_of(
    annotations: Iterable[Annotation],
    record: SessionRecord,
    ids: Mapping[int, TokenIds],
    texts_of: TextsOf,
    key: bytes,
) -> dict[int, Place]:
    """Where annotations stand now, by their keys: their turn and, where they quote, the tokens that hold the quote."""

    @cache
    def prompt_of(number: int, unit: Unit) -> Decoded:
        turn = next(turn for turn in record.turns if turn.turn == number)
        token_ids = ids[number][: turn.prompt_tokens]
        return decoded(token_ids, _texts(turn, token_ids, texts_of) if unit == "byte" else {}, key, unit)

    return {one.key: _place(one.anchor, record, ids, prompt_of) for one in annotations}


def _place(
    anchor: Anchor, record: SessionRecord, ids: Mapping[int, TokenIds], prompt_of: Callable[[int, Unit], Decoded]
) -> Place:
    if anchor.request_id is None:
        return Place(None)
    turn = _turn(anchor, record.turns)
    if turn is None:
        return Place(None, moved=True)
    if anchor.kind == "turn":
        return Place(turn.turn)
    if turn.turn not in ids or anchor.quote is None:
        return Place(turn.turn, moved=True)
    span = found(anchor.quote, prompt_of(turn.turn, anchor.quote.unit))
    if span is not None:
        return Place(turn.turn, *span)
    piece = found(anchor.core, prompt_of(turn.turn, anchor.core.unit)) if anchor.core is not None else None
    return Place(turn.turn, moved=True) if piece is None else Place(turn.turn, *piece, partly=True)


def _turn(anchor: Anchor, turns: Iterable[TurnRecord]) -> TurnRecord | None:
    """The turn with the request id; of several the one nearest to where it was."""
    same = [turn for turn in turns if turn.request_id == anchor.request_id]
    return min(same, key=lambda turn: abs(turn.turn - (anchor.turn or 0)), default=None)


def _texts(turn: TurnRecord, token_ids: TokenIds, texts_of: TextsOf) -> Mapping[int, bytes]:
    return texts_of(turn.model, np.unique(token_ids).tolist())


def _characters(token_ids: TokenIds, texts: Mapping[int, bytes]) -> int | None:
    """How many characters these tokens are; None where one has no known text."""
    pieces = [texts.get(token_id) for token_id in token_ids.tolist()]
    known = [piece for piece in pieces if piece is not None]
    return len(b"".join(known).decode("utf-8", "replace")) if len(known) == len(pieces) else None
