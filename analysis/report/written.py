"""Notes of people in a report: each with its author, its time and its place, in reading order.

Their Markdown is not formatted: a report shows what they wrote, line by line.
"""

from collections.abc import Iterable
from datetime import UTC, datetime

from analysis.model.annotation import Placed
from analysis.report.document import SessionPart, Written
from analysis.report.links import linked
from analysis.report.markup import bare, text, value
from analysis.report.note_words import in_reading_order, remark, where
from analysis.report.quotes import Placeholder, Quote, Shown
from analysis.report.speech import name

MOST_NOTE = 20_000  # characters of a note that a report shows


def written_of(placed: Iterable[Placed], block_size: int) -> tuple[Written[Quote], ...]:
    """What is written about a session now; what was deleted, and what it said before, stays at home."""
    return tuple(
        Written(
            author=name(one.annotation.author, "author"),
            at=moment(one.annotation.made_at),
            where=where(one, block_size, with_field=False),
            remark=" · ".join(filter(None, (remark(one.place), _cut(one.annotation.text)))),
            text=Quote(one.annotation.text[:MOST_NOTE], "note", cut=len(one.annotation.text) > MOST_NOTE),
        )
        for one in in_reading_order(placed)
        if not one.annotation.is_deleted
    )


def moment(at: float) -> str:
    """When a person wrote something, by seconds since the epoch."""
    return f"{datetime.fromtimestamp(at, UTC):%Y-%m-%d %H:%M} UTC"


def _cut(text: str) -> str:
    return f"its first {MOST_NOTE:,} of {len(text):,} characters" if len(text) > MOST_NOTE else ""


def notes(part: SessionPart[Shown]) -> str:
    """The notes of a session as HTML; nothing where there are none."""
    items = "".join(_note(part, one) for one in part.written)
    return f'<h3>Notes</h3><ul class="cards">{items}</ul>' if items else ""


def _note(part: SessionPart[Shown], one: Written[Shown]) -> str:
    became = f" · {text(one.remark)}" if one.remark else ""
    return (
        f'<li class="meant"><p class="sub">{bare(one.author)} · {text(one.at)} · {linked(part, one.where)}{became}</p>'
        f"<p>{as_typed(one.text)}</p></li>"
    )


def as_typed(said: Shown) -> str:
    """What a person typed, line by line, with nothing of it formatted."""
    if isinstance(said, Placeholder):
        return value(said)
    return f"<bdi>{'<br>'.join(map(text, said.text.splitlines()))}</bdi>"
