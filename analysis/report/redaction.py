"""What of a report leaves: every quote of a log becomes a placeholder, unless somebody decides otherwise.

A placeholder names the field, a label and a length: ``‹messages[3].content · B · 212 tokens›``.  Equal texts have equal
labels within one report; labels come from digests under a key that the caller makes for this report and forgets.
Tokens become empty boxes.  Says nothing about words of ours: a report holds no others outside of its quotes.
"""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, field, fields, is_dataclass, replace
from string import ascii_uppercase
from typing import Any, cast

from analysis.report.document import Report
from analysis.report.quotes import Placeholder, Quote, Released, Scope, Shown
from analysis.report.secrets import HIDDEN, Name, covered, masked, person, says_anything
from analysis.report.turn_document import Box, Column

GONE = Placeholder("")
PEOPLE = ("author", "customer")  # kinds of names that are those of people, or may be


@dataclass(frozen=True, slots=True)
class Rules:
    """Who decides what leaves.

    ``scope``: everything a log says is hidden, or only ``secrets``: credentials, e-mail addresses, ``names`` and those
    of who wrote about it; or ``nothing``.  ``kept`` are kinds of names that leave as they are, such as ``model`` or
    ``tool``.  ``released`` are placeholders whose text leaves, one by one.
    """

    scope: Scope = "everything"
    names: tuple[str, ...] = ()
    kept: frozenset[str] = frozenset()
    released: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Hidden:
    """A placeholder of a report, and the text that it stands for: for the owner's eyes."""

    placeholder: str
    text: str


def redacted(report: Report[Quote], rules: Rules, key: bytes) -> tuple[Report[Shown], tuple[Hidden, ...]]:
    """The report as it leaves, and what it hides or has released, in the order of the report.

    ``key`` is random and new for every report.
    """
    work = _Redaction(rules, key, (*rules.names, *_people(report)))
    shown = cast("Report[Shown]", _mapped(report, work.shown, work.column))
    done = tuple(sorted(rules.released & work.found.keys()))
    hidden = tuple(Hidden(placeholder, text) for placeholder, text in work.found.items())
    kept = tuple(sorted(rules.kept)) if rules.scope == "everything" else ()
    return replace(shown, scope=rules.scope, released=done, kept=kept), hidden


def label(number: int) -> str:
    """``A`` … ``Z``, ``AA`` …, by a number from 0."""
    letters = ascii_uppercase[number % 26]
    return label(number // 26 - 1) + letters if number >= 26 else letters


@dataclass(slots=True)
class _Redaction:
    """One report on its way out: which labels were given, and what was hidden."""

    rules: Rules
    key: bytes
    names: tuple[Name, ...]
    labels: dict[tuple[str, bytes], str] = field(default_factory=dict)
    numbers: dict[str, int] = field(default_factory=dict)
    found: dict[str, str] = field(default_factory=dict)

    def shown(self, quote: Quote) -> Shown:
        if quote.kind == "offset" and self.rules.scope != "everything":
            return Released(quote.text, plain=True)
        if self.rules.scope == "nothing" or (quote.kind == "name" and quote.path in self.rules.kept):
            return Released(quote.text)
        if self.rules.scope == "secrets" and quote.kind == "name" and quote.path in PEOPLE:
            return Released(HIDDEN)
        if self.rules.scope == "secrets":
            text = masked(quote.text, self.names, edges=quote.cut)
            if says_anything(text) or quote.kind != "value" or not quote.text:
                return Released(text)
        if quote.kind in ("token", "offset"):
            return GONE
        if quote.kind == "time":
            return Placeholder(f"‹{quote.form}›")
        placeholder = self._placeholder(quote)
        self.found.setdefault(placeholder, quote.text)
        return Released(quote.text) if placeholder in self.rules.released else Placeholder(placeholder)

    def column(self, column: Column[Quote]) -> Column[Shown]:
        """Where only secrets are hidden they may stand in several tokens: the boxes are looked at together."""
        if self.rules.scope != "secrets":
            return cast("Column[Shown]", _mapped(column, self.shown, None))
        hidden = covered([box.text.text for box in column.boxes], self.names)
        boxes = tuple(
            Box(box.position, box.differs, box.generated, GONE, GONE)
            if out
            else Box(box.position, box.differs, box.generated, Released(box.text.text), Released(box.token_id.text))
            for box, out in zip(column.boxes, hidden, strict=True)
        )
        return Column(column.turn, boxes)

    def _placeholder(self, quote: Quote) -> str:
        group = quote.path if quote.kind == "name" else ""
        given = self._label(group, quote.text)
        if quote.kind == "name":
            return f"{quote.path} {given}"
        return f"‹{quote.path} · {given} · {quote.form or _length(quote)}›"

    def _label(self, group: str, text: str) -> str:
        digest = hashlib.blake2b(text.encode("utf-8", "surrogatepass"), key=self.key).digest()
        if (group, digest) not in self.labels:
            number = self.numbers.get(group, 0)
            self.numbers[group] = number + 1
            self.labels[group, digest] = label(number)
        return self.labels[group, digest]


def _people(report: Report[Quote]) -> tuple[Name, ...]:
    """The names of people that stand in a report as such: they may stand in its texts as well."""
    names: dict[str, None] = {}  # in their order, each once

    def note(quote: Quote) -> Shown:
        if quote.kind == "name" and quote.path in PEOPLE:
            names[quote.text] = None
        return GONE

    _mapped(report, note, None)
    return tuple(form for name in names for form in person(name))


def _length(quote: Quote) -> str:
    if quote.num_tokens is not None:
        return f"{quote.num_tokens:,} token{'' if quote.num_tokens == 1 else 's'}"
    more = " or more" if quote.cut and quote.text.endswith("…") else ""
    return f"{len(quote.text):,} character{'' if len(quote.text) == 1 else 's'}{more}"


def _mapped(
    value: Any, shown: Callable[[Quote], Shown], column: Callable[[Column[Quote]], Column[Shown]] | None
) -> Any:
    """A part of a report with every quote replaced, in the order of its fields."""
    if isinstance(value, Quote):
        return shown(value)
    if column is not None and isinstance(value, Column):
        return column(value)
    if isinstance(value, tuple):
        return tuple(_mapped(one, shown, column) for one in value)
    if is_dataclass(value) and not isinstance(value, type):
        parts = {one.name: getattr(value, one.name) for one in fields(value)}
        return replace(value, **{name: _mapped(part, shown, column) for name, part in parts.items()})
    return value
