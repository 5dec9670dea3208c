"""Two requests of one session side by side: what the families of visible causes are asked, and what they answer.

``then`` is the previous turn's request, ``now`` this turn's.  Both change while causes are undone one after the other;
the tokens of both sides always belong to the requests beside them.  Renders nothing itself: the render is handed in.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

from analysis.causes.fixes import Sent
from analysis.model.finding import Confidence
from analysis.model.prompt import Attribution, Segment
from analysis.model.session import JsonObject, Request, TokenIds


class Rendering(Protocol):
    """The renderer of a turn's model, as far as causes need it; what cannot be rendered is None."""

    @property
    def names(self) -> frozenset[str]:
        """The variables and functions that the chat template reads; empty where they are not known."""

    def ids(self, sent: Sent) -> TokenIds | None:
        """The prompt of a request as the server would render it."""

    def attribution(self, sent: Sent, reply: JsonObject | None, ids: TokenIds, token: int) -> Attribution:
        """The fields of a prompt, with ``reply`` of the conversation it ends, right up to ``token``."""

    def text(self, ids: TokenIds) -> str:
        """Tokens as text."""


@dataclass(frozen=True, slots=True, eq=False)
class Comparison:
    """A turn and the session's turn before it.

    ``old_ids`` are the previous prompt (its first ``prompt_tokens``) with what was generated, ``new_ids`` this prompt;
    both are empty where the requests are compared by text alone.
    ``ids_logged`` says that the generated ids are those of the log, not a render of the reply.  ``continues`` is the
    number of an older turn whose prompt this one extends; ``later`` is the session's next request.
    """

    then: Sent
    now: Sent
    reply: JsonObject | None
    old_ids: TokenIds
    new_ids: TokenIds
    prompt_tokens: int
    rendering: Rendering | None = None
    ids_logged: bool = False
    last_generated: int | None = None
    continues: int | None = None
    later: Request | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Place:
    """Where the two sides part: the token, the fields on both sides, and the text around it.

    ``old_token`` and ``new_token`` are those at which the texts part: later than ``token`` where only ids differ there.
    ``generation`` is the first token of the previous generation prompt, None where it is not known.
    """

    token: int
    old_token: int
    new_token: int
    old: Attribution
    new: Attribution
    old_segment: Segment
    new_segment: Segment
    before: str
    old_text: str
    new_text: str
    in_reply: bool
    generation: int | None

    @property
    def in_generation_prompt(self) -> bool:
        """Whether the sides part in what stood at the end of the previous prompt to start the reply."""
        return self.generation is not None and self.token >= self.generation and not self.in_reply


@dataclass(frozen=True, slots=True)
class Suspect:
    """A cause that would fit, still without its tokens.

    ``undo`` is the code whose change is taken back, where it is another one than ``code``.  ``whole``: nothing of the
    history is shared, so no single change is to be looked for.
    """

    code: str
    path: str
    evidence: str
    fix: str
    confidence: Confidence = "certain"
    deliberate: bool = False
    undo: str | None = None
    whole: bool = False
    knob: JsonObject | None = None


class ChangeFamily(Protocol):
    """A family of causes that are changes of the request: whether one shows is for a counterfactual render to say."""

    def changes(self, comparison: Comparison) -> Iterator[Suspect]:
        """The changes against the previous request, in the order of the prompt."""


class TextFamily(Protocol):
    """A family of causes that the rendered text shows where no change of the request explains it."""

    def shows(self, comparison: Comparison, place: Place) -> Iterator[Suspect]:
        """What the place where the sides part looks like; nothing where the family has nothing to say."""
