"""Pieces of HTML out of what a report says.  Whatever is not markup of ours is escaped here, once."""

import html
from collections.abc import Iterable, Sequence
from typing import Literal

from analysis.report.quotes import Placeholder, Prose, Quote, Released
from analysis.report.token_text import visible

Kind = Literal["number", "word", "words"]  # of a column of a table
Value = Quote | Placeholder | Released


def text(words: str) -> str:
    """Words of ours as HTML."""
    return html.escape(visible(words), quote=True)


def value(one: Value) -> str:
    """A quote of a log, or what stands for it; isolated, so that its direction is its own."""
    if not one.text:
        return ""
    if isinstance(one, Released) and one.plain:
        return text(one.text)
    kind = "hid" if isinstance(one, Placeholder) else "lit"
    return f'<span class="{kind}"><bdi>{text(one.text)}</bdi></span>'


def bare(one: Value) -> str:
    """The same in a heading, where no box is drawn around it."""
    return f"<bdi>{text(one.text)}</bdi>"


def prose(parts: Prose[Quote] | Prose[Placeholder | Released]) -> str:
    """A sentence with its quotes."""
    return "".join(text(part) if isinstance(part, str) else value(part) for part in parts)


def cause(code: str, words: str) -> str:
    """A cause in words, with its code small."""
    return f'{text(words[:1].upper() + words[1:])} <span class="code">{text(code)}</span>'


def paragraph(inner: str, kind: str = "") -> str:
    """A paragraph; nothing where there is nothing to say."""
    named = f' class="{kind}"' if kind else ""
    return f"<p{named}>{inner}</p>" if inner else ""


def bullets(lines: Iterable[str]) -> str:
    """A list of what is HTML already; nothing where it is empty."""
    items = "".join(f"<li>{line}</li>" for line in lines)
    return f"<ul>{items}</ul>" if items else ""


def numbers(*heads: str) -> list[tuple[str, Kind]]:
    """Columns of numbers."""
    return [(head, "number") for head in heads]


def table(caption: str, heads: Sequence[tuple[str, Kind]], rows: Iterable[Sequence[str]]) -> str:
    """A table whose first column heads its rows.  A head is its words and what its column holds."""
    kinds = ["" if kind == "number" else f' class="{kind}"' for _head, kind in heads]
    top = "".join(f'<th scope="col"{kind}>{text(head)}</th>' for (head, _kind), kind in zip(heads, kinds, strict=True))
    body = "".join(_row(cells, kinds) for cells in rows)
    return (
        f'<div class="scroll"><table><caption>{text(caption)}</caption>'
        f"<thead><tr>{top}</tr></thead><tbody>{body}</tbody></table></div>"
    )


def _row(cells: Sequence[str], kinds: Sequence[str]) -> str:
    first, *rest = cells
    others = "".join(f"<td{kind}>{cell}</td>" for cell, kind in zip(rest, kinds[1:], strict=True))
    return f'<tr><th scope="row"{kinds[0]}>{first}</th>{others}</tr>'


def number(count: int | None) -> str:
    """A count; a question mark where it is not known."""
    return "?" if count is None else f"{count:,}"
