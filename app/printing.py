"""Findings as text for a terminal.  Decoded tokens are untrusted: control characters are shown as escapes."""

import json
import re
from typing import Any

from analysis.core.account import best_tokens
from analysis.core.incomplete import NAMELESS
from analysis.model.finding import Cause, Divergence, TextComparison
from analysis.model.record import SessionRecord, TurnRecord
from analysis.pipeline.record import figures
from analysis.report.plan import plan_lines
from analysis.report.text_words import equal, parts_at
from analysis.report.verdict import verdict
from analysis.report.words import counted, described, fields, summary, undiverged, unshared

MOST_NAME, MOST_LINE = 200, 10_000  # characters
_HUGE_WORD = re.compile(rf"(\S{{{MOST_NAME}}})\S{{100,}}")  # no text that is meant to be read has one
_BEYOND_ASCII = re.compile("[\x7f-\U0010ffff]")
HEADINGS = (
    "turn", "prompt", "cached", "reusable", "missed", "rounding", "lost", "new",
    "leaves the turn before; why",
)  # fmt: skip


def session_text(record: SessionRecord) -> str:
    """A session as a heading, its verdict and a table of its turns."""
    settings = record.settings
    all_wrong = all(turn.fidelity == "mismatch" for turn in record.turns)  # then it is said once, above the table
    rows = [HEADINGS, *(_row(turn, not all_wrong) for turn in record.turns)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(HEADINGS) - 1)]
    table = "\n".join(
        "  " + "  ".join([*(cell.rjust(width) for cell, width in zip(row, widths, strict=False)), row[-1]]).rstrip()
        for row in rows
    )
    plan = "".join(f"  {safe(line)}\n" for line in plan_lines(record.plan))
    basis = "" if settings.block_size_basis == "given" else f" ({settings.block_size_basis})"
    return (
        f"{safe(record.session_id)}  ·  {safe(record.source)}  ·  {safe(record.model or NAMELESS)}  ·  "
        f"{counted(len(record.turns), 'turn')}  ·  block size {settings.block_size}{basis}\n"
        f"{safe(verdict(figures(record)))}\n{safe(summary(record))}\n\n{table}\n{plan}"
    )


def pair_reusable(earlier: TurnRecord, later: TurnRecord, block_size: int) -> int:
    """What the later prompt can reuse of the earlier one alone, in tokens."""
    if unshared(earlier, later) or later.previous is None:
        return 0
    return best_tokens(later.previous.lcp_tokens, later.prompt_tokens or 0, block_size)


def comparison_text(earlier: TurnRecord, later: TurnRecord, block_size: int) -> str:
    """What a comparison found, for one pair."""
    assert later.previous is not None
    heading = (
        f"{safe(earlier.request_id)} → {safe(later.request_id)}\n"
        f"  {earlier.prompt_tokens:,} and {later.prompt_tokens:,} prompt tokens;"
        f" the first {later.previous.lcp_tokens:,} are equal\n"
        f"  reusable: {pair_reusable(earlier, later, block_size):,} tokens"
    )
    if reason := unshared(earlier, later):
        heading += f"\n  {reason}"
    found = later.divergence
    if found is None:
        return f"{heading}\n  no divergence: {undiverged(earlier.prompt_tokens or 0, later.prompt_tokens or 0)}\n"
    lines = [
        heading,
        f"  first differing token: {found.token:,} (block {found.block:,})",
        f"  {safe(described(found))}",
    ]
    if found.segment is not None:
        lines.append(f"  {safe(fields(found))}")
    if found.segment_basis == "searched":
        lines.append("  (the field was found by searching the decoded text)")
    return "\n".join([*lines, *_decoded(found)]) + "\n"


def safe(text: str) -> str:
    """Untrusted text on one line, with control characters as escapes; names longer than any is, and lines, are cut."""
    text = _HUGE_WORD.sub(r"\1…", text)
    text = text if len(text) <= MOST_LINE else f"{text[:MOST_LINE]}…"
    return "".join(char if char.isprintable() else char.encode("unicode_escape").decode() for char in text)


def json_text(value: Any) -> str:
    """JSON on one line that may end in a terminal: readable text as it is, everything else as an escape of JSON."""
    return safe_json(json.dumps(value, ensure_ascii=False))


def safe_json(text: str) -> str:
    """The same JSON, with what no terminal should get as escapes."""
    return _BEYOND_ASCII.sub(_escaped, text)


def _escaped(found: re.Match[str]) -> str:
    return found[0] if found[0].isprintable() else json.dumps(found[0])[1:-1]


def _place(turn: TurnRecord, found: Divergence) -> str:
    where = described(found)
    where = where if where.startswith("at token") else f"at token {found.token:,} {where}"
    skipped = turn.previous is not None and turn.previous.turn != turn.turn - 1
    return f"{where} (against turn {turn.previous.turn})" if skipped and turn.previous else where


def _text(found: TextComparison) -> str:
    return f"approximate, by text: leaves turn {found.previous} {parts_at(found)} ({equal(found)})"


def _decoded(found: Divergence) -> list[str]:
    if found.new is None or found.old is None or found.before is None:
        return []
    return [f"  before: …{safe(found.before)}", f"  old:    {safe(found.old)}…", f"  new:    {safe(found.new)}…"]


def _cause(one: Cause) -> str:
    marks = [one.confidence, *(["hidden"] if one.hidden else []), *(["deliberate"] if one.deliberate else [])]
    return f"{one.code} ({', '.join(marks)})"


def _row(turn: TurnRecord, is_marked: bool) -> tuple[str, ...]:
    account = turn.account
    cells = (
        turn.prompt_tokens,
        turn.cached_tokens,
        turn.reusable_tokens,
        account.missed if account else None,
        account.rounding if account else None,
        account.lost if account else None,
        account.new if account else None,
    )
    mark = " (wrong tokenizer or template: rendered to another length than the server counted)"
    where = "; ".join(
        [
            *([_place(turn, turn.divergence)] if turn.divergence else []),
            *([_text(turn.text)] if turn.text and turn.text.divergence else []),
            *(_cause(one) for one in turn.causes),
        ]
    )
    return (
        str(turn.turn),
        *("?" if cell is None else f"{cell:,}" for cell in cells),
        safe(where) + (mark if is_marked and turn.fidelity == "mismatch" else ""),
    )
