"""The other sessions that a first turn can be held against: the latest turn of each before it, under the same keys.

Built once per history; a question costs the same however many sessions there are.
"""

from bisect import bisect_left
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field

from analysis.model.finding import TurnAnalysis
from analysis.pipeline.gaps import Visit


@dataclass(slots=True)
class Others:
    """The visits of a history by keys and session; sessions stand in the order in which they first came."""

    visits: Sequence[Visit]
    keys: Sequence[Hashable]  # of each visit
    _places: dict[tuple[Hashable, int], list[int]] = field(default_factory=dict)
    _first: dict[Hashable, list[int]] = field(default_factory=dict)  # by keys: where each session came first

    def __post_init__(self) -> None:
        for place, (visit, keys) in enumerate(zip(self.visits, self.keys, strict=True)):
            places = self._places.setdefault((keys, visit.session), [])
            if not places:
                self._first.setdefault(keys, []).append(place)
            places.append(place)

    def before(self, place: int, most: int) -> list[TurnAnalysis]:
        """The latest turns of other sessions before the visit at this place; of so many sessions, those newest."""
        keys, mine = self.keys[place], self.visits[place].session
        first = self._first[keys]
        stop = bisect_left(first, place)
        sessions = [self.visits[one].session for one in first[max(0, stop - most - 1) : stop]]
        return [self._latest(keys, session, place) for session in sessions if session != mine][-most:]

    def _latest(self, keys: Hashable, session: int, place: int) -> TurnAnalysis:
        places = self._places[keys, session]
        return self.visits[places[bisect_left(places, place) - 1]].found
