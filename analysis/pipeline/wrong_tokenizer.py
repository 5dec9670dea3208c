"""Find out that a tokenizer is not the one of a log: its render does not begin with the ids that the log carries.

Asked once per model, of the first turn with both ids and messages.  A render that differs later is another matter: a
template option, a rewritten history.
"""

from collections.abc import Iterable

from analysis.core.align import common_prefix
from analysis.model.session import Problem, Session, Turn
from analysis.pipeline.tokens import RendererFor

TELLING = 8  # tokens that a right template and tokenizer have in common at the very least


def wrong_tokenizers(sessions: Iterable[Session], renderer_for: RendererFor) -> dict[str, Problem]:
    """Models whose renderer does not make the ids of the log, each with the line to show for it."""
    asked: set[str] = set()
    found: dict[str, Problem] = {}
    for session in sessions:
        for turn in session.turns:
            model = turn.request.model
            if model in asked or turn.prompt_ids is None or turn.request.kind != "chat":
                continue
            asked.add(model)
            if _is_wrong(turn, renderer_for):
                found[model] = Problem(
                    session.file,
                    turn.line,
                    f"the tokenizer given for the model {model!r} does not make the token ids of this log: no field is"
                    " named and tokens are shown by number. Give this model's own tokenizer and chat template.",
                )
    return found


def _is_wrong(turn: Turn, renderer_for: RendererFor) -> bool:
    try:
        renderer = renderer_for(turn.request.model)
        if renderer is None or turn.prompt_ids is None:
            return False
        rendered = renderer.prompt_ids(turn.request, turn.started_at)
    except (ValueError, OSError):  # a template that refuses the request says nothing about the tokenizer
        return False
    return common_prefix(rendered, turn.prompt_ids) < min(TELLING, len(rendered), len(turn.prompt_ids))
