"""The engineers' part of a report's page: every turn that leaves the one before it or has a cause, with its tokens."""

from analysis.report.document import SessionPart
from analysis.report.figure_words import BASIS, account_sentence
from analysis.report.links import linked, linked_prose, place, tokens_place
from analysis.report.markup import Kind, bullets, number, numbers, paragraph, prose, table, text, value
from analysis.report.quotes import Placeholder, Prose, Shown
from analysis.report.turn_document import Box, Change, Column, Reason, TextChange, TurnPart
from analysis.report.words import cause_headline

IN_REPLY = "The lost tokens stood in the reply of the turn before, its prompt came unchanged."
HEADS: tuple[tuple[str, Kind], ...] = (
    *numbers("Turn", "After", "Prompt", "Cached", "Predicted", "Missed", "Lost", "New"),
    ("What happened", "words"),
)


def turn_table(part: SessionPart[Shown]) -> str:
    """Every turn in a row; those that have more to say lead there."""
    caption = (
        "All figures are tokens, “after” is seconds since the first turn. Cached is what the server reported, predicted"
        " what earlier requests left. A ? is unknown."
    )
    return table(caption, HEADS, ([*_cells(part, turn)] for turn in part.turns))


def turn_articles(part: SessionPart[Shown]) -> str:
    """What there is to say of single turns beyond the table."""
    return "".join(_article(part, turn) for turn in part.turns if turn.tells_more)


def _cells(part: SessionPart[Shown], turn: TurnPart[Shown]) -> tuple[str, ...]:
    account = turn.account
    here = place(part, turn.turn)
    link = f'<a href="#{here}">{turn.turn}</a>' if turn.tells_more else f'<span id="{here}">{turn.turn}</span>'
    after = "" if turn.after is None else f"{turn.after:,.0f} s"
    missed, lost, new = (account.missed, account.lost, account.new) if account else (None, None, None)
    return (
        link,
        after,
        number(turn.prompt_tokens),
        number(turn.cached_tokens),
        number(turn.reusable_tokens),
        _bad(missed),
        _bad(lost),
        number(new),
        text("; ".join(dict.fromkeys(reason.words for reason in turn.reasons))),
    )


def _bad(count: int | None) -> str:
    return f'<span class="bad">{count:,}</span>' if count else number(count)


def _article(part: SessionPart[Shown], turn: TurnPart[Shown]) -> str:
    model = f" · model {value(turn.model)}" if turn.model.text != part.model.text else ""
    salt = f" · {text(turn.salt)}" if turn.salt else ""
    lineage = f" · lineage {value(turn.lineage)}" if turn.lineage else ""
    client = f" · client {value(turn.client)}" if turn.client else ""
    lacks = f" · {text(turn.lacks)}" if turn.lacks else ""
    account = account_sentence(turn.account, turn.prompt_tokens or 0) if turn.account else "The tokens are unknown."
    in_reply = f". {IN_REPLY}" if turn.in_reply else ""
    silent = "" if turn.cached_tokens is not None else f"Cached tokens are {BASIS[turn.cached_basis]}."
    return (
        f'<article class="turn" id="{place(part, turn.turn)}"><h4>Turn {turn.turn}</h4>'
        f'<p class="sub">request {value(turn.request)}{model}{salt}{lineage}{client}{lacks} · {text(turn.fidelity)}</p>'
        f"{paragraph(text(account + in_reply))}{paragraph(text(silent))}"
        f"{_change(part, turn.turn, turn.change) if turn.change else ''}"
        f"{_by_text(part, turn.by_text) if turn.by_text else ''}"
        f"{bullets(_reason(part, one) for one in turn.reasons)}{paragraph(_donor(part, turn.donor))}"
        f"{bullets(f'{linked_prose(part, said)} {_code(code)}' for code, said in turn.notes)}"
        f"{paragraph('Note in the log: ' + value(turn.remark)) if turn.remark else ''}</article>"
    )


def _code(code: str) -> str:
    return f'<span class="code">{text(code)}</span>'


def _donor(part: SessionPart[Shown], said: Prose[Shown]) -> str:
    """Whose blocks a turn could reuse; a turn of another session is no place of this one."""
    return linked_prose(part, said) if len(said) == 1 else prose(said)


def _reason(part: SessionPart[Shown], reason: Reason[Shown]) -> str:
    marks = [reason.confidence, *(["hidden behind another"] if reason.hidden else [])]
    marks += ["deliberate"] if reason.deliberate else []
    marks += [f"{reason.tokens:,} tokens"] if reason.tokens else []
    marks += [f"undoing it saves {reason.recovers:,} tokens here"] if reason.recovers is not None else []
    field = f' · <span class="code">{text(reason.field)}</span>' if reason.field else ""
    evidence = linked_prose(part, reason.evidence)
    words = f'<span class="what">{text(cause_headline(reason.code))}</span>'
    return f"{words} ({text(', '.join(marks))}){field}: {evidence}. {_code(reason.code)}"


def _change(part: SessionPart[Shown], turn: int, change: Change[Shown]) -> str:
    against = f"turn {change.against}" if change.against is not None else "the turn before"
    sides = (("before", change.old), ("now", change.new))
    spans = bullets(f"{word}: {value(one) if one else 'nothing'}" for word, one in sides)
    columns = "".join(_column(part, change, column) for column in change.columns)
    at = f"Leaves {against} at token {change.token:,} (block {change.block:,}), "
    sides_of = f'<div class="sides" id="{tokens_place(part, turn)}">{columns}</div>' if columns else ""
    return (
        f"<p>{linked(part, at)}{linked_prose(part, change.place)}.</p>"
        f"{paragraph(text(change.fields), 'code')}{spans}{sides_of}"
    )


def _by_text(part: SessionPart[Shown], change: TextChange[Shown]) -> str:
    sides = (("before", change.old), ("now", change.new))
    spans = bullets(f"{word}: {value(one)}" for word, one in sides if one)
    beside = linked(part, f"By text, approximate: beside turn {change.previous}, ")
    return paragraph(f"{beside}{linked_prose(part, change.place)}; {text(change.equal)}.") + spans


def _column(part: SessionPart[Shown], change: Change[Shown], column: Column[Shown]) -> str:
    if not column.boxes:
        return ""
    first, last = column.boxes[0].position, column.boxes[-1].position
    differs = sum(box.differs for box in column.boxes)
    rows: list[str] = []
    blocks: dict[int, list[Box[Shown]]] = {}
    for box in column.boxes:
        blocks.setdefault(box.position // part.block_size, []).append(box)
    for block, boxes in blocks.items():
        cells = "".join(_box(box, change.token) for box in boxes)
        rows.append(f'<div class="boxes"><span>{block:,}</span><div>{cells}</div></div>')
    label = f"Turn {column.turn}, tokens {first:,} to {last:,}: {differs:,} of {len(column.boxes):,} differ"
    return f'<section aria-label="{text(label)}"><h5>{text(label)}</h5>{"".join(rows)}</section>'


def _box(box: Box[Shown], divergence: int) -> str:
    empty = isinstance(box.text, Placeholder)
    kinds = "".join(
        mark
        for mark, on in (
            ("d", box.differs), ("g", box.generated), ("f", box.position == divergence), ("e", empty),
        )
        if on
    )  # fmt: skip
    named = f' class="{" ".join(kinds)}"' if kinds else ""
    if empty:
        return f"<i{named}></i>"
    known = f" · id {box.token_id.text}" if box.token_id.text else ""
    broken = "<br>" if box.text.text.endswith("↵") else ""
    return f'<i{named} title="{box.position}{text(known)}">{text(box.text.text)}</i>{broken}'
