"""The block map of a report: an SVG within the page, one row per turn, that needs no script and no colour to be read.

Several blocks share a column where a prompt is long; then the most alarming state is drawn.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass

from analysis.model.finding import BLOCK_STATES, BlockRun, BlockState
from analysis.report.document import SessionPart
from analysis.report.map_rows import BLANK, LEGEND, STATE_WORDS, columns, num_blocks
from analysis.report.markup import text
from analysis.report.quotes import Shown
from analysis.report.turn_document import TurnPart

HOW_TO_READ = (
    "Each row is a turn, from the first token of its prompt to the last. A click leads to its tokens; on the map the"
    " keys n and p go to the next and the previous turn that leaves the one before it."
)
LEFT_OUT = (
    "The block map is left out: a report of several sessions has those of the sessions that wasted most. Every figure"
    " of it stands in the table of turns."
)
WIDTH = 960  # units of the drawing
LEFT = 34  # for the numbers of the turns
FINENESS = (460, 230, 115, 60)  # columns of a long prompt, the first that does not make the drawing too large
MOST_PIECES = 12_000  # of a drawing: a piece takes some 25 bytes
MOST_RUNS = 300  # that a row tells the script of
PATTERNS = (
    '<svg class="defs" aria-hidden="true" focusable="false"><defs>'
    '<pattern id="p-lost" width="5" height="5" patternUnits="userSpaceOnUse">'
    '<rect class="f-lost" width="5" height="5"/>'
    '<path class="ink" d="M0 5 5 0" stroke-width="1"/></pattern>'
    '<pattern id="p-missed" width="3" height="3" patternUnits="userSpaceOnUse">'
    '<rect class="f-missed" width="3" height="3"/><path class="ink" d="M1 0V3" stroke-width="1"/></pattern>'
    '<pattern id="p-unreported" width="4" height="4" patternUnits="userSpaceOnUse">'
    '<rect class="f-unreported" width="4" height="4"/><path class="hatch" d="M0 0 4 4" stroke-width="1.2"/></pattern>'
    "</defs></svg>"
)


@dataclass(frozen=True, slots=True)
class Drawn:
    """A row as it is drawn: runs of columns, of which ``width`` take the whole map."""

    runs: Sequence[BlockRun]
    width: int


def block_map(part: SessionPart[Shown], pieces: int = MOST_PIECES) -> str:
    """The map with its legend, drawn in at most about so many pieces; a sentence where no turn has known tokens."""
    blocks = num_blocks([turn.runs for turn in part.turns])
    if not blocks:
        return "<p>No turn of this session has known tokens, so there is no map.</p>"
    if not part.has_map:
        return f"<p>{LEFT_OUT}</p>"
    height = _row_height(len(part.turns))
    drawn = _drawn(part, blocks, pieces)
    rows = "".join(
        _row(part, turn, runs, at * height, height, blocks)
        for at, (turn, runs) in enumerate(zip(part.turns, drawn, strict=True))
    )
    words = {state[0]: STATE_WORDS[state] for state in BLOCK_STATES}
    label = (
        f"Block map of {len(part.turns):,} turns; the longest prompt has {blocks:,} blocks of"
        f" {part.block_size:,} tokens. Every figure of it stands in the table of turns."
    )
    return (
        f'<figure><svg class="map" role="group" aria-label="{text(label)}"'
        f' viewBox="0 0 {WIDTH} {len(part.turns) * height}" data-words="{text(json.dumps(words))}"'
        f' data-blocks="{blocks}" data-left="{LEFT}" data-width="{WIDTH - LEFT}">{rows}</svg>'
        f'<p class="told" aria-live="polite">{HOW_TO_READ}</p><figcaption>{_legend(part)}</figcaption></figure>'
    )


def _drawn(part: SessionPart[Shown], blocks: int, pieces: int) -> list[Drawn]:
    """The rows in as many columns as the drawing bears: where states change at every block these are fewer."""
    width = min(blocks, FINENESS[0])
    rows = [columns(turn.runs, blocks, width) for turn in part.turns]
    for fewer in FINENESS[1:]:
        if sum(map(len, rows)) <= pieces:
            break
        rows, width = [columns(runs, width, min(width, fewer)) for runs in rows], min(width, fewer)
    return [Drawn(runs, width) for runs in rows]


def _row_height(turns: int) -> int:
    return 16 if turns <= 24 else 10 if turns <= 90 else 6


def _row(part: SessionPart[Shown], turn: TurnPart[Shown], drawn: Drawn, top: int, height: int, blocks: int) -> str:
    scale = (WIDTH - LEFT) / drawn.width
    bars = "".join(_bars(state, drawn.runs, top, height, scale) for state in BLOCK_STATES)
    every = 1 if height > 9 else 5
    size = f'<text x="{LEFT - 6}" y="{top + height / 2 + 3:g}" text-anchor="end">{turn.turn}</text>'
    label = size if turn.turn % every == 0 or turn.turn == 1 else ""
    told = "".join(f"{run.state[0]}{run.stop - run.start}" for run in turn.runs) if len(turn.runs) <= MOST_RUNS else ""
    diverged = ' data-diverged=""' if turn.change else ""
    return (
        f'<a class="row" href="#s{part.number}t{turn.turn}" aria-label="{text(_said(turn))}" data-turn="{turn.turn}"'
        f' data-runs="{told}"{diverged}><title>{text(_said(turn))}</title>'
        f'<rect class="bar" x="{LEFT}" y="{top}" width="{WIDTH - LEFT}" height="{height - 1}"/>{label}{bars}'
        f"{_marks(part, turn, top, height, blocks)}</a>"
    )


def _bars(state: BlockState, runs: Sequence[BlockRun], top: int, height: int, scale: float) -> str:
    pieces = "".join(
        f"M{LEFT + run.start * scale:.4g} {top}h{max(0.8, (run.stop - run.start) * scale):.4g}v{height - 1}H"
        f"{LEFT + run.start * scale:.4g}z"
        for run in runs
        if run.state == state
    )
    return f'<path class="{state}" d="{pieces}"/>' if pieces else ""


def _marks(part: SessionPart[Shown], turn: TurnPart[Shown], top: int, height: int, blocks: int) -> str:
    """A diamond at the divergence, a tick where the server's hit ended."""
    per_block = (WIDTH - LEFT) / blocks
    marks = ""
    if turn.cached_tokens is not None:
        x = LEFT + min(turn.cached_tokens / part.block_size, blocks) * per_block
        marks += f'<path class="tick" d="M{x:.4g} {top}v{height - 1}"/>'
    if turn.change is not None:
        x, y, r = LEFT + (turn.change.block + 0.5) * per_block, top + (height - 1) / 2, min(height * 0.45, 6)
        marks += f'<path class="mark" d="M{x:.4g} {y - r:.4g}l{r:g} {r:g}-{r:g} {r:g}-{r:g}-{r:g}z"/>'
    return marks


def _said(turn: TurnPart[Shown]) -> str:
    """A row in words."""
    if turn.account is None:
        return f"Turn {turn.turn}: tokens unknown"
    left = f", leaves turn {turn.change.against} at token {turn.change.token:,}" if turn.change else ""
    cached = "cached tokens not reported" if turn.cached_tokens is None else f"{turn.cached_tokens:,} cached"
    missed = f", {turn.account.missed:,} missed" if turn.account.missed else ""
    prompt = f"{turn.prompt_tokens or 0:,} prompt tokens"
    return f"Turn {turn.turn}: {prompt}, {cached}{missed}, {turn.account.lost:,} lost{left}"


def _legend(part: SessionPart[Shown]) -> str:
    used = {run.state for turn in part.turns for run in turn.runs}
    items = [
        f'<li><svg aria-hidden="true" viewBox="0 0 20 14"><rect class="{state}" width="20" height="14"/></svg>'
        f"{text(LEGEND[state])}</li>"
        for state in BLOCK_STATES
        if state in used and state != "diverged"
    ]
    if any(turn.change for turn in part.turns):
        items.append(
            '<li><svg aria-hidden="true" viewBox="0 0 20 14"><path class="mark" d="M10 1l6 6-6 6-6-6z"/></svg>'
            f"{text(LEGEND['diverged'])}</li>"
        )
    if any(turn.cached_tokens is not None for turn in part.turns):
        items.append(
            '<li><svg aria-hidden="true" viewBox="0 0 20 14"><path class="tick" d="M10 0v14"/></svg>'
            "where the server's hit ended (reported)</li>"
        )
    ends = {turn.runs[-1].stop for turn in part.turns if turn.runs}
    if len(ends) > 1:
        items.append(
            '<li><svg aria-hidden="true" viewBox="0 0 20 14"><rect class="blank" x="1" y="1" width="18" height="12"/>'
            f"</svg>{BLANK}</li>"
        )
    return f'<ul class="legend">{"".join(items)}</ul>'
