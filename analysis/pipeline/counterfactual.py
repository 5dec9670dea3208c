"""Renders for the causes: requests as they were and as they would have been, each made once.

A request that cannot be rendered has no tokens here; why it cannot is for the analysis of the turn itself to say.
"""

from dataclasses import dataclass, field
from functools import cached_property

from analysis.causes.fixes import Sent
from analysis.model.prompt import Attribution
from analysis.model.renderer import Renderer
from analysis.model.session import JsonObject, Request, TokenIds
from analysis.pipeline.explain import attribution, decoded

REMEMBERED = 64  # renders


@dataclass(eq=False)
class Counterfactual:
    """The renderer of one model as causes ask it; satisfies ``analysis.causes.comparison.Rendering``."""

    renderer: Renderer
    _ids: dict[tuple[int, float | None], tuple[Request, TokenIds | None]] = field(default_factory=dict)

    @cached_property
    def names(self) -> frozenset[str]:
        """What the template reads; empty where it is not known."""
        return self.renderer.template_names()

    def remember(self, sent: Sent, ids: TokenIds) -> None:
        """Take the tokens of a prompt that was rendered already."""
        self._ids[id(sent.request), sent.at] = (sent.request, ids)

    def ids(self, sent: Sent) -> TokenIds | None:
        """The prompt of a request; None where the template refuses it or the server does not answer."""
        key = id(sent.request), sent.at
        if key not in self._ids:
            if len(self._ids) >= REMEMBERED:
                self._ids.pop(next(iter(self._ids)))
            self._ids[key] = (sent.request, self._rendered(sent))
        return self._ids[key][1]

    def attribution(self, sent: Sent, reply: JsonObject | None, ids: TokenIds, token: int) -> Attribution:
        """The fields of a prompt right up to a token."""
        return attribution(sent.request, sent.at, reply, ids, token, self.renderer)

    def text(self, ids: TokenIds) -> str:
        """Tokens as text."""
        return decoded(self.renderer.token_bytes(ids.tolist()))

    def _rendered(self, sent: Sent) -> TokenIds | None:
        try:
            return self.renderer.prompt_ids(sent.request, sent.at)
        except (ValueError, OSError):
            return None
