"""The fix plan of a session: undo its first cause on all turns, render, look for the next, until none is left.

Every step is verified by rendering on top of those before it.  Does not undo what was deliberate, and gives no figure
for a fix that it could not render.
"""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field, replace

from analysis.causes.fixes import PER_SESSION_TEXT, Sent
from analysis.causes.restore import restored
from analysis.causes.volatile_text import same_start
from analysis.core.elsewhere import Elsewhere, Left, elsewhere
from analysis.core.blocks import reusable_tokens
from analysis.model.finding import UNEXPLAINED, Cause, SessionAnalysis
from analysis.model.plan import PlanStep, Tokens
from analysis.model.session import JsonObject, Session
from analysis.pipeline.analyse import analyse, in_time
from analysis.pipeline.changes import nearest_other
from analysis.pipeline.tokens import RendererFor
from analysis.pipeline.what_if import Renders, as_sent, changed_session, replayed

VISIBLE = ("volatile-head/", "tools/", "template/", "client/", "args/", "tokenisation/", "server/")
FROM_HISTORY = ("key/cache-salt", "key/lora", PER_SESSION_TEXT)  # what a session looked at alone does not show
MOST_STEPS = 12
MANY_TURNS = 1_000  # of a history: beyond, it is not gone through again for one step of one session

KnobsFor = Callable[[Sent], Sequence[JsonObject]]  # template kwargs that may keep what the template drops


@dataclass(frozen=True, slots=True)
class Fault:
    """A cause to undo, and the numbers of the turns that have it."""

    cause: Cause
    turns: tuple[int, ...]


def plans(analyses: Sequence[SessionAnalysis], renderer_for: RendererFor, knobs_for: KnobsFor) -> list[SessionAnalysis]:
    """The sessions of one server history, each with its fix plan."""
    history = _History(analyses, renderer_for)
    return [replace(one, plan=_plan(history, index, knobs_for)) for index, one in enumerate(analyses)]
