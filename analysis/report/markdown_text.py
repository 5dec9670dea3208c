"""Pieces of Markdown out of what a report says.  Text of a log stands in code spans that it cannot close.

Words of ours are escaped; mentions and addresses in code spans are dead.
"""

import re
from collections.abc import Iterable, Sequence

from analysis.report.quotes import Placeholder, Prose, Released, Shown
from analysis.report.token_text import visible

_MARKUP = re.compile(r"([\\`*_{}\[\]<>#|~!&@$])")
# What escapes do not stop in a line that a person wrote: addresses, which trackers link, and the start of a list.
_ACTIVE = re.compile(r"://|www\.|mailto:|xmpp:|@|^\s*(?:[-+=:]|\d+[.)])|^\s{4}", re.IGNORECASE)


def code_span(text: str) -> str:
    """A text as a code span: its fence is longer than any run of backticks within."""
    shown = visible(text)
    fence = "`" * (max((len(run) for run in re.findall("`+", shown)), default=0) + 1)
    pad = " " if shown[:1] in "` " or shown[-1:] in "` " else ""
    return f"{fence}{pad}{shown}{pad}{fence}"


def words(text: str) -> str:
    """Words of ours, with nothing that Markdown reads as markup."""
    return _MARKUP.sub(r"\\\1", visible(text))


def value(one: Placeholder | Released) -> str:
    """What stands for a quote of a log."""
    if isinstance(one, Released) and one.plain:
        return words(one.text)
    return code_span(one.text) if one.text else ""


def prose(parts: Prose[Shown]) -> str:
    """A sentence; two code spans in a row are kept apart, or their fences would become one."""
    joined = ""
    for piece in (words(part) if isinstance(part, str) else value(part) for part in parts):
        joined += " " + piece if joined.endswith("`") and piece.startswith("`") else piece
    return joined


def as_typed(one: Shown) -> list[str]:
    """What a person typed as lines of a quotation, with nothing of it formatted."""
    lines = [value(one)] if isinstance(one, Placeholder) else list(map(_line, one.text.splitlines()))
    return [f"> {line}  " for line in lines]


def _line(text: str) -> str:
    """A line that somebody typed: as words where nothing in it can become active, else as code."""
    return code_span(text) if _ACTIVE.search(text) else words(text)


def bullets(lines: Iterable[str]) -> str:
    """A list."""
    return "\n".join(f"- {line}" for line in lines)


def numbered(lines: Iterable[str]) -> str:
    """A list in its order."""
    return "\n".join(f"{number}. {line}" for number, line in enumerate(lines, 1))


def table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table; a bar ends a cell even in a code span, so it is escaped there too."""
    lines = ["| " + " | ".join(heads) + " |", "|" + " --- |" * len(heads)]
    return "\n".join([*lines, *("| " + " | ".join(map(_cell, row)) + " |" for row in rows)])


def cause(code: str, said: str) -> str:
    """A cause in words, with its code."""
    return f"{words(said[:1].upper() + said[1:])} ({code_span(code)})"


def strong(code: str, said: str) -> str:
    """The same at the head of an item."""
    return f"**{words(said[:1].upper() + said[1:])}** ({code_span(code)})"


def _cell(written: str) -> str:
    return re.sub(r"(?<!\\)\|", r"\\|", written)
