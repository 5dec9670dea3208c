"""Tokens of turns that were imported before: of a log that has grown, only what is new is rendered.

The renderer may not be what it was: of every session the latest known prompt is rendered again, and where it comes out
otherwise nothing of the session is taken over.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np

from analysis.model.session import Session, TokenIds, Turn
from analysis.pipeline.analyse import has_media
from analysis.pipeline.tokens import RendererFor, TurnTokens, rendered_tokens
from analysis.store.reading import StoredTokens


@dataclass(slots=True, eq=False)
class KnownTokens:
    """The tokens that an earlier import of the beginning of the same file found."""

    stored: Iterable[StoredTokens]
    _by_line: dict[tuple[int, str], StoredTokens] = field(init=False)
    _trusted: dict[int, bool] = field(default_factory=dict)  # by session

    def __post_init__(self) -> None:
        self._by_line = {(one.line, one.request_id): one for one in self.stored}

    def tokens_of(
        self, session: Session, turn: Turn, renderer_for: RendererFor, last: TokenIds | None
    ) -> TurnTokens | None:
        """The tokens of a turn, as they are stored or found now.  Raises what a renderer raises."""
        known = self._known(turn)
        if known is None or not self._is_trusted(session, renderer_for):
            return rendered_tokens(session, turn, renderer_for, last)
        return TurnTokens(known.full_ids, known.prompt_tokens, known.fidelity, known.generated_basis)

    def _known(self, turn: Turn) -> StoredTokens | None:
        """What is stored of a turn; None for one that is not rendered, or has images, whose places are not stored."""
        rendered = turn.prompt_ids is None and turn.request.kind == "chat" and not has_media(turn)
        return self._by_line.get((turn.line, turn.request_id)) if rendered else None

    def _is_trusted(self, session: Session, renderer_for: RendererFor) -> bool:
        if id(session) not in self._trusted:
            self._trusted[id(session)] = self._comes_out_alike(session, renderer_for)
        return self._trusted[id(session)]

    def _comes_out_alike(self, session: Session, renderer_for: RendererFor) -> bool:
        newest = next(turn for turn in reversed(session.turns) if self._known(turn) is not None)
        known = self._known(newest)
        try:
            now = rendered_tokens(session, newest, renderer_for, None)
        except (ValueError, OSError):
            return False
        return now is not None and known is not None and np.array_equal(now.full_ids, known.full_ids)
