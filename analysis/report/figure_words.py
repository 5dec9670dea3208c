"""Figures in plain words: the account of a turn as one sum, how its tokens are known, what a missing figure means."""

from collections.abc import Mapping
from dataclasses import dataclass

from analysis.model.finding import Account
from analysis.model.record import SessionFigures
from analysis.model.session import CachedBasis
from analysis.report.words import counted

UNKNOWN = "?"  # as in the tables of the command line; a word is cut off in a tile of a narrow window

FIDELITY: Mapping[str, str] = {
    "logged": "token ids from the log",
    "exact": "rendered, and as long as the server counted",
    "approximate": "rendered, with nothing to check against",
    "mismatch": "rendered to another length than the server counted: wrong tokenizer or template",
}
BASIS: Mapping[CachedBasis, str] = {
    "reported": "reported by the server",
    "omitted": "not in the usage: an older vLLM leaves out a zero, so they may be 0 or unknown",
    "disabled": "not reported: start the server with --enable-prompt-tokens-details",
    "not-recorded": "unknown: there is no usage in the log",
}


@dataclass(frozen=True, slots=True)
class Figure:
    """A number as text with its unit in the label; ``note`` stands beside it, ``words`` say what it counts."""

    label: str
    value: str
    note: str | None = None
    words: str | None = None


def key_figures(sums: SessionFigures) -> tuple[Figure, ...]:
    """A session in six numbers."""
    nothing, is_wrong = not sums.is_measured, bool(sums.mismatched_turns) and not sums.is_measured
    hit_rate = share(None if is_wrong else sums.hit_rate)
    missed = f"{sums.missed_tokens:,}" if sums.known_turns and not nothing else UNKNOWN
    prompt = f"{sums.prompt_tokens:,}" if sums.prompt_tokens and not is_wrong else UNKNOWN
    reusable, lost = (UNKNOWN if nothing else f"{number:,}" for number in (sums.reusable_tokens, sums.lost_tokens))
    known = None if sums.known_turns == sums.num_turns else f"over {sums.known_turns} of {sums.num_turns} turns"
    return (
        Figure("Turns", f"{sums.num_turns:,}", _parted(sums, nothing)),
        Figure("Prompt tokens", prompt, None, "Summed over all turns."),
        Figure("Hit rate (reported)", hit_rate, known, "Cached over prompt tokens."),
        Figure("Predicted reuse", reusable, None, "What earlier requests with the same keys left."),
        Figure("Missed", missed, None, "Tokens that had not changed and were computed again: keys, memory or routing."),
        Figure("Lost", lost, None, "Tokens the server had seen, computed again behind a change."),
    )


def known(tokens: int | None) -> str:
    """A count of tokens in a table; a mark where it is not known."""
    return UNKNOWN if tokens is None else f"{tokens:,}"


def share(fraction: float | None) -> str:
    """A fraction, 0 to 1, in percent; a mark where it is not known, which is no zero."""
    return UNKNOWN if fraction is None else f"{fraction:.1%}"


def percent(value: float | None) -> str:
    """A share that is given in percent; a mark where it is not known."""
    return UNKNOWN if value is None else f"{value:.1f}%"


def account_sentence(account: Account, prompt_tokens: int) -> str:
    """The token account as one sum."""
    names = (
        ("cached", account.cached),
        ("missed", account.missed),
        ("reusable, not reported", account.reusable_unreported),
        ("rounding", account.rounding),
        ("lost", account.lost),
        ("new", account.new),
    )
    terms = " + ".join(f"{value:,} {name}" for name, value in names if value is not None)
    if account.beyond_prediction:
        terms += f" · {account.beyond_prediction:,} of the cached tokens came from traffic outside this log"
    return f"{prompt_tokens:,} prompt tokens = {terms}"


def _parted(sums: SessionFigures, nothing: bool) -> str | None:
    """How many turns leave the turn before them: by their tokens or, where none is known, by their text."""
    if not nothing:
        return counted(sums.num_divergences, "divergence")
    return f"{counted(sums.text_changes + sums.text_meant, 'change')} by text" if sums.text_turns else None
