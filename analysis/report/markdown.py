"""A report as Markdown for an issue tracker: the same sentences, the map in signs, turns and tokens by number."""

from collections.abc import Iterator

from analysis.report.document import Finding, Overview, Report, SessionPart, Step, Written
from analysis.report.figure_words import account_sentence, known, share
from analysis.report.leaving import said_of_scope
from analysis.report.map_rows import LEGEND, SIGNS, as_signs, columns, num_blocks
from analysis.report.markdown_case import case_blocks
from analysis.report.markdown_text import (
    as_typed,
    bullets,
    cause,
    code_span,
    numbered,
    prose,
    strong,
    table,
    value,
    words,
)
from analysis.report.plan import turns_of
from analysis.report.quotes import Shown
from analysis.report.shape import extra_heads, ordinal, said_of_absent
from analysis.report.turn_document import Change, Reason, TextChange, TurnPart

MAP_COLUMNS = 72
MOST_ROWS = 120  # turns of all maps
MOST_TURNS = 40  # told one by one, in all sessions
FEWEST = 5  # turns of a session in either, however many sessions there are


def as_markdown(report: Report[Shown]) -> str:
    """The whole report."""
    several = len(report.overview) > 1
    blocks = [f"# {_title(report)}", "\n>\n".join(f"> {words(line)}" for line in said_of_scope(report))]
    blocks += case_blocks(report.case) if report.case else []
    blocks += _fleet(report) if several else []
    blocks += [block for part in report.sessions for block in _session(report, part)]
    if report.problems:
        blocks += ["## What could not be read", bullets(map(prose, report.problems))]
    return (
        "\n\n".join(
            [*filter(None, blocks), f"Made by Whymiss {words(report.version)}. {words(report.rounding)}".rstrip()]
        )
        + "\n"
    )


def _title(report: Report[Shown]) -> str:
    if report.case is not None:
        return f"Case report: {value(report.case.title)}"
    if len(report.overview) > 1:
        return f"Prefix cache report: {len(report.overview):,} sessions"
    return f"Prefix cache report: {''.join(value(one.name) for one in report.overview)}"


def _fleet(report: Report[Shown]) -> list[str]:
    figures = " · ".join(f"{one.label}: {one.value}" for one in report.fleet)
    causes = ([cause(code, said), f"{tokens:,}", f"{number:,}"] for code, said, tokens, number in report.causes)
    heads = ("Session", *extra_heads(report), "Verdict", "Turns", "Prompt", "Hit rate", "Wasted")
    left = sum(not one.detailed for one in report.overview)
    return [
        "## All sessions",
        words(figures),
        table(("Cause", "Wasted tokens", "Sessions"), causes) if report.causes else "",
        table(heads, (_overview(report, one) for one in report.overview)),
        f"{left:,} sessions that wasted less are in this table only." if left else "",
        said_of_absent(report),
    ]


def _overview(report: Report[Shown], one: Overview[Shown]) -> list[str]:
    counts = [f"{one.num_turns:,}", f"{one.prompt_tokens:,}", share(one.hit_rate), known(one.wasted_tokens)]
    cells = {"Set": words(one.side), "Labels": " ".join(map(value, one.labels))}
    return [
        ordinal(report, one.number) + value(one.name),
        *(cells[head] for head in extra_heads(report)),
        words(one.verdict),
        *counts,
    ]


def _session(report: Report[Shown], part: SessionPart[Shown]) -> Iterator[str]:
    started = f" · {value(part.started)}" if part.started else ""
    sessions = len(report.sessions)
    yield f"## {ordinal(report, part.number)}{value(part.name)}"
    yield f"**{words(part.verdict)}**"
    yield f"from {value(part.source)} · model {value(part.model)} · log format {words(part.log_format)}{started}"
    yield words(" · ".join(f"{one.label}: {one.value}" for one in part.figures))
    yield words(part.summary)
    if part.written:
        yield "### Notes"
        yield from map(_note, part.written)
    if part.findings:
        yield "### What happened, and why"
        yield bullets(map(_finding, part.findings))
    if part.plan:
        yield "### What to do, in this order"
        yield words(part.plan_total)
        yield numbered(map(_step, part.plan))
    yield from _map(part, max(FEWEST, MOST_ROWS // sessions))
    yield from _turns(part, max(FEWEST, MOST_TURNS // sessions))
    yield "### How it was measured"
    said = [f"{name}: {setting}" for name, setting in part.settings]
    yield bullets(map(words, (*said, *part.measured, *part.unreported, *part.reconciled)))
    if part.problems:
        yield "### What could not be read"
        yield bullets(map(prose, part.problems))


def _note(one: Written[Shown]) -> str:
    """A note as a quotation, its words as they were typed."""
    became = f" · {words(one.remark)}" if one.remark else ""
    head = f"{value(one.author)} · {words(one.at)} · {words(one.where)}{became}"
    return "\n".join([head, ">", *as_typed(one.text)])


def _finding(one: Finding[Shown]) -> str:
    meant = " This was meant and counts as no fault." if one.deliberate else ""
    comes_from = f" It comes from {one.origin}." if one.origin else ""
    token = f", token {one.token:,}" if one.token is not None else ""
    return (
        f"{strong(one.code, one.words)}, {one.confidence}:"
        f" {words(one.cost)}, {turns_of(one.turns)}.{meant}{words(comes_from)}"
        f" Seen first in turn {one.turns[0]}{token}:"
        f" {prose(one.evidence)}. Fix: {prose(one.fix)}"
    )


def _step(step: Step[Shown]) -> str:
    also = f" {words(step.also)}" if step.also else ""
    return (
        f"{strong(step.code, step.words)}, {words(step.turns)}. Fix: {prose(step.fix)}"
        f" Worth: {words(step.tokens)}; {prose(step.worth)}.{also}"
    )


def _map(part: SessionPart[Shown], most: int) -> Iterator[str]:
    """The block map in signs: nothing in it is text of a log."""
    blocks = num_blocks([turn.runs for turn in part.turns])
    if not blocks or not part.has_map:
        return
    rows = [f"{turn.turn:>5} {as_signs(columns(turn.runs, blocks, MAP_COLUMNS))}" for turn in part.turns[:most]]
    used = {run.state for turn in part.turns for run in turn.runs}
    yield "### Where it happened"
    yield "Each row is a turn, from the first block of its prompt to the last."
    yield "\n".join(["```text", *rows, "```"])
    if len(part.turns) > most:
        yield f"{len(part.turns) - most:,} more turns are in the other forms of this report."
    yield bullets(words(f"{SIGNS[state]} {LEGEND[state]}") for state in SIGNS if state in used)


def _turns(part: SessionPart[Shown], most: int) -> Iterator[str]:
    told = [turn for turn in part.turns if turn.tells_more]
    if not told:
        return
    yield "### For engineers: turn by turn"
    for turn in told[:most]:
        yield "\n".join(_turn(turn))
    if len(told) > most:
        yield f"{len(told) - most:,} more turns are in the other forms of this report."


def _turn(turn: TurnPart[Shown]) -> Iterator[str]:
    account = account_sentence(turn.account, turn.prompt_tokens or 0) if turn.account else "The tokens are unknown."
    yield f"- Turn {turn.turn}, request {value(turn.request)}: {words(account)}"
    if turn.change is not None:
        yield f"  - {_change(turn.change)}"
    if turn.by_text is not None:
        yield f"  - {_by_text(turn.by_text)}"
    for reason in turn.reasons:
        yield f"  - {cause(reason.code, reason.words)}, {reason.confidence}{_owned(reason)}: {prose(reason.evidence)}"
    for code, said in turn.notes:
        yield f"  - {prose(said)} ({code_span(code)})"
    if turn.remark is not None:
        yield f"  - note in the log: {value(turn.remark)}"


def _owned(reason: Reason[Shown]) -> str:
    return f", {reason.tokens:,} tokens" if reason.tokens else ""


def _by_text(change: TextChange[Shown]) -> str:
    sides = (("before", change.old), ("now", change.new))
    spans = "".join(f", {word} {value(one)}" for word, one in sides if one)
    return f"by text, approximate: beside turn {change.previous}, {prose(change.place)}; {words(change.equal)}{spans}"


def _change(change: Change[Shown]) -> str:
    against = f"turn {change.against}" if change.against is not None else "the turn before"
    old, new = (value(one) if one else "nothing" for one in (change.old, change.new))
    place = f"leaves {against} at token {change.token:,} (block {change.block:,}), {prose(change.place)}"
    return f"{place}: {old} before, {new} now"
