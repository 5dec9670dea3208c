"""A report as JSON values: the same figures and sentences as the page, for a program.

What is redacted is a placeholder here too; a sentence is one string.  Token texts stand in a list beside their places.
"""

from dataclasses import fields, is_dataclass
from typing import Any

from analysis.report.document import Report
from analysis.report.quotes import Placeholder, Prose, Released, Shown
from analysis.report.turn_document import Column

SCHEMA = 1
SENTENCES = ("place", "donor", "evidence", "fix", "worth", "what")  # fields that are one sentence, quotes and all


def as_values(report: Report[Shown]) -> dict[str, Any]:
    """The whole report.  ``redaction`` says what was taken out and what was let go."""
    values = _values(report)
    redaction = {name: values.pop(name) for name in ("scope", "released", "kept")}
    return {"schema": SCHEMA, "redaction": redaction, **values}


def _values(value: Any) -> Any:
    if isinstance(value, Placeholder | Released):
        return value.text
    if isinstance(value, Column):
        return _column(value)
    if isinstance(value, tuple):
        return [_values(one) for one in value]
    if is_dataclass(value) and not isinstance(value, type):
        return {one.name: _field(one.name, getattr(value, one.name)) for one in fields(value)}
    return value


def _field(name: str, value: Any) -> Any:
    if name in SENTENCES:
        return _sentence(value)
    if name in ("problems", "differing"):
        return [_sentence(one) for one in value]
    if name == "notes":
        return [{"code": code, "evidence": _sentence(said)} for code, said in value]
    return _values(value)


def _sentence(parts: Prose[Shown]) -> str:
    return "".join(part if isinstance(part, str) else part.text for part in parts)


def _column(column: Column[Shown]) -> dict[str, Any]:
    """Tokens of one turn: marks as a string of 0 and 1; texts and ids only where they leave."""
    boxes = column.boxes
    return {
        "turn": column.turn,
        "start": boxes[0].position if boxes else None,
        "differs": "".join(str(int(box.differs)) for box in boxes),
        "generated": "".join(str(int(box.generated)) for box in boxes),
        "texts": [box.text.text if isinstance(box.text, Released) else None for box in boxes],
        "ids": [box.token_id.text if isinstance(box.token_id, Released) else None for box in boxes],
    }
