"""Problems taken apart: phrases of ours, as they stand in the sources that write problems, and whatever else they say.

A phrase only counts where it is the very text of our sources and long enough to be no accident; all between two of them
came from a log, or may have, and is a quote.  Does not understand a sentence, so nothing of a log can talk it round.
"""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from analysis import core
from analysis.core.incomplete import PARTS
from analysis.core.quoting import split
from analysis.report.quotes import Prose, Quote
from analysis.report.speech import MOST_TEXT

WRITERS = ("formats", "pipeline", "live", "render", "core")  # of problems
SHORTEST = 12  # characters of a phrase
_MORE = re.compile(r" \(and [\d,]+ more such lines?\)$")
_SIGNS = r"(?:[\s:;,.'\"`()]|\band\b)*"
_GAP = re.compile(f"({_SIGNS})(.*?)({_SIGNS})", re.DOTALL)


def problem_said(message: str) -> Prose[Quote]:
    """What a problem says: phrases of ours, and quotes for everything between them."""
    more = _MORE.search(message)
    said = message[: more.start()] if more else message
    parts: list[str | Quote] = []
    for words, value in split(said):
        parts += _told(words)
        if value is not None:
            parts += ["“", _quote(value), "”"]
    parts.append(more[0] if more else "")
    return tuple(part for part in parts if part)


def _told(text: str) -> Iterator[str | Quote]:
    """Words outside of quotation marks: phrases of ours, and what stands between them."""
    stop = 0
    for start, end in _ours(text):
        yield from _gap(text[stop:start])
        yield text[start:end]
        stop = end
    yield from _gap(text[stop:])


def _quote(text: str) -> Quote:
    return Quote(text[:MOST_TEXT], "problem", cut=len(text) > MOST_TEXT)


def _gap(text: str) -> Iterator[str | Quote]:
    """What stands between two phrases: a quote, with the signs around it."""
    found = _GAP.fullmatch(text)
    assert found is not None
    before, quoted, behind = found.groups()
    yield before
    if quoted:
        yield _quote(quoted)
    yield behind


def _ours(text: str) -> list[tuple[int, int]]:
    """Where phrases of ours stand, ``[start, stop)`` in their order; the longest is taken where several do."""
    spans: list[tuple[int, int]] = []
    for phrase in own_phrases():
        start = text.find(phrase)
        while start >= 0:
            stop = start + len(phrase)
            if all(stop <= begin or end <= start for begin, end in spans):
                spans.append((start, stop))
            start = text.find(phrase, stop)
    return sorted(spans)


@cache
def own_phrases() -> tuple[str, ...]:
    """The fixed texts of the sources that write problems, the longest first."""
    root = Path(core.__file__).parent.parent
    trees = (ast.parse(file.read_text("utf-8")) for name in WRITERS for file in sorted((root / name).glob("*.py")))
    texts = {
        node.value
        for tree in trees
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and _is_phrase(node.value)
    }
    texts.update(PARTS.values())
    return tuple(sorted(texts, key=lambda text: (-len(text), text)))


def _is_phrase(text: str) -> bool:
    return len(text) >= SHORTEST and " " in text.strip()
