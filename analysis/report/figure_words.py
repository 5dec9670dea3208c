"""Figures in plain words: the account of a turn as one sum, how its tokens are known, what a missing figure means."""

from collections.abc import Mapping

from analysis.model.finding import Account
from analysis.model.session import CachedBasis

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
