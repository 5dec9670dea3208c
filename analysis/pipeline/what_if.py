"""What a session would have reused with other requests: rendered anew, and the whole server history gone through again.

The replies are forced to the recorded ones: their generated tokens stay as they were.  Nothing is estimated: where a
prompt cannot be rendered, or the renderer does not give the prompts that the log has, that is said and no figure.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace

import numpy as np

from analysis.causes import reasons
from analysis.causes.fixes import Sent
from analysis.model.finding import SessionAnalysis, TurnAnalysis
from analysis.model.renderer import Renderer
from analysis.model.session import Request, Session, TokenIds, Turn
from analysis.model.settings import Settings
from analysis.model.what_if import TurnFigures, WhatIf
from analysis.pipeline.analyse import analyse, has_media
from analysis.pipeline.tokens import RendererFor
from analysis.render.errors import RenderError

KEPT_TOKENS = 8_000_000  # of renders, 32 MB


@dataclass(slots=True)
class Renders:
    """Prompts of requests, each rendered once as long as there is room.

    ``swapped`` has another chat template for what changes.
    """

    renderer_for: RendererFor
    swapped: RendererFor | None = None
    _prompts: dict[tuple[int, float | None, bool], tuple[Request, TokenIds]] = field(default_factory=dict)
    _tokens: int = 0

    def as_sent(self, sent: Sent) -> TokenIds:
        """The prompt of a request with the server's template.  Raise ValueError or OSError as the renderer does."""
        return self._prompt(sent, self.renderer_for, False)

    def changed(self, sent: Sent) -> TokenIds:
        """The prompt of a changed request.  Raise ValueError or OSError where it cannot be rendered."""
        return self._prompt(sent, self.swapped or self.renderer_for, self.swapped is not None)

    def _prompt(self, sent: Sent, renderer_for: RendererFor, is_swapped: bool) -> TokenIds:
        key = (id(sent.request), sent.at, is_swapped)
        known = self._prompts.get(key)
        if known is None:
            renderer = self._renderer(sent.request.model, renderer_for)
            known = self._prompts[key] = (sent.request, renderer.prompt_ids(sent.request, sent.at))
            self._tokens += len(known[1])
            while self._tokens > KEPT_TOKENS and len(self._prompts) > 1:
                self._tokens -= len(self._prompts.pop(next(iter(self._prompts)))[1])
        return known[1]

    def _renderer(self, model: str, renderer_for: RendererFor) -> Renderer:
        renderer = renderer_for(model)
        if renderer is None:
            raise RenderError(reasons.no_tokenizer(model))
        return renderer


def as_sent(analysis: SessionAnalysis) -> tuple[Sent, ...]:
    """The requests of a session as they were sent."""
    return tuple(Sent(turn.request, turn.started_at) for turn in analysis.session.turns)


def replayed(
    history: Sequence[SessionAnalysis], changed: Mapping[int, Sequence[Sent]], renders: Renders, settings: Settings
) -> list[SessionAnalysis]:
    """A server history analysed again with other requests in the sessions of these indices.

    Raise ValueError or OSError where a changed prompt cannot be rendered, or not as the server rendered it.
    """
    sessions = [
        changed_session(analysis, changed[index], renders) if index in changed else _kept(analysis)
        for index, analysis in enumerate(history)
    ]
    return analyse(sessions, lambda model: None, settings)


def what_if(
    change: str,
    index: int,
    history: Sequence[SessionAnalysis],
    changed: Mapping[int, Sequence[Sent]],
    renders: Renders,
) -> WhatIf:
    """The session of this index before and after a change, turn by turn."""
    before = figures(history[index])
    try:
        after = figures(replayed(history, changed, renders, history[index].settings)[index])
    except (ValueError, OSError) as error:
        return WhatIf(change, before, reason=str(error).rstrip("."))
    return WhatIf(change, before, after)


def figures(analysis: SessionAnalysis) -> tuple[TurnFigures, ...]:
    """What is known of each turn of a session; turns without tokens are left out."""
    return tuple(
        TurnFigures(found.turn.number, found.prompt_tokens, found.reusable_tokens, found.account)
        for found in analysis.turns
        if found.prompt_tokens is not None and found.reusable_tokens is not None
    )


def changed_session(analysis: SessionAnalysis, sent: Sequence[Sent], renders: Renders) -> Session:
    """A session with other requests: their prompts rendered, what was generated kept, nothing reported.

    Raise ValueError or OSError where a changed prompt cannot be rendered, or not as the server rendered it.
    """
    pairs = zip(analysis.turns, sent, strict=True)
    return replace(analysis.session, turns=tuple(_changed(found, one, renders) for found, one in pairs))


def _kept(analysis: SessionAnalysis) -> Session:
    """A session as it was, with the tokens that its analysis found: nothing is rendered twice."""
    return replace(analysis.session, turns=tuple(_with_tokens(found, _prompt(found)) for found in analysis.turns))


def _changed(found: TurnAnalysis, sent: Sent, renders: Renders) -> Turn:
    turn, prompt = found.turn, _prompt(found)
    if prompt is None:
        raise RenderError(reasons.unknown(turn.number))
    if renders.swapped or sent.at != turn.started_at or _prints_other(turn.request, sent.request):
        if has_media(turn):
            raise RenderError(reasons.not_text(turn.number))
        if found.fidelity == "mismatch" or not _renders_alike(found, prompt, renders):
            raise RenderError(reasons.renders_otherwise(turn.number))
        prompt = renders.changed(sent)
    usage = replace(turn.usage, prompt_tokens=len(prompt), cached_tokens=None, cached_basis="not-recorded")
    return replace(_with_tokens(found, prompt), request=sent.request, usage=usage)


def _renders_alike(found: TurnAnalysis, prompt: TokenIds, renders: Renders) -> bool:
    """Whether the renderer gives the prompt that the log has; what it rendered itself needs no second look."""
    turn = found.turn
    return found.fidelity != "logged" or np.array_equal(renders.as_sent(Sent(turn.request, turn.started_at)), prompt)


def _prints_other(then: Request, now: Request) -> bool:
    """Whether anything differs that a template could print: the salt alone never shows in the tokens."""
    printed = (one.name for one in fields(Request) if one.name != "salt")
    return then is not now and any(getattr(then, name) is not getattr(now, name) for name in printed)


def _prompt(found: TurnAnalysis) -> TokenIds | None:
    return None if found.full_ids is None else found.full_ids[: found.prompt_tokens]


def _with_tokens(found: TurnAnalysis, prompt: TokenIds | None) -> Turn:
    """A turn with a prompt, and with the generated tokens that its analysis found; itself without tokens."""
    if found.full_ids is None or prompt is None:
        return found.turn
    generated = found.full_ids[found.prompt_tokens :]
    last = np.zeros(1, np.int32)  # the last sampled token never enters the cache: any stands for it
    return replace(found.turn, prompt_ids=prompt, output_ids=np.concatenate([generated, last]).astype(np.int32))
