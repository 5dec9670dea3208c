"""Two sets that are worth a look in what is stored: before and after a day, two clients, models, labels or logs.

Works on frames alone.  Sessions that are known to be samples are left out for as long as there are others.
"""

from collections.abc import Collection
from dataclasses import dataclass, replace
from datetime import date

import pandas as pd

from app import sets_frame
from app.plain import cut
from app.sets_address import KINDS, Pair

LONGEST = 40  # characters of a name on a button
WHY = {
    "day": "the day on which what is wasted changed most",
    "client": "the two client versions that came last",
    "model": "the two models that most sessions have",
    "label": "the two labels that most sessions have",
    "source": "the two logs that were read last",
}
PLAIN = ("client", "model")  # where there are exactly two, nothing else can be meant


@dataclass(frozen=True, slots=True)
class Offer:
    """Two sets in words, and why these; ``is_plain`` where the page may open on them unasked."""

    pair: Pair
    words: str
    why: str
    is_plain: bool


def own(frame: pd.DataFrame, samples: Collection[str]) -> pd.DataFrame:
    """The sessions without those of the sample logs; all of them where there are no others."""
    found = frame[~frame.source.isin(list(samples))]
    return frame if found.empty else found


def offers(frame: pd.DataFrame, changed: date | None, zone: str, samples: Collection[str]) -> list[Offer]:
    """What there is to hold against each other, the most telling first.  ``changed`` is the day of most change."""
    mine = own(frame, samples)
    found = []
    for by in WHY:
        pair = sets_frame.suggested(Pair(by="own"), by, mine, zone, changed)
        if not any(side.is_narrowed for side in pair.sides):
            continue
        if by == "day":
            found.append(_day(_within(pair, mine, frame, zone), changed))
        else:
            first, second = (cut(getattr(side.asked, by)[0], LONGEST) for side in pair.sides)
            is_plain = by in PLAIN and sets_frame.count(mine, by) == 2
            found.append(Offer(pair, f"{KINDS[by]}: {first} against {second}", WHY[by], is_plain))
    return found


def _day(pair: Pair, changed: date | None) -> Offer:
    day = sets_frame.split_day(pair)
    why = WHY["day"] if day == changed else "the last day that sessions began on"
    return Offer(pair, f"Before and after {day:%A} {day}", why, True)


def _within(pair: Pair, mine: pd.DataFrame, frame: pd.DataFrame, zone: str) -> Pair:
    """The pair without the samples, where they are older or younger than all other sessions."""
    others = frame[~frame.session_key.isin(mine.session_key)]
    if others.empty:
        return pair
    first, second = pair.sides
    if others["last"].max() < mine.started.min():
        since = mine.started.min().tz_convert(zone).date()
        return replace(pair, a=replace(first, asked=replace(first.asked, since=since)))
    if others.started.min() > mine["last"].max():
        until = mine["last"].max().tz_convert(zone).date()
        return replace(pair, b=replace(second, asked=replace(second.asked, until=until)))
    return pair
