"""The seam between the analysis and whatever turns requests into tokens."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from analysis.model.prompt import Attribution
from analysis.model.session import JsonObject, Media, Request, TokenIds

RendererKind = Literal["folder", "hub", "endpoint"]


@dataclass(frozen=True, slots=True)
class RendererChoice:
    """What renders a served model: a folder or hub id with its tokenizer and template, or the address of a server."""

    model: str
    kind: RendererKind
    value: str


class Renderer(Protocol):
    """Renders requests as one server would.  A request that cannot be rendered raises ValueError or OSError.

    ``at`` is the request's own time in seconds since the epoch: the clock that a template may read.
    """

    name: str

    def prompt_ids(self, request: Request, at: float | None) -> TokenIds:
        """Token ids of the prompt, generation prompt included; shape ``(num_tokens,)``."""

    def history_ids(self, request: Request, reply: JsonObject, at: float | None) -> TokenIds:
        """Token ids of the conversation with the reply appended and no generation prompt behind it."""

    def attribution(self, request: Request, at: float | None, reply: JsonObject | None = None) -> Attribution:
        """The rendered text, its tokens and its message fields; with ``reply``, of the conversation it ends."""

    def media(self, request: Request, at: float | None) -> tuple[Media, ...] | None:
        """The images of the prompt with their tokens; None where there are some and their tokens are not known."""

    def token_bytes(self, token_ids: Sequence[int]) -> list[bytes]:
        """What each token stands for, in bytes: a token may be half a character."""

    def template_names(self) -> frozenset[str]:
        """The variables and functions that the chat template reads; empty where the template is not at hand."""
