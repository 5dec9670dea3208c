"""A problem in two parts: what is wrong, and what to do about it.

Problems are written "what: why. Remedy.": the first sentence says what, all that follows is the remedy.  A problem with
nothing to do about it has one sentence.  Texts that it quotes may hold the end of a sentence as well; then the parts
are cut there, and nothing is lost.
"""

import re

from analysis.formats import TRIED

_END = re.compile(r"""(?<=[.?!])\s+(?=["'`“(]?[A-Z])""")
_MORE = re.compile(r" \(and [\d,]+ more such lines?\)$")


def without_tried(message: str) -> tuple[str, tuple[str, ...]]:
    """A refusal in short, and what every format looked for; other messages are whole, and nothing was tried."""
    said, _mark, tried = message.partition(TRIED)
    return said, tuple(tried.rstrip(".").split("; ")) if tried else ()


def what_and_remedy(message: str) -> tuple[str, str]:
    """The two parts of a problem; how many more there are of its kind belongs to what is wrong."""
    more = _MORE.search(message)
    said = message[: more.start()] if more else message
    what, *rest = _END.split(said, maxsplit=1)
    return what + (more[0] if more else ""), rest[0] if rest else ""
