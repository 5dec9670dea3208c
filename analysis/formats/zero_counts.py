"""Cached counts of 0 that a client may have made up: some write 0 where the server said nothing.

Whether a server counts is seen in the log: a model with any other count has one.  Does not judge a count above 0.
"""

from collections.abc import Collection, Sequence
from dataclasses import replace

from analysis.formats.grouping import Entry
from analysis.model.session import Usage


def without_doubtful_zeros(entries: Sequence[Entry], counting: Collection[str] = ()) -> list[Entry]:
    """The entries, cached tokens unknown where they are 0 in all calls of a model.

    ``counting`` are models that are known to count by something else in the log.
    """
    known = {entry.turn.request.model for entry in entries if entry.turn.usage.cached_tokens} | set(counting)
    return [entry if entry.turn.request.model in known else _doubted(entry) for entry in entries]


def _doubted(entry: Entry) -> Entry:
    usage = entry.turn.usage
    if usage.cached_tokens != 0:
        return entry
    unknown = Usage(usage.prompt_tokens, usage.output_tokens, None, "omitted")
    return replace(entry, turn=replace(entry.turn, usage=unknown))
