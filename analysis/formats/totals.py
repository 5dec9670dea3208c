"""Counts of sources that do not agree whether a prompt includes its cached tokens: the total of the call tells.

Does not guess against a total: where prompt and output alone make it up, the cached tokens are within the prompt.
"""

from analysis.formats.calls import count, usage
from analysis.model.session import Json, Usage


def settled(
    prompt: Json,
    output: Json,
    cached: Json,
    *,
    created: Json = None,
    total: Json = None,
    apart: bool = False,
) -> Usage:
    """Counts of one call in tokens, the prompt with its cached tokens in it.

    ``apart`` is what the source does by its own rule (the prompt without those read from and ``created`` in the
    cache); the ``total`` of the call goes first, and more tokens in the cache than in the prompt cannot be within it.

    >>> settled(10, 5, 90, total=105).prompt_tokens, settled(100, 5, 90, total=105, apart=True).prompt_tokens
    (100, 100)
    """
    asked, answered, read = count(prompt), count(output) or 0, count(cached) or 0
    beside = read + (count(created) or 0)
    if asked is not None and beside:
        whole = count(total)
        if whole in (asked + answered, asked + answered + beside):
            apart = whole != asked + answered
        apart = apart or read > asked
    return usage(prompt, output, cached, created=created, apart=apart)
