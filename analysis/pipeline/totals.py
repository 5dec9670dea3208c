"""What a session's prompts add up to with other requests, within the history it is part of.

With unlimited memory only the session itself is served again, and what other sessions left is looked up; with a pool,
windows or drafting the whole history is gone through.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from analysis.causes.fixes import Sent
from analysis.causes.reasons import SOME_UNKNOWN, TOO_LONG
from analysis.core.blocks import reusable_tokens
from analysis.core.elsewhere import Elsewhere, Left, elsewhere
from analysis.model.finding import SessionAnalysis
from analysis.model.plan import Tokens
from analysis.pipeline.analyse import analyse, has_media, in_time, keys_of
from analysis.pipeline.what_if import Renders, changed_session, figures, replayed
from analysis.render.errors import RenderError

MANY_TURNS = 20_000  # of a history, once per session of it: beyond, it is not gone through again for every step

Place = tuple[int, int]  # index of the session, number of the turn


@dataclass(slots=True)
class Totals:
    """The history of one server, asked for the tokens of one session at a time."""

    history: Sequence[SessionAnalysis]
    renders: Renders
    _places: dict[Place, int] = field(default_factory=dict)
    _elsewhere: Elsewhere | None = None
    _plain: bool | None = None

    def recorded(self, index: int) -> Tokens:
        """The tokens of a session as it was sent."""
        turns = figures(self.history[index])
        return Tokens(sum(turn.prompt_tokens for turn in turns), sum(turn.reusable_tokens for turn in turns))

    def of(self, index: int, sent: Sequence[Sent], others: Mapping[int, Sequence[Sent]]) -> Tokens:
        """The tokens of a session with these requests; ``others`` are those of other sessions that change with it.

        Raise ValueError or OSError where they cannot be rendered.
        """
        settings = self.history[index].settings
        if others or not self._is_plain():
            if len(self.history) * sum(len(one.turns) for one in self.history) > MANY_TURNS:
                raise RenderError(TOO_LONG)
            found = replayed(self.history, {**others, index: sent}, self.renders, settings)[index]
            extra = [0] * len(found.turns)
        else:
            session = changed_session(self.history[index], sent, self.renders)
            (found,) = analyse([session], lambda model: None, settings)
            extra = [self._elsewhere_tokens(index, found, place) for place in range(len(found.turns))]
        turns = figures(found)
        if len(turns) < len(found.turns):
            raise RenderError(SOME_UNKNOWN)
        reusable = [max(turn.reusable_tokens, more) for turn, more in zip(turns, extra, strict=True)]
        return Tokens(sum(turn.prompt_tokens for turn in turns), sum(reusable))

    def _is_plain(self) -> bool:
        """Whether a hit is a question of equal tokens alone: unlimited memory, full attention, no images."""
        settings = self.history[0].settings
        limited = settings.num_blocks is not None or settings.window is not None or settings.spec_decode
        if self._plain is None:
            self._plain = not limited and not any(has_media(turn) for one in self.history for turn in one.session.turns)
        return self._plain

    def _elsewhere_tokens(self, index: int, found: SessionAnalysis, place: int) -> int:
        """What other sessions let a turn reuse."""
        if len(self.history) < 2:
            return 0
        turn, analysed = found.session.turns[place], found.turns[place]
        if analysed.full_ids is None or analysed.prompt_tokens is None or turn.request.skips_cache:
            return 0
        prompt = analysed.full_ids[: analysed.prompt_tokens]
        known = self._index()
        blocks = known.blocks(prompt, keys_of(turn), index, self._places[index, turn.number])
        return reusable_tokens(blocks * known.size, len(prompt), known.size)

    def _index(self) -> Elsewhere:
        if self._elsewhere is None:
            sessions = {id(one.session): index for index, one in enumerate(self.history)}
            found = {(index, turn.turn.number): turn for index, one in enumerate(self.history) for turn in one.turns}
            order = in_time([(one.session, turn) for one in self.history for turn in one.session.turns])
            left: list[Left] = []
            for session, turn in order:
                place = sessions[id(session)], turn.number
                analysed = found[place]
                self._places[place] = len(left)
                if analysed.full_ids is not None and analysed.prompt_tokens is not None:
                    ids, prompt_tokens = analysed.full_ids, analysed.prompt_tokens
                    left.append(Left(place[0], keys_of(turn), ids, prompt_tokens, turn.started_at, turn.ended_at))
            self._elsewhere = elsewhere(left, self.history[0].settings.hit_size)
        return self._elsewhere
