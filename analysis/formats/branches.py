"""Which conversation of a session every call belongs to, where calls name the one that they continue.

Of several calls that continue the same one, that on which the session was carried on keeps its lineage; the others
were given up and are lineages of their own.  Does not know lines or messages.
"""

from collections.abc import Collection, Mapping

Span = tuple[str | None, float, float]  # the strand of a call, and the first and the last place of its reply


def lineages(
    calls: Mapping[str, Span], continued: Mapping[str, str | None], retracted: Collection[str] = ()
) -> dict[str, str | None]:
    """The lineage of every call; None is the session's own conversation.

    A strand is a conversation beside the others, as that of a sub-agent is.  A ``retracted`` call is carried on only
    where there is no other.
    """
    order = sorted(calls, key=lambda call: calls[call][1])
    above = {call: _above(call, calls, continued) for call in order}
    latest = {call: calls[call][2] for call in order}
    for call in reversed(order):
        if (before := above[call]) is not None:
            latest[before] = max(latest[before], latest[call])
    kept: dict[tuple[str | None, str | None], str] = {}
    for call in order:
        group = (above[call], calls[call][0])
        rival = kept.get(group)
        if rival is None or (call not in retracted, latest[call]) > (rival not in retracted, latest[rival]):
            kept[group] = call
    return _named(order, above, calls, set(kept.values()), retracted)


def _above(call: str, calls: Mapping[str, Span], continued: Mapping[str, str | None]) -> str | None:
    """The earlier call on the same strand that this one continues."""
    before = continued.get(call)
    if before is None or before not in calls:
        return None
    strand, place, _last = calls[call]
    return before if calls[before][0] == strand and calls[before][1] < place else None


def _named(
    order: list[str],
    above: Mapping[str, str | None],
    calls: Mapping[str, Span],
    kept: Collection[str],
    retracted: Collection[str],
) -> dict[str, str | None]:
    named: dict[str, str | None] = {}
    counts = {"branch": 0, "retracted": 0}
    for call in order:
        before, strand = above[call], calls[call][0]
        if call in kept:
            named[call] = strand if before is None else named[before]
            continue
        kind = "retracted" if call in retracted else "branch"
        counts[kind] += 1
        named[call] = " ".join(filter(None, (strand, f"{kind}-{counts[kind]}")))
    return named
