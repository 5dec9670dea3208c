"""What the causes of a turn are asked with: its two requests side by side, or a first turn and other sessions.

Built only where it is needed: a turn whose prompt goes on where the last one ended has nothing to compare.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from analysis.causes.base import FirstTurn
from analysis.causes.comparison import Comparison
from analysis.causes.fixes import Sent
from analysis.causes.messages import alike, without_system
from analysis.causes.request_text import Known
from analysis.model.finding import TurnAnalysis
from analysis.model.renderer import Renderer
from analysis.model.session import Turn
from analysis.pipeline.by_text import text_comparison, without_ids
from analysis.pipeline.counterfactual import Counterfactual

OTHER_SESSIONS = 8  # that a first turn is held against


def sent(turn: Turn) -> Sent:
    """A turn's request with its own time."""
    return Sent(turn.request, turn.started_at)


@dataclass(slots=True)
class Compared:
    """Builds what causes are asked with, for the turns of one history; one counterfactual renderer per model."""

    renderer_for: Callable[[str], Renderer | None]
    _renderings: dict[str, Counterfactual | None] = field(default_factory=dict)
    _known: Known = field(default_factory=dict)

    def with_text(self, now: TurnAnalysis, then: Turn | None) -> TurnAnalysis:
        """A turn whose tokens are unknown, compared by text with the turn before it; any other as it is."""
        if now.full_ids is not None or then is None:
            return now
        return replace(now, text=text_comparison(then, now.turn, self._known))

    def beside(
        self, found: Sequence[TurnAnalysis], index: int, previous: TurnAnalysis | None, then: Turn | None
    ) -> Comparison | None:
        """The turn of this index beside ``previous``, the last one with tokens; without tokens, beside ``then``."""
        now = found[index]
        if now.full_ids is not None or then is None:
            return self.with_previous(found, index, previous) if previous else None
        later = found[index + 1].turn.request if index + 1 < len(found) else None
        return without_ids(then, now.turn, _continued(now, found[:index], then), later)

    def with_previous(self, found: Sequence[TurnAnalysis], index: int, previous: TurnAnalysis) -> Comparison | None:
        """The turn of this index beside the one before it; None where their tokens tell nothing."""
        now = found[index]
        ended = previous.turn.output_ids is not None and now.turn.prompt_ids is not None
        if now.full_ids is None or previous.full_ids is None or not (now.divergence or ended):
            return None
        assert now.prompt_tokens is not None and previous.prompt_tokens is not None
        prompt, output = now.full_ids[: now.prompt_tokens], previous.turn.output_ids
        rendering = self._rendering(now.turn)
        if rendering is not None and now.turn.prompt_ids is None:
            rendering.remember(sent(now.turn), prompt)
        later = found[index + 1].turn.request if index + 1 < len(found) else None
        return Comparison(
            then=sent(previous.turn),
            now=sent(now.turn),
            reply=previous.turn.reply,
            old_ids=previous.full_ids,
            new_ids=prompt,
            prompt_tokens=previous.prompt_tokens,
            rendering=rendering,
            ids_logged=previous.generated_basis == "logged",
            last_generated=int(output[-1]) if output is not None and len(output) else None,
            continues=_continued(now, found[:index], previous.turn) if now.divergence else None,
            later=later,
        )

    def with_others(self, now: TurnAnalysis, others: Sequence[TurnAnalysis]) -> FirstTurn | None:
        """A first turn beside the latest turns of other sessions; None where there are none."""
        if now.full_ids is None or not others:
            return None
        prompts = tuple((sent(one.turn), one.full_ids) for one in others[-OTHER_SESSIONS:] if one.full_ids is not None)
        return FirstTurn(sent(now.turn), now.full_ids[: now.prompt_tokens], prompts, self._rendering(now.turn))

    def _rendering(self, turn: Turn) -> Counterfactual | None:
        model = turn.request.model
        if model not in self._renderings:
            renderer = self.renderer_for(model)
            self._renderings[model] = Counterfactual(renderer) if renderer is not None else None
        return self._renderings[model]


def _continued(now: TurnAnalysis, earlier: Sequence[TurnAnalysis], previous: Turn) -> int | None:
    """The older turn whose messages this request goes on from, the one with most of them; None where there is none."""
    messages = without_system(now.turn.request.messages)
    others = [(without_system(one.turn.request.messages), one.turn) for one in earlier if one.turn is not previous]
    fitting = [(theirs, turn) for theirs, turn in others if 0 < len(theirs) < len(messages)]
    for theirs, turn in sorted(fitting, key=lambda it: -len(it[0])):
        if all(alike(old, new) for old, new in zip(theirs, messages, strict=False)):
            return turn.number
    return None
