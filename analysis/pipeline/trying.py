"""Trying out a change on a log that was imported before: read again, explained once, then changed as often as asked.

The store keeps no request bodies, so the log itself is needed.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from analysis.causes.fixes import Sent
from analysis.model.finding import SessionAnalysis
from analysis.model.renderer import Renderer
from analysis.model.session import Json
from analysis.model.settings import Settings
from analysis.model.what_if import WhatIf
from analysis.pipeline.changes import Change, Given, nearest_other
from analysis.pipeline.importing import explained
from analysis.pipeline.lineages import each_lineage
from analysis.pipeline.peel import undone
from analysis.pipeline.renderers import Renderers
from analysis.pipeline.sources import Source
from analysis.pipeline.tokens import RendererFor
from analysis.pipeline.totals import Totals
from analysis.pipeline.what_if import Renders, as_sent, figures, what_if
from analysis.render.errors import RenderError
from analysis.render.template import TemplateRenderer


@dataclass(frozen=True, slots=True, eq=False)
class Bench:
    """The history that changes are tried on; every prompt is rendered once."""

    history: Sequence[SessionAnalysis]
    renderer_for: RendererFor
    renders: Renders

    def index(self, session_id: str, file: str) -> int:
        """The place of a session.  Raise RenderError where the log has none of this name."""
        names = [(one.session.session_id, one.session.file) for one in self.history]
        if (session_id, file) not in names:
            raise RenderError(f"the log has no session {session_id!r}")
        return names.index((session_id, file))


@dataclass(frozen=True, slots=True)
class Asked:
    """What a change was told: a template argument, or the text of another chat template."""

    kwarg: tuple[str, Json] | None = None
    template: str | None = None


NOTHING = Asked()


def bench(source: Source, renderers: Renderers, settings: Settings) -> Bench:
    """Read and explain a log to try changes on.  Raises FormatError where it is none."""
    found = explained(source, renderers, settings)
    return Bench(found.analyses, found.renderer_for, Renders(found.renderer_for))


def try_change(on: Bench, index: int, change: Change, asked: Asked = NOTHING) -> WhatIf:
    """The session of this index with a named change, before and after."""
    sent = as_sent(on.history[index])
    firsts = [as_sent(one)[0] for place, one in enumerate(on.history) if place != index and one.session.turns]
    given = Given(asked.kwarg, nearest_other(sent[0], firsts) if change.asks == "other session" else None)
    session = on.history[index].session
    changed = each_lineage(session, sent, lambda mine, replies, _places: change.apply(mine, replies, given)) or sent
    if asked.template is None and _unchanged(sent, changed):
        return WhatIf(change.label, figures(on.history[index]), reason="it changes nothing in this session")
    try:
        renders = on.renders if asked.template is None else Renders(on.renderer_for, _swapped(on, asked.template))
    except ValueError as error:
        return WhatIf(change.label, figures(on.history[index]), reason=str(error).rstrip("."))
    return what_if(change.label, index, on.history, {index: changed}, renders)


def try_fixes(on: Bench, index: int, codes: Sequence[str]) -> WhatIf:
    """The session of this index with these causes undone, before and after."""
    label = " + ".join(codes)
    try:
        changed = undone(Totals(on.history, on.renders), index, on.renderer_for, codes)
    except ValueError as error:
        return WhatIf(label, figures(on.history[index]), reason=str(error).rstrip("."))
    return what_if(label, index, on.history, changed, on.renders)


def _unchanged(sent: Sequence[Sent], changed: Sequence[Sent]) -> bool:
    """Whether two lineages are the same to the order of keys, in which a template may print them."""
    return all(one is other or repr(one) == repr(other) for one, other in zip(sent, changed, strict=True))


def _swapped(on: Bench, template: str) -> RendererFor:
    """The renderers with another chat template.  Raise RenderError where it cannot be swapped or read."""
    made: dict[str, Renderer] = {}
    for model in {turn.request.model for one in on.history for turn in one.session.turns}:
        renderer = on.renderer_for(model)
        if not isinstance(renderer, TemplateRenderer):
            raise RenderError("the template can only be swapped where the model's own files render, not a live server")
        made[model] = renderer.with_template(template)
    return made.get
