"""The token account: every prompt position booked under exactly one name, the first that matches.

    prompt = cached + missed + rounding + lost + new

Does not ask why tokens were missed or lost; that is what causes are for.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from analysis.core.align import seen_elsewhere
from analysis.core.blocks import reusable_tokens
from analysis.model.finding import BLOCK_STATES, UNEXPLAINED, Account, BlockRun, BlockState, Part, PartName
from analysis.model.record import TurnRecord
from analysis.model.session import TokenIds


@dataclass(frozen=True, slots=True)
class Facts:
    """What the account is drawn from, in tokens.

    ``lcp_tokens`` is the common prefix with the donor, ``best_tokens`` what could be reused of it with the keys
    unchanged and memory unlimited, ``cached_tokens`` the server's word or None.
    """

    prompt_tokens: int
    lcp_tokens: int
    best_tokens: int
    cached_tokens: int | None


def best_tokens(lcp_tokens: int, prompt_tokens: int, block_size: int) -> int:
    """What a donor with this common prefix lets the turn reuse, in tokens."""
    return reusable_tokens(lcp_tokens, prompt_tokens, block_size)


def parts(facts: Facts, prompt: TokenIds, previous_rest: TokenIds | None) -> tuple[Part, ...]:
    """Book the whole prompt.  ``previous_rest`` is what the previous turn's sequence holds after its divergence.

    On first turns there is no previous turn: None, and nothing is lost.
    """
    cached = facts.cached_tokens
    served = min(facts.prompt_tokens, cached if cached is not None else 0)
    reusable = max(served, facts.best_tokens)
    aligned = max(reusable, min(facts.lcp_tokens, facts.prompt_tokens))
    booked = [
        Part(0, served, "cached"),
        Part(served, reusable, "unreported" if cached is None else "missed"),
        Part(reusable, aligned, "rounding"),
        *_lost_and_new(aligned, prompt, previous_rest),
    ]
    return tuple(part for part in booked if part.stop > part.start)


def account(facts: Facts, booked: tuple[Part, ...]) -> Account:
    """Add the parts up."""
    sums: dict[PartName, int] = {}
    for part in booked:
        sums[part.name] = sums.get(part.name, 0) + part.stop - part.start
    known = facts.cached_tokens is not None
    return Account(
        cached=sums.get("cached", 0) if known else None,
        missed=sums.get("missed", 0) if known else None,
        rounding=sums.get("rounding", 0),
        lost=sums.get("lost", 0),
        new=sums.get("new", 0),
        reusable_unreported=None if known else sums.get("unreported", 0),
        beyond_prediction=max(0, (facts.cached_tokens or 0) - facts.best_tokens),
    )


def computed_again(account: Account | None) -> int:
    """The tokens of a turn that the server had seen and computed again: missed, as far as it said, and lost."""
    return (account.missed or 0) + account.lost if account else 0


def wasted_by_cause(turns: Iterable[TurnRecord]) -> dict[str, int]:
    """Missed and lost tokens by the code of their cause, the largest first; what no cause owns is ``unexplained``.

    Turns with a deliberate event are left out: nothing of them is wasted.
    """
    tokens: dict[str, int] = {}
    for turn in turns:
        if any(cause.deliberate for cause in turn.causes) or turn.account is None:
            continue
        left = computed_again(turn.account)
        for cause in turn.causes:
            owned = min(cause.tokens or 0, left)
            tokens[cause.code] = tokens.get(cause.code, 0) + owned
            left -= owned
        if left:
            tokens[UNEXPLAINED] = tokens.get(UNEXPLAINED, 0) + left
    return dict(sorted(((code, number) for code, number in tokens.items() if number), key=lambda it: -it[1]))


def lost_in_output(turn: TurnRecord, turns: Iterable[TurnRecord]) -> int | None:
    """Of the lost tokens of a turn, those that stood in the reply before it: its history was sent again unchanged.

    All of them where the turn leaves the previous one behind its prompt, else none; None without an account.
    """
    if turn.account is None:
        return None
    before = next((one for one in turns if turn.previous and one.turn == turn.previous.turn), None)
    if turn.divergence is None or before is None or before.prompt_tokens is None:
        return 0
    return turn.account.lost if turn.divergence.token >= before.prompt_tokens else 0


STATE_OF_PART: dict[PartName, BlockState] = {
    "cached": "reused",
    "missed": "missed",
    "unreported": "unreported",
    "rounding": "tail",
    "lost": "lost",
    "new": "new",
}
ALARM: tuple[BlockState, ...] = ("reused", "unreported", "new", "lost", "tail", "missed")  # rising


def block_runs(booked: tuple[Part, ...], block_size: int, diverged_block: int | None) -> tuple[BlockRun, ...]:
    """The state of every block of a prompt as runs: the part most of its tokens are in, ties the more alarming.

    The block that holds the divergence is ``diverged``.  The partial block at the end counts as a block.
    """
    if not booked:
        return ()
    states = _states(booked, block_size)
    if diverged_block is not None and diverged_block < len(states):
        states[diverged_block] = BLOCK_STATES.index("diverged")
    breaks = np.flatnonzero(np.diff(states)) + 1
    starts = [0, *breaks.tolist()]
    stops = [*breaks.tolist(), len(states)]
    return tuple(
        BlockRun(start, stop, BLOCK_STATES[int(states[start])]) for start, stop in zip(starts, stops, strict=True)
    )


def _states(booked: tuple[Part, ...], block_size: int) -> npt.NDArray[np.int64]:
    """Index into BLOCK_STATES per block, shape ``(num_blocks,)``."""
    num_blocks = -(-booked[-1].stop // block_size)
    counts = np.zeros((len(ALARM), num_blocks), np.int64)
    for part in booked:
        row = counts[ALARM.index(STATE_OF_PART[part.name])]
        first, last = part.start // block_size, (part.stop - 1) // block_size
        if first == last:
            row[first] += part.stop - part.start
            continue
        row[first] += (first + 1) * block_size - part.start
        row[first + 1 : last] = block_size
        row[last] += part.stop - last * block_size
    winner = len(ALARM) - 1 - counts[::-1].argmax(axis=0)  # argmax takes the first: turned round, the most alarming
    wire = np.array([BLOCK_STATES.index(state) for state in ALARM])
    states: npt.NDArray[np.int64] = wire[winner]
    return states


def _lost_and_new(start: int, prompt: TokenIds, previous_rest: TokenIds | None) -> list[Part]:
    rest = prompt[start:]
    if not len(rest):
        return []
    if previous_rest is None:
        return [Part(start, len(prompt), "new")]
    lost = seen_elsewhere(rest, previous_rest)
    edges = [0, *(np.flatnonzero(np.diff(lost.astype(np.int8))) + 1).tolist(), len(rest)]
    return [Part(start + left, start + right, "lost" if lost[left] else "new") for left, right in pairwise(edges)]
