"""Where a fix has to be made in this session: the field, the value, the tools, the models that its cause names.

Says what the evidence of a cause says, and leaves out what it does not; finds out nothing.
"""

import re
from collections.abc import Iterator, Sequence

from analysis.causes.capacity import KEPT_BY
from analysis.model.finding import Cause
from analysis.model.prompt import TEMPLATE, Segment
from analysis.model.record import SessionRecord, TurnRecord
from analysis.report.cleaning import SOME_FIELD, field_of
from analysis.report.quotes import Prose, Quote
from analysis.report.speech import VALUES, evidence_of
from analysis.report.words import place_of

MOST_FIELDS = 4  # named; more are counted
Found = Sequence[tuple[TurnRecord, Cause]]
_ROOM = re.compile(rf"a pool of ([\d,]+) {KEPT_BY}")


def located(record: SessionRecord, code: str) -> Prose[Quote]:
    """A sentence to stand behind the fix of a cause; nothing where the fix says all that there is to say."""
    found = [(turn, cause) for turn in record.turns for cause in turn.causes if cause.code == code]
    if not found or found[0][1].deliberate:
        return ()
    turn, cause = found[0]
    quotes = [part for part in evidence_of(cause) if isinstance(part, Quote)]
    said: Prose[Quote] = ()
    match code:
        case "key/cache-salt":
            said = _salts(record, turn)
        case "key/lora" | "routing/replica" if len(quotes) == 2:
            said = (f"turn {turn.turn} went to ", quotes[0], ", the turn before to ", quotes[1])
        case "capacity/eviction":
            said = _room(found)
        case "tools/order":
            said = _order(record, turn, cause)
        case _ if code.startswith("tools/") and quotes:
            said = (*_listed(quotes[:1] if cause.segment else quotes), f", in turn {turn.turn}")
        case _:
            said = _fields(found, quotes[0] if code in VALUES and quotes else None)
    return ("In this session: ", *said, ".") if said else ()


def _salts(record: SessionRecord, turn: TurnRecord) -> Prose[Quote]:
    before = _previous(record, turn)
    if before is None:
        return ()
    return (f"{before.salt or 'no salt'} in turn {before.turn}, {turn.salt or 'no salt'} in turn {turn.turn}",)


def _room(found: Found) -> Prose[Quote]:
    """The largest of the pools that would have kept what a turn missed; nothing where one of them is not known."""
    sizes = [_ROOM.search(cause.evidence) for _turn, cause in found]
    known = [int(size[1].replace(",", "")) for size in sizes if size]
    return (f"a pool of {max(known):,} blocks would have kept all of it",) if len(known) == len(found) else ()


def _order(record: SessionRecord, turn: TurnRecord, cause: Cause) -> Prose[Quote]:
    """The tools as they stood in the turn before: any order that stays will do, and that one was sent already."""
    parts = evidence_of(cause)
    start = next((at for at, part in enumerate(parts) if isinstance(part, str) and part.startswith(" now, ")), None)
    before = _previous(record, turn)
    if start is None or before is None:
        return ()
    names = [part for part in parts[start:] if isinstance(part, Quote)]
    return (f"the order of turn {before.turn} was ", *_listed(names))


def _fields(found: Found, value: Quote | None) -> Prose[Quote]:
    """The message fields of a cause, with the value that stands in the first of them."""
    places = list(dict(_places(found)).items())
    if not places:
        return ()
    path, words = places[0]
    more = ", ".join(other for other, _words in places[1:MOST_FIELDS])
    left = len(places) - MOST_FIELDS
    also = f", and also {more}{f' and {left:,} more fields' if left > 0 else ''}" if more else ""
    return (value, f" in {words} ({path}){also}") if value else (f"{words} ({path}){also}",)


def _places(found: Found) -> Iterator[tuple[str, str]]:
    """The fields of a cause as paths and in words, as far as there are words for a field beyond its path."""
    for turn, cause in found:
        path = field_of(cause.segment)
        here = turn.divergence.segment if turn.divergence else None
        words = place_of(Segment(path, 0, here.role if here and here.path == path else None))
        if words != path and path != TEMPLATE and SOME_FIELD not in path:
            yield path, words


def _listed(names: Sequence[Quote]) -> Iterator[str | Quote]:
    for at, name in enumerate(names):
        yield from (", ", name) if at else (name,)


def _previous(record: SessionRecord, turn: TurnRecord) -> TurnRecord | None:
    number = turn.previous.turn if turn.previous else None
    return next((one for one in record.turns if one.turn == number), None)
