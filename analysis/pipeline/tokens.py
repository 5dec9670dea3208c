"""The tokens of a turn: from the log where it has them, else rendered, and how far they can be trusted."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from analysis.core.align import common_prefix
from analysis.core.blocks import left_behind
from analysis.core.media import placed
from analysis.core.normalise import as_generated
from analysis.model.prompt import Fidelity, GeneratedBasis
from analysis.model.renderer import Renderer
from analysis.model.session import Media, Session, TokenIds, Turn

RendererFor = Callable[[str], Renderer | None]  # by the served model name; None where no tokenizer is at hand


@dataclass(frozen=True, slots=True, eq=False)
class TurnTokens:
    """``full_ids`` holds the prompt (its first ``prompt_tokens``) and the generated tokens that stay in the cache.

    ``media`` are the images of the prompt with their tokens, None where there are some and their place is not known.
    """

    full_ids: TokenIds
    prompt_tokens: int
    fidelity: Fidelity
    generated_basis: GeneratedBasis
    media: tuple[Media, ...] | None = ()

    @property
    def prompt(self) -> TokenIds:
        """The ids of the prompt alone."""
        return self.full_ids[: self.prompt_tokens]


# The tokens of a turn of a session; the ids are those of the turn before it, None where it is the first.
TokensOf = Callable[[Session, Turn, RendererFor, TokenIds | None], TurnTokens | None]


def rendered_tokens(
    session: Session, turn: Turn, renderer_for: RendererFor, last: TokenIds | None
) -> TurnTokens | None:
    """The tokens of a turn, found now.  Raises what the renderer raises."""
    return turn_tokens(turn, renderer_for(turn.request.model))


def turn_tokens(turn: Turn, renderer: Renderer | None) -> TurnTokens | None:
    """The tokens of a turn; None where the log has no ids and there is no renderer, or where it lacks the head.

    A render without the system prompt or the tools that were sent is shorter than what the server counted: where its
    tokens stood is then not known.
    Raises what the renderer raises (ValueError, OSError) where the prompt cannot be rendered.
    """
    prompt = _logged_prompt(turn)
    logged = prompt is not None
    if prompt is None:
        if renderer is None:
            return None
        prompt = renderer.prompt_ids(turn.request, turn.started_at)
    if not logged and turn.lacks_head and turn.usage.prompt_tokens not in (None, len(prompt)):
        return None
    generated, basis = _generated(turn, prompt, renderer)
    full = np.concatenate([prompt, generated]).astype(np.int32, copy=False) if len(generated) else prompt
    media = _media(turn, prompt, None if logged else renderer)
    return TurnTokens(full, len(prompt), _fidelity(turn, prompt, logged), basis, media)


def _media(turn: Turn, prompt: TokenIds, rendered_by: Renderer | None) -> tuple[Media, ...] | None:
    """The images as the log places them, as whoever rendered the prompt does, or as logged ids show them."""
    if turn.media is not None:
        return turn.media
    if rendered_by is not None:
        return rendered_by.media(turn.request, turn.started_at)
    return placed(turn.request, prompt)


def _logged_prompt(turn: Turn) -> TokenIds | None:
    if turn.prompt_ids is not None:
        return turn.prompt_ids
    prompt = turn.request.prompt
    return prompt if isinstance(prompt, np.ndarray) else None


def _fidelity(turn: Turn, prompt: TokenIds, logged: bool) -> Fidelity:
    counted = turn.usage.prompt_tokens
    if counted is not None and counted != len(prompt):
        return "mismatch"
    if logged:
        return "logged"
    return "approximate" if counted is None or turn.completeness else "exact"


def _generated(turn: Turn, prompt: TokenIds, renderer: Renderer | None) -> tuple[TokenIds, GeneratedBasis]:
    """The generated tokens that stay in the cache: all but the last one.

    Without ids in the log, what a render of the reply adds to the prompt stands for them, cut to their number.
    """
    if turn.output_ids is not None:
        return turn.output_ids[:-1], "logged"
    nothing = prompt[:0]
    output_tokens = turn.usage.output_tokens
    if output_tokens == 0:
        return nothing, "logged"
    if renderer is None or turn.reply is None or output_tokens is None:
        return nothing, "unknown"
    try:
        history = renderer.history_ids(turn.request, as_generated(turn.reply), turn.started_at)
    except ValueError:  # a template that refuses the reply: the prompt stands alone, a lower bound
        return nothing, "unknown"
    if common_prefix(history, prompt) < len(prompt):
        return nothing, "unknown"
    return history[len(prompt) : left_behind(len(prompt), output_tokens)], "rendered"
