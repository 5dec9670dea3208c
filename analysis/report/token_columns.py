"""The tokens around a divergence, on both sides: boxes by position, and the spans that differ there.

Does not know how tokens are shown; what a token stands for is asked of whoever has the tokenizer.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from analysis.core.align import differing
from analysis.model.finding import Divergence
from analysis.model.record import TurnRecord
from analysis.model.session import TokenIds
from analysis.report.cleaning import field_of
from analysis.report.quotes import Quote
from analysis.report.speech import MOST_TEXT
from analysis.report.token_text import shown
from analysis.report.turn_document import Box, Column

TextsOf = Callable[[str, Iterable[int]], Mapping[int, bytes]]  # a model and token ids: what they stand for, if known

BEFORE = 24  # tokens shown before a divergence
BEHIND = 56  # and from it on
LOOKAHEAD = 8192  # tokens in which moved content is still recognised
MOST_SPAN = 64  # tokens of a differing span that are quoted


class Sides:
    """A turn and the one it left, with their marks."""

    def __init__(self, then: TurnRecord, now: TurnRecord, old: TokenIds, new: TokenIds, at: int) -> None:
        stop = at + BEHIND + LOOKAHEAD
        self.then, self.now, self.at = then, now, at
        self.old, self.new = old[:stop], new[: now.prompt_tokens][:stop]
        self.old_marks, self.new_marks = differing(self.old, self.new)

    def columns(self, texts: TextsOf) -> tuple[Column[Quote], ...]:
        """The tokens before and behind the divergence, of the earlier turn and of this one."""
        return (
            _column(self.then, self.old, self.old_marks, self.at, texts),
            _column(self.now, self.new, self.new_marks, self.at, texts),
        )

    def spans(self, found: Divergence, texts: TextsOf) -> tuple[Quote | None, Quote | None]:
        """What stood and what stands at the divergence, as far as it differs; None for nothing."""
        here, before = found.segment, found.previous_segment
        old = _span(self.then, self.old, self.old_marks, self.at, field_of(before.path if before else None), texts)
        new = _span(self.now, self.new, self.new_marks, self.at, field_of(here.path if here else None), texts)
        return old, new


def texts_only(found: Divergence) -> tuple[Quote | None, Quote | None]:
    """The texts at a divergence where the tokens are not at hand."""
    here, before = found.segment, found.previous_segment
    old = Quote(found.old, field_of(before.path if before else None) or "prompt", cut=True) if found.old else None
    new = Quote(found.new, field_of(here.path if here else None) or "prompt", cut=True) if found.new else None
    return old, new


def _column(turn: TurnRecord, ids: TokenIds, marks: npt.NDArray[np.bool_], at: int, texts: TextsOf) -> Column[Quote]:
    start, stop = max(0, at - BEFORE), min(len(ids), at + BEHIND)
    known = texts(turn.model, set(ids[start:stop].tolist()))
    boxes = tuple(
        Box(
            position=position,
            differs=bool(marks[position]),
            generated=position >= (turn.prompt_tokens or 0),
            text=Quote(_text(int(ids[position]), known), "token", "token"),
            token_id=Quote(str(int(ids[position])), "token", "token"),
        )
        for position in range(start, stop)
    )
    return Column(turn.turn, boxes)


def _span(
    turn: TurnRecord, ids: TokenIds, marks: npt.NDArray[np.bool_], at: int, path: str, texts: TextsOf
) -> Quote | None:
    behind = marks[at:]
    if not len(behind) or not behind[0]:
        return None
    number = len(behind) if behind.all() else int(np.argmin(behind))
    token_ids: Sequence[int] = ids[at : at + min(number, MOST_SPAN)].tolist()
    known = texts(turn.model, set(token_ids))
    text = _joined(token_ids, known)
    return Quote(text[:MOST_TEXT], path or "prompt", num_tokens=number, cut=True)


def _joined(token_ids: Sequence[int], known: Mapping[int, bytes]) -> str:
    if all(token in known for token in token_ids):
        return b"".join(known[token] for token in token_ids).decode("utf-8", "backslashreplace")
    return " ".join(f"#{token}" for token in token_ids)


def _text(token_id: int, known: Mapping[int, bytes]) -> str:
    return shown(known[token_id]) if token_id in known else f"#{token_id}"
