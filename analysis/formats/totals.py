"""Counts of sources that do not agree whether a prompt includes its cached tokens: the total of the call tells.

Does not guess against a total: where prompt and output alone make it up, the cached tokens are within the prompt.
"""

from dataclasses import dataclass

from analysis.formats.calls import count, usage
from analysis.model.session import Json, Usage


@dataclass(frozen=True, slots=True)
class Counts:
    """What a source counted of one call, in tokens: those read from and newly ``created`` in the cache beside others.

    ``apart`` is what the source does by its own rule: the prompt without those in the cache.
    """

    prompt: Json
    output: Json
    cached: Json
    created: Json = None
    total: Json = None
    apart: bool = False

    @property
    def shows_apart(self) -> bool | None:
        """Whether these very counts show that the prompt is without those in the cache; None where they show neither.

        More tokens in the cache than in the prompt cannot be within it, whatever the total says.
        """
        asked, answered, whole = count(self.prompt), count(self.output) or 0, count(self.total)
        beside = (count(self.cached) or 0) + (count(self.created) or 0)
        if asked is None or not beside:
            return None
        if beside > asked or whole == asked + answered + beside:
            return True
        return False if whole == asked + answered else None

    def usage(self, others_apart: bool = False) -> Usage:
        """The usage, the prompt with its cached tokens in it.

        ``others_apart``: other counts of the same source show that it counts apart, which decides where these do not.
        """
        shown = self.shows_apart
        apart = (self.apart or others_apart) if shown is None else shown
        return usage(self.prompt, self.output, self.cached, created=self.created, apart=apart)


def settled(
    prompt: Json,
    output: Json,
    cached: Json,
    *,
    created: Json = None,
    total: Json = None,
    apart: bool = False,
) -> Usage:
    """Counts of one call in tokens, the prompt with its cached tokens in it, settled by themselves.

    >>> settled(10, 5, 90, total=105).prompt_tokens, settled(100, 5, 90, total=105, apart=True).prompt_tokens
    (100, 100)
    """
    return Counts(prompt, output, cached, created, total, apart).usage()
