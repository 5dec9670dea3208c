"""The fix plan of a session: undo its first cause on all turns, render, look for the next, until none is left.

Every step is verified by rendering, on top of those before it.  What was deliberate is not undone, and a fix that
could not be rendered gets no figure.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from analysis.causes import template
from analysis.causes.fixes import PER_SESSION_TEXT, Sent
from analysis.causes.reasons import NO_CHANGE, NO_KNOB, NOTHING_RESTORED, no_tokenizer
from analysis.causes.restore import restored
from analysis.model.finding import UNEXPLAINED, Cause, SessionAnalysis, TurnAnalysis
from analysis.model.plan import PlanStep, Tokens
from analysis.model.session import JsonObject, Session
from analysis.pipeline.analyse import Progress, analyse
from analysis.pipeline.changes import nearest_other
from analysis.pipeline.lineages import each_lineage
from analysis.pipeline.tokens import RendererFor
from analysis.pipeline.totals import Totals
from analysis.pipeline.what_if import Renders, as_sent, changed_session
from analysis.render.errors import RenderError

VISIBLE = ("volatile-head/", "tools/", "template/", "client/", "args/", "tokenisation/", "server/")
FROM_HISTORY = ("key/cache-salt", "key/lora", PER_SESSION_TEXT)  # what the session alone does not show
MOST_STEPS = 12

Lineage = tuple[Sent, ...]


@dataclass(frozen=True, slots=True)
class Fault:
    """A cause to undo, and the numbers of the turns that have it."""

    cause: Cause
    turns: tuple[int, ...]


@dataclass(slots=True)
class _Peel:
    """One session on its way to being clean."""

    totals: Totals
    index: int
    renderer_for: RendererFor
    sent: Lineage = field(init=False)
    starts: frozenset[int] = field(init=False)
    others: dict[int, Lineage] = field(default_factory=dict)
    tried: set[str] = field(default_factory=set)
    reason: str = ""

    def __post_init__(self) -> None:
        self.sent = as_sent(self.recorded)
        turns = enumerate(self.recorded.turns)
        self.starts = frozenset(place for place, turn in turns if any(cause.deliberate for cause in turn.causes))

    @property
    def recorded(self) -> SessionAnalysis:
        return self.totals.history[self.index]

    def steps(self) -> Iterator[PlanStep]:
        """The plan, step by step."""
        before, found = self.totals.recorded(self.index), self.recorded.turns
        while len(self.tried) < MOST_STEPS and (fault := self._first(found)) is not None:
            self.tried.add(fault.cause.code)
            after = self.undo(fault.cause.code, before)
            looked = self._looked_at().turns if after else found
            also = self._gone(found, looked)
            yield PlanStep(
                code=fault.cause.code,
                turns=fault.turns,
                fix=fault.cause.fix,
                before=before,
                after=after,
                reason=None if after else self.reason,
                also=also,
            )
            before, found = after or before, looked

    def _gone(self, found: Sequence[TurnAnalysis], looked: Sequence[TurnAnalysis]) -> tuple[str, ...]:
        """Codes that were found before a fix and are not any more, those that were tried aside."""
        if found is looked:
            return ()
        left = {cause.code for turn in looked for cause in turn.causes}
        codes = dict.fromkeys(cause.code for turn in found for cause in _before_unexplained(turn))
        return tuple(code for code in codes if code not in left and code not in self.tried)

    def _first(self, found: Sequence[TurnAnalysis]) -> Fault | None:
        """The first cause that was not tried yet: by turn, then by its place in the prompt."""
        listed = [
            (turn.turn.number, cause)
            for turn, recorded in zip(found, self.recorded.turns, strict=True)
            for cause in (*_of(recorded, FROM_HISTORY), *_before_unexplained(turn))
        ]
        cause = next((cause for _number, cause in listed if cause.code not in self.tried), None)
        if cause is None or cause.code == UNEXPLAINED:
            return None
        turns = dict.fromkeys(number for number, one in listed if one.code == cause.code)
        return Fault(next(one for _number, one in listed if one.code == cause.code), tuple(turns))

    def undo(self, code: str, before: Tokens) -> Tokens | None:
        """Undo a code for good; the tokens then, None with a reason where that could not be verified."""
        self.reason = NO_CHANGE
        best: tuple[Tokens, Lineage, dict[int, Lineage]] | None = None
        knobs: Sequence[JsonObject | None] = self._knobs() if code.startswith("template/") else [None]
        if not knobs:
            model = self.sent[0].request.model
            self.reason = NO_KNOB if self.renderer_for(model) else no_tokenizer(model)
        for knob in knobs:
            tried = self._tried(code, knob)
            if tried is None:
                continue
            if knob is None or (
                tried[0].reusable > before.reusable and (best is None or tried[0].reusable > best[0].reusable)
            ):
                best = tried
            elif best is None:
                self.reason = NO_KNOB
        if best is None:
            return None
        after, self.sent, self.others = best
        return after

    def _knobs(self) -> list[JsonObject]:
        """The arguments of the chat template that may keep what it drops."""
        request = self.sent[0].request
        renderer = self.renderer_for(request.model)
        return [] if renderer is None else template.knobs(renderer.template_names(), request.template_kwargs)

    def _tried(self, code: str, knob: JsonObject | None) -> tuple[Tokens, Lineage, dict[int, Lineage]] | None:
        sent, others = self._restored(self.index, self.sent, code, knob), self.others
        if sent is None:
            return None
        if all(one is other for one, other in zip(sent, self.sent, strict=True)):
            self.reason = NOTHING_RESTORED
            return None
        if code == PER_SESSION_TEXT:
            others = {**others, **self._moved_elsewhere()}
        try:
            return self.totals.of(self.index, sent, others), sent, others
        except (ValueError, OSError) as error:
            self.reason = str(error).rstrip(".")
            return None

    def _restored(self, index: int, sent: Lineage, code: str, knob: JsonObject | None = None) -> Lineage | None:
        """A session with a code undone; None where nothing can undo it."""
        other = None
        if code == PER_SESSION_TEXT:
            firsts = [as_sent(one)[0] for place, one in enumerate(self.totals.history) if place != index and one.turns]
            other = nearest_other(sent[0], firsts)
        starts = self.starts if index == self.index else frozenset()

        def change(
            mine: Sequence[Sent], replies: Sequence[JsonObject | None], places: Sequence[int]
        ) -> Sequence[Sent] | None:
            own = [place for place, whole in enumerate(places) if whole in starts]
            return restored(code, mine, replies, own, knob, other)

        return each_lineage(self.totals.history[index].session, sent, change)

    def _moved_elsewhere(self) -> dict[int, Lineage]:
        """The other sessions that have the same fault: their text moves with this one's."""
        moved = {}
        for index, one in enumerate(self.totals.history):
            if index != self.index and one.turns and _of(one.turns[0], (PER_SESSION_TEXT,)):
                lineage = self._restored(index, as_sent(one), PER_SESSION_TEXT)
                moved.update({index: lineage} if lineage else {})
        return moved

    def _looked_at(self) -> SessionAnalysis:
        """The session as restored, with its causes; its own times may have been frozen, so its order is kept."""
        session = changed_session(self.recorded, self.sent, self.totals.renders)
        pairs = zip(session.turns, self.sent, strict=True)
        logged = [turn.output_ids for turn in self.recorded.session.turns]
        turns = [
            replace(
                turn, started_at=sent.at, ended_at=turn.ended_at if turn.started_at == sent.at else None, output_ids=ids
            )
            for (turn, sent), ids in zip(pairs, logged, strict=True)
        ]
        frozen: Session = replace(session, turns=tuple(turns))
        (found,) = analyse([frozen], self.renderer_for, self.recorded.settings, as_given=True)
        return found


def with_plans(
    analyses: Sequence[SessionAnalysis], renderer_for: RendererFor, progress: Progress | None = None
) -> list[SessionAnalysis]:
    """The sessions of one server history, each with its fix plan."""
    totals = Totals(analyses, Renders(renderer_for))
    planned = []
    for index, one in enumerate(analyses):
        planned.append(replace(one, plan=tuple(_Peel(totals, index, renderer_for).steps())))
        if progress is not None:
            progress(index + 1, len(analyses))
    return planned


def undone(totals: Totals, index: int, renderer_for: RendererFor, codes: Sequence[str]) -> dict[int, Lineage]:
    """The requests with these codes undone, one after the other; with those of other sessions that change as well.

    Raise RenderError where one of them cannot be undone.
    """
    peel = _Peel(totals, index, renderer_for)
    before = totals.recorded(index)
    for code in codes:
        after = peel.undo(code, before)
        if after is None:
            raise RenderError(f"{code}: {peel.reason}")
        before = after
    return {**peel.others, index: peel.sent}


def _of(turn: TurnAnalysis, codes: Sequence[str]) -> list[Cause]:
    return [cause for cause in turn.causes if cause.code in codes]


def _before_unexplained(turn: TurnAnalysis) -> list[Cause]:
    """What a turn shows in its tokens, up to what was deliberate; what cannot be explained is the end of a plan.

    What only its text shows has no tokens to plan with.
    """
    if turn.text is not None:
        return []
    deliberate = next((place for place, cause in enumerate(turn.causes) if cause.deliberate), len(turn.causes))
    lost = turn.account is not None and not turn.account.missed
    return [
        cause
        for cause in turn.causes[:deliberate]
        if (cause.code.startswith(VISIBLE) and cause.code not in FROM_HISTORY) or (cause.code == UNEXPLAINED and lost)
    ]
