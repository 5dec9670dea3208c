"""What is to be said of a session beside its turns: what an analysis noted, and cached counts that are no whole blocks.

Does not guess the block size of an analysis: it is given, or said by the server.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import gcd

from analysis.formats.base import and_more
from analysis.model.session import Problem, Session
from analysis.model.settings import Settings

BLOCK_SIZES = 8  # tokens: every block size of vLLM is a multiple of it


def session_problems(session: Session, noted: Sequence[Problem], settings: Settings) -> tuple[Problem, ...]:
    """The problems of a session as they are shown, each once; ``noted`` are those of its turns."""
    return (*_grouped(noted), *_odd_counts(session, settings))


def _grouped(problems: Sequence[Problem]) -> Iterator[Problem]:
    """Problems with those of the same words counted under the first."""
    counts = Counter(problem.message for problem in problems)
    for problem in {problem.message: problem for problem in reversed(problems)}.values():
        yield replace(problem, message=and_more(problem.message, counts[problem.message] - 1))


def _odd_counts(session: Session, settings: Settings) -> tuple[Problem, ...]:
    """A cached count that is no multiple of the block size: the block size is wrong, and the page must say so."""
    counts = [turn.usage.cached_tokens for turn in session.turns if turn.usage.cached_tokens]
    odd = next((turn for turn in session.turns if (turn.usage.cached_tokens or 0) % settings.block_size), None)
    if odd is None:
        return ()
    fits = gcd(*counts)
    said = (
        f"cached_tokens {odd.usage.cached_tokens} is no multiple of the block size {settings.block_size}"
        f" ({settings.block_size_basis})."
    )
    if fits % BLOCK_SIZES:
        remedy = (
            "No block size of vLLM fits: a hosted API or a gateway counts otherwise, so do not expect whole blocks."
        )
    else:
        remedy = f"The largest size that fits every turn is {fits}: --block-size {fits}."
    return (Problem(session.file, odd.line, f"{said} {remedy}"),)
