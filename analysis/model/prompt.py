"""A rendered prompt: its token ids, and which message field each character came from."""

from dataclasses import dataclass
from typing import Literal, NewType

from analysis.model.session import TokenIds

BlockHash = NewType("BlockHash", bytes)

Fidelity = Literal["logged", "exact", "approximate", "mismatch"]
GeneratedBasis = Literal["logged", "rendered", "unknown"]
SegmentBasis = Literal["provenance", "searched"]

TEMPLATE = "template"


@dataclass(frozen=True, slots=True)
class Span:
    """Characters ``[start, stop)`` of a rendered text that come from one field of the request.

    ``path`` is a field such as ``messages[2].reasoning``, ``messages[2].tool_calls[0]`` or ``tools[1]``;
    ``offset`` is the position of the span's first character within that field.
    """

    start: int
    stop: int
    path: str
    offset: int = 0


@dataclass(frozen=True, slots=True, eq=False)
class Attribution:
    """A rendered text with its fields: what lies in no span is text of the chat template.

    ``token_starts`` holds the first character of every token, shape ``(num_tokens,)``.  ``basis`` is ``provenance``
    where the render itself carried the fields and ``searched`` where they were found in the decoded text.
    """

    text: str
    token_ids: TokenIds
    token_starts: TokenIds
    spans: tuple[Span, ...]
    basis: SegmentBasis


@dataclass(frozen=True, slots=True)
class Segment:
    """Where a character stands: the field, or ``template``, and the offset in it (None in template text).

    ``role`` is the role of the message that the field belongs to.
    """

    path: str
    char: int | None
    role: str | None = None
