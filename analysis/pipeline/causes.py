"""The causes of every turn of a session, once the whole history of its server is known.

Brings each turn with its evidence before the causes, lineage by lineage.  Does not decide what a cause is.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from analysis.causes import explain
from analysis.causes.base import Evidence
from analysis.model.finding import TurnAnalysis
from analysis.model.gap import SourceFacts
from analysis.model.session import Session
from analysis.pipeline.evidence import OTHER_SESSIONS, Compared
from analysis.pipeline.gaps import Gaps, Visit
from analysis.pipeline.others import Others

Places = dict[tuple[int, int], int]


@dataclass(frozen=True, slots=True)
class Ground:
    """What the turns of a history are explained with; ``places`` are visits by session and turn."""

    facts: SourceFacts
    gaps: Gaps
    compared: Compared
    places: Places
    others: Others

    def others_of(self, place: int | None) -> list[TurnAnalysis]:
        """What the first turn that was visited there is held against."""
        return [] if place is None else self.others.before(place, OTHER_SESSIONS)


def with_causes(session: Session, before: Sequence[TurnAnalysis], ground: Ground) -> list[TurnAnalysis]:
    """The turns of a session with their causes and notes, in the order they are given in."""
    lineages: dict[str | None, list[TurnAnalysis]] = {}
    for found in before:
        lineages.setdefault(found.turn.lineage, []).append(found)
    explained = {
        (lineage, found.turn.number): found
        for lineage, turns in lineages.items()
        for found in _explained(session, turns, ground)
    }
    return [explained[found.turn.lineage, found.turn.number] for found in before]


def places(visits: Sequence[Visit]) -> Places:
    """Where each turn was visited, by the id of its session and its number."""
    return {(visit.session, visit.found.turn.number): index for index, visit in enumerate(visits)}


def _explained(session: Session, before: list[TurnAnalysis], ground: Ground) -> Iterator[TurnAnalysis]:
    """The turns of one lineage with their causes."""
    previous, last = None, None
    for index, found in enumerate(before):
        place = ground.places.get((id(session), found.turn.number))
        missed = found.account is not None and found.account.missed
        found = ground.compared.with_text(found, last)
        opens = previous is None and found.turn.lineage is None
        asked = Evidence(
            now=found,
            previous=previous,
            gap=ground.gaps.of(place) if missed and place is not None else None,
            source=ground.facts,
            comparison=ground.compared.beside(before, index, previous, last),
            first=ground.compared.with_others(found, ground.others_of(place)) if opens else None,
            before=last,
            after=before[index + 1].turn if index + 1 < len(before) else None,
        )
        causes, notes = explain(asked)
        yield replace(found, causes=causes, notes=notes)
        last = found.turn
        previous = found if found.full_ids is not None else previous
