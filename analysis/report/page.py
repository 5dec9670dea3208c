"""A report as one HTML file that asks no host for anything: to be mailed, archived, printed, read without scripts.

First what happened and what to do, in words for whoever has the problem; then every turn, for whoever fixes it.
"""

import base64
import hashlib
from pathlib import Path

from analysis.report.document import Finding, Overview, Report, SessionPart, Shown, Step
from analysis.report.figure_words import Figure
from analysis.report.leaving import said_of_scope
from analysis.report.markup import bare, bullets, paragraph, prose, table, text, value
from analysis.report.page_map import PATTERNS, block_map
from analysis.report.page_turns import turn_articles, turn_table
from analysis.report.palette import DARK, LIGHT, Palette

_HERE = Path(__file__).parent
SCRIPT = (_HERE / "page.js").read_text("utf-8")
COLOURS = ("background", "text", "grid", "prompt", "reported", "hatch", "link", "soft")
MOST_LINKS = 12  # turns that a cause names


def as_page(report: Report[Shown]) -> str:
    """The whole file."""
    style, script = _style(), SCRIPT
    policy = (
        f"default-src 'none'; style-src '{_digest(style)}'; script-src '{_digest(script)}';"
        " base-uri 'none'; form-action 'none'"
    )
    title = _title(report)
    fleet = _fleet(report) if len(report.overview) > 1 else ""
    sessions = "".join(map(_session, report.sessions))
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<meta name="referrer" content="no-referrer"><meta name="color-scheme" content="light dark">'
        f"<title>{text(title)}</title><style>{style}</style></head><body>"
        f'<a class="skip" href="#main">To the report</a>{PATTERNS}<div class="page"><header><h1>{text(title)}</h1>'
        f"{_leaves(report)}</header>"
        f'<main id="main">{_contents(report)}{fleet}{sessions}{_problems(report)}</main>'
        f"<footer><p>Made by Whymiss {text(report.version)}. Blocks are runs of tokens that vLLM keeps for reuse; a"
        " prompt is reused from its first token up to the first one that differs. Predicted figures follow from the"
        " log, reported ones are the server's own.</p></footer>"
        f"</div><script>{script}</script></body></html>\n"
    )


def _title(report: Report[Shown]) -> str:
    if len(report.overview) == 1 and report.sessions:
        return f"Prefix cache report: {report.sessions[0].name.text}"
    return f"Prefix cache report: {len(report.overview):,} sessions"


def _style() -> str:
    dark = f"@media screen and (prefers-color-scheme: dark) {{ :root {{ {_colours(DARK)} }} }}"
    return f":root {{ {_colours(LIGHT)} }}\n{dark}\n{(_HERE / 'page.css').read_text('utf-8')}"


def _colours(theme: Palette) -> str:
    states = [(str(state), colour) for state, colour in theme.states.items()]
    others = [(name, getattr(theme, name)) for name in COLOURS]
    return " ".join(f"--{name}: {colour};" for name, colour in (*states, *others))


def _digest(source: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(source.encode("utf-8")).digest()).decode()


def _leaves(report: Report[Shown]) -> str:
    return f'<div class="note" role="note">{"".join(paragraph(text(line)) for line in said_of_scope(report))}</div>'


def _contents(report: Report[Shown]) -> str:
    if len(report.sessions) < 2:
        return ""
    links = (f'<a href="#s{one.number}">{bare(one.name)}</a>' for one in report.sessions)
    return f'<nav aria-label="Sessions of this report"><p class="sub">{" · ".join(links)}</p></nav>'


def _fleet(report: Report[Shown]) -> str:
    causes = table(
        "Causes over all sessions, by wasted tokens",
        (("Cause", True), ("What it means", True), ("Wasted tokens", False), ("Sessions", False)),
        ([f'<span class="code">{text(code)}</span>', text(words), f"{tokens:,}", f"{sessions:,}"]
         for code, words, tokens, sessions in report.causes),
    )  # fmt: skip
    rows = table(
        "Sessions, the costliest first",
        (("Session", True), ("Verdict", True), ("Turns", False), ("Prompt", False), ("Hit rate", False),
         ("Wasted", False)),
        (_overview(one) for one in report.overview),
    )  # fmt: skip
    left = sum(not one.detailed for one in report.overview)
    more = f"{left:,} sessions that wasted less are in this table only." if left else ""
    return (
        f'<section aria-labelledby="fleet"><h2 id="fleet">All sessions</h2>{_tiles(report.fleet)}'
        f"{causes if report.causes else paragraph('No tokens were wasted.')}{rows}{paragraph(more)}</section>"
    )


def _overview(one: Overview[Shown]) -> list[str]:
    name = f'<a href="#s{one.number}">{bare(one.name)}</a>' if one.detailed else bare(one.name)
    rate = "?" if one.hit_rate is None else f"{one.hit_rate:.1%}"
    return [name, text(one.verdict), f"{one.num_turns:,}", f"{one.prompt_tokens:,}", rate, f"{one.wasted_tokens:,}"]


def _tiles(figures: tuple[Figure, ...]) -> str:
    cells = "".join(
        f"<div><dt>{text(one.label)}</dt><dd>{text(one.value)}</dd>"
        + "".join(f'<dd class="small">{text(more)}</dd>' for more in (one.note, one.words) if more)
        + "</div>"
        for one in figures
    )
    return f'<dl class="tiles">{cells}</dl>'


def _session(part: SessionPart[Shown]) -> str:
    n = part.number
    started = f" · {value(part.started)}" if part.started else ""
    return (
        f'<section class="session" id="s{n}" aria-labelledby="s{n}h"><h2 id="s{n}h">{bare(part.name)}</h2>'
        f'<p class="verdict">{text(part.verdict)}</p>'
        f'<p class="sub">from {value(part.source)} · model {value(part.model)} · log format'
        f" {text(part.log_format)}{started}</p>"
        f"{_tiles(part.figures)}{paragraph(text(part.summary))}"
        f"{_happened(part)}{_plan(part)}"
        f"<h3>Where it happened</h3>{block_map(part)}"
        f"<h3>Turn by turn</h3>{turn_table(part)}"
        f"{_engineers(part)}</section>"
    )


def _happened(part: SessionPart[Shown]) -> str:
    if not part.findings:
        return ""
    items = "".join(_finding(part, one) for one in part.findings)
    return f'<h3>What happened, and why</h3><ul class="cards">{items}</ul>'


def _finding(part: SessionPart[Shown], one: Finding[Shown]) -> str:
    links = ", ".join(f'<a href="#s{part.number}t{turn}">{turn}</a>' for turn in one.turns[:MOST_LINKS])
    more = f" and {len(one.turns) - MOST_LINKS:,} more" if len(one.turns) > MOST_LINKS else ""
    tokens = f"{one.tokens:,} tokens computed again" if one.tokens else "It cost no tokens of its own"
    meant = "This was meant and counts as no fault. " if one.deliberate else ""
    turns = "turn" if len(one.turns) == 1 else "turns"
    return (
        f'<li{" class=meant" if one.deliberate else ""}><p class="what">{text(one.words)}</p>'
        f"<p>{meant}{tokens}, in {turns} {links}{more}.</p>"
        f"<p>Seen first in turn {one.turns[0]}: {prose(one.evidence)}. "
        f'<span class="sub">({text(one.confidence)})</span></p>'
        f'<p class="fix">{prose(one.fix)}</p><p class="code">{text(one.code)}</p></li>'
    )


def _plan(part: SessionPart[Shown]) -> str:
    if not part.plan:
        return ""
    steps = "".join(map(_step, part.plan))
    return f'<h3>What to do, in this order</h3>{paragraph(text(part.plan_total))}<ol class="steps">{steps}</ol>'


def _step(step: Step[Shown]) -> str:
    return (
        f'<li><p class="what">{text(step.words)}</p><p class="fix">{prose(step.fix)}</p>'
        f"<p>{text(step.tokens)}; {prose(step.worth)}. {text(step.also)}</p>"
        f'<p class="code">{text(step.code)} · {text(step.turns)}</p></li>'
    )


def _engineers(part: SessionPart[Shown]) -> str:
    articles = turn_articles(part)
    left = part.columns_left_out
    note = f"The tokens around {left:,} of the divergences, which cost less, are left out." if left else ""
    key = (
        "yellow: not in the other prompt here · framed: the first token that differs · dashed: generated by the model"
        " · the number before a row is its block"
    )
    settings = "".join(f"<dt>{text(name)}</dt><dd>{text(said)}</dd>" for name, said in part.settings)
    return (
        (f'<h3>For engineers: the tokens</h3>{paragraph(text(key), "sub")}{articles}{paragraph(text(note))}'
         if articles else "")
        + f'<h3>How it was measured</h3><dl class="pairs">{settings}</dl>{bullets(map(text, part.measured))}'
        + (f"<h4>What the server did not report</h4>{bullets(map(text, part.unreported))}" if part.unreported else "")
        + bullets(map(text, part.reconciled))
        + (f"<h4>What could not be read</h4>{bullets(map(prose, part.problems))}" if part.problems else "")
    )  # fmt: skip


def _problems(report: Report[Shown]) -> str:
    if not report.problems:
        return ""
    return f"<section><h2>What could not be read</h2>{bullets(map(prose, report.problems))}</section>"
