"""A report as Markdown for an issue tracker.  Text of a log stands in code spans that it cannot close.

Nothing in it is markup that was not meant: words of ours are escaped, mentions and addresses in code spans are dead.
"""

import re
from collections.abc import Iterable, Iterator, Sequence

from analysis.report.document import (
    Change,
    Finding,
    Overview,
    Placeholder,
    Prose,
    Reason,
    Released,
    Report,
    SessionPart,
    Shown,
    Step,
    TextChange,
    TurnPart,
    Written,
)
from analysis.report.figure_words import account_sentence, known
from analysis.report.leaving import said_of_scope
from analysis.report.map_rows import SIGNS, STATE_WORDS, as_signs, columns, num_blocks
from analysis.report.plan import turns_of
from analysis.report.token_text import visible

MAP_COLUMNS = 72
MOST_ROWS = 120  # turns of the map
MOST_TURNS = 40  # told one by one
_MARKUP = re.compile(r"([\\`*_{}\[\]<>#|~!&@$])")
# What escapes do not stop in a line that a person wrote: addresses, which trackers link, and the start of a list.
_ACTIVE = re.compile(r"://|www\.|mailto:|xmpp:|@|^\s*(?:[-+=:]|\d+[.)])|^\s{4}", re.IGNORECASE)


def as_markdown(report: Report[Shown]) -> str:
    """The whole report."""
    several = len(report.overview) > 1
    title = f"{len(report.overview):,} sessions" if several else "".join(_value(one.name) for one in report.overview)
    blocks = [f"# Prefix cache report: {title}", "\n>\n".join(f"> {_words(line)}" for line in said_of_scope(report))]
    blocks += _fleet(report) if several else []
    blocks += [block for part in report.sessions for block in _session(part)]
    if report.problems:
        blocks += ["## What could not be read", _list(map(_prose, report.problems))]
    return "\n\n".join([*filter(None, blocks), f"Made by Whymiss {_words(report.version)}."]) + "\n"


def code_span(text: str) -> str:
    """A text as a code span: its fence is longer than any run of backticks within."""
    shown = visible(text)
    fence = "`" * (max((len(run) for run in re.findall("`+", shown)), default=0) + 1)
    pad = " " if shown[:1] in "` " or shown[-1:] in "` " else ""
    return f"{fence}{pad}{shown}{pad}{fence}"


def _words(text: str) -> str:
    """Words of ours, with nothing that Markdown reads as markup."""
    return _MARKUP.sub(r"\\\1", visible(text))


def _value(one: Placeholder | Released) -> str:
    if isinstance(one, Released) and one.plain:
        return _words(one.text)
    return code_span(one.text) if one.text else ""


def _cell(written: str) -> str:
    """Markdown in a table, where a bar ends the cell even in a code span."""
    return re.sub(r"(?<!\\)\|", r"\\|", written)


def _prose(parts: Prose[Shown]) -> str:
    """A sentence; two code spans in a row are kept apart, or their fences would become one."""
    written = [_words(part) if isinstance(part, str) else _value(part) for part in parts]
    joined = ""
    for piece in written:
        joined += " " + piece if joined.endswith("`") and piece.startswith("`") else piece
    return joined


def _list(lines: Iterable[str]) -> str:
    return "\n".join(f"- {line}" for line in lines)


def _table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = ["| " + " | ".join(heads) + " |", "|" + " --- |" * len(heads)]
    return "\n".join([*lines, *("| " + " | ".join(map(_cell, row)) + " |" for row in rows)])


def _fleet(report: Report[Shown]) -> list[str]:
    figures = " · ".join(f"{one.label}: {one.value}" for one in report.fleet)
    causes = (
        [_words(code), _words(words), f"{tokens:,}", f"{number:,}"] for code, words, tokens, number in report.causes
    )
    return [
        "## All sessions",
        _words(figures),
        _table(("Cause", "What it means", "Wasted tokens", "Sessions"), causes) if report.causes else "",
        _table(("Session", "Verdict", "Turns", "Prompt", "Hit rate", "Wasted"), map(_overview, report.overview)),
    ]


def _overview(one: Overview[Shown]) -> list[str]:
    rate = "?" if one.hit_rate is None else f"{one.hit_rate:.1%}"
    counts = [f"{one.num_turns:,}", f"{one.prompt_tokens:,}", rate, known(one.wasted_tokens)]
    return [_value(one.name), _words(one.verdict), *counts]


def _session(part: SessionPart[Shown]) -> Iterator[str]:
    started = f" · {_value(part.started)}" if part.started else ""
    yield f"## {_value(part.name)}"
    yield f"**{_words(part.verdict)}**"
    yield f"from {_value(part.source)} · model {_value(part.model)} · log format {_words(part.log_format)}{started}"
    yield _words(" · ".join(f"{one.label}: {one.value}" for one in part.figures))
    yield _words(part.summary)
    if part.written:
        yield "### Notes"
        yield from map(_note, part.written)
    if part.findings:
        yield "### What happened, and why"
        yield _list(map(_finding, part.findings))
    if part.plan:
        yield "### What to do, in this order"
        yield _words(part.plan_total)
        yield "\n".join(f"{number}. {_step(step)}" for number, step in enumerate(part.plan, 1))
    yield from _map(part)
    yield from _turns(part)
    yield "### How it was measured"
    said = [f"{name}: {value}" for name, value in part.settings]
    yield _list(map(_words, (*said, *part.measured, *part.unreported, *part.reconciled)))
    if part.problems:
        yield "### What could not be read"
        yield _list(map(_prose, part.problems))


def _note(one: Written[Shown]) -> str:
    """A note as a quotation, its words as they were typed."""
    became = f" · {_words(one.remark)}" if one.remark else ""
    said = [_value(one.text)] if isinstance(one.text, Placeholder) else list(map(_line, one.text.text.splitlines()))
    head = f"{_value(one.author)} · {_words(one.at)} · {_words(one.where)}{became}"
    return "\n".join([head, ">", *(f"> {line}  " for line in said)])


def _line(text: str) -> str:
    """A line of a note: as words where nothing in it can become active, else as code."""
    return code_span(text) if _ACTIVE.search(text) else _words(text)


def _finding(one: Finding[Shown]) -> str:
    meant = " This was meant and counts as no fault." if one.deliberate else ""
    return (
        f"**{_words(one.words)}** ({code_span(one.code)}, {one.confidence}): {_words(one.cost)},"
        f" {turns_of(one.turns)}.{meant} Seen first in turn {one.turns[0]}: {_prose(one.evidence)}."
        f" Fix: {_prose(one.fix)}"
    )


def _step(step: Step[Shown]) -> str:
    also = f" {_words(step.also)}" if step.also else ""
    return (
        f"{_prose(step.fix)} ({code_span(step.code)}, {_words(step.turns)})"
        f" {_words(step.tokens)}; {_prose(step.worth)}.{also}"
    )


def _map(part: SessionPart[Shown]) -> Iterator[str]:
    """The block map in signs: nothing in it is text of a log."""
    blocks = num_blocks([turn.runs for turn in part.turns])
    if not blocks:
        return
    rows = [f"{turn.turn:>5} {as_signs(columns(turn.runs, blocks, MAP_COLUMNS))}" for turn in part.turns[:MOST_ROWS]]
    used = {run.state for turn in part.turns for run in turn.runs}
    yield "### Where it happened"
    yield "Each row is a turn, from the first block of its prompt to the last."
    yield "\n".join(["```text", *rows, "```"])
    yield _words("; ".join(f"{SIGNS[state]} {STATE_WORDS[state]}" for state in SIGNS if state in used))


def _turns(part: SessionPart[Shown]) -> Iterator[str]:
    told = [turn for turn in part.turns if turn.tells_more]
    if not told:
        return
    yield "### For engineers: turn by turn"
    for turn in told[:MOST_TURNS]:
        yield "\n".join(_turn(turn))
    if len(told) > MOST_TURNS:
        yield f"{len(told) - MOST_TURNS:,} more turns are in the other forms of this report."


def _turn(turn: TurnPart[Shown]) -> Iterator[str]:
    account = account_sentence(turn.account, turn.prompt_tokens or 0) if turn.account else "The tokens are unknown."
    yield f"- Turn {turn.turn}, request {_value(turn.request)}: {_words(account)}"
    if turn.change is not None:
        yield f"  - {_change(turn.change)}"
    if turn.by_text is not None:
        yield f"  - {_by_text(turn.by_text)}"
    for reason in turn.reasons:
        yield f"  - {code_span(reason.code)} ({reason.confidence}{_owned(reason)}): {_prose(reason.evidence)}"
    for code, said in turn.notes:
        yield f"  - {code_span(code)}: {_prose(said)}"
    if turn.remark is not None:
        yield f"  - note in the log: {_value(turn.remark)}"


def _owned(reason: Reason[Shown]) -> str:
    return f", {reason.tokens:,} tokens" if reason.tokens else ""


def _by_text(change: TextChange[Shown]) -> str:
    sides = (("before", change.old), ("now", change.new))
    spans = "".join(f", {word} {_value(one)}" for word, one in sides if one)
    return f"by text, approximate: beside turn {change.previous}, {_prose(change.place)}; {_words(change.equal)}{spans}"


def _change(change: Change[Shown]) -> str:
    against = f"turn {change.against}" if change.against is not None else "the turn before"
    old, new = (_value(one) if one else "nothing" for one in (change.old, change.new))
    place = f"leaves {against} at token {change.token:,} (block {change.block:,}), {_prose(change.place)}"
    return f"{place}: {old} before, {new} now"
