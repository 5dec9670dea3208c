"""What stands in a report for a text out of a log: the text itself, or what of it leaves the house.

Every text of a log is a ``Quote``; redaction makes of it a ``Placeholder`` or something ``Released``.
"""

from dataclasses import dataclass
from typing import Literal, TypeVar

QuoteKind = Literal["value", "name", "time", "offset", "token"]
Scope = Literal["everything", "secrets", "nothing"]


@dataclass(frozen=True, slots=True)
class Quote:
    """A text out of a log.  ``path`` names the field it stood in, for a ``name`` what it names: session, tool, model.

    ``form`` is the form of its class, such as ``HH:MM:SS (+5 s)``; ``num_tokens`` its length where it is known in
    tokens.  ``cut`` says that it is the beginning or a piece of the field.
    """

    text: str
    path: str
    kind: QuoteKind = "value"
    form: str | None = None
    num_tokens: int | None = None
    cut: bool = False


@dataclass(frozen=True, slots=True)
class Placeholder:
    """What stands in place of a quote; holds nothing of it."""

    text: str


@dataclass(frozen=True, slots=True)
class Released:
    """A text that leaves: somebody released it, or a narrower scope than everything left it in.

    ``plain``: it is a number in a sentence, and no value to be set apart.
    """

    text: str
    plain: bool = False


Shown = Placeholder | Released
V = TypeVar("V", Quote, Shown)
Prose = tuple[str | V, ...]  # words of ours and, between them, what stands for quotes
