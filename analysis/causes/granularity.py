"""Blocks too coarse for a hit: less than a block is the commonest false alarm, a very large one is a cause."""

from collections.abc import Iterator
from dataclasses import replace

from analysis.causes.base import Evidence, cause
from analysis.core.blocks import reusable_tokens
from analysis.model.finding import Cause, Note
from analysis.model.settings import DEFAULT_BLOCK_SIZE

FLOOR = "granularity/block-floor"
LARGEST_CHOSEN = 256  # tokens: beyond, no backend chooses the size, a hybrid's state has enlarged the block


def explain(evidence: Evidence) -> Iterator[Cause | Note]:
    """A note where tokens were equal and could not be hit because their block was not full or was the last one.

    A cause where the block is so large that blocks of the usual size would have been hit.  Its tokens are rounding,
    which no cause owns: it has none, and ``recovers`` says what such blocks would save.
    """
    account = evidence.now.account
    if account is None or not account.rounding or account.missed != 0:
        return
    size, prompt = evidence.source.settings.hit_size, evidence.now.prompt_tokens or 0
    finer = reusable_tokens(evidence.now.lcp_tokens or 0, prompt, DEFAULT_BLOCK_SIZE) - (evidence.now.best_tokens or 0)
    if size > LARGEST_CHOSEN and finer > 0:
        said = f"blocks have {size:,} tokens, so {account.rounding:,} equal tokens could not be hit"
        fix = "Lower --prefix-match-unit where the model allows it."
        yield replace(cause("granularity/large-block", "likely", 0, said, fix), recovers=finer)
    elif account.rounding <= size:
        yield Note(
            FLOOR,
            f"{account.rounding:,} equal tokens lie in a block that is not full, or in"
            f" the one that holds the last prompt token; blocks have {size:,}",
        )
