"""Named explanations: one module per family, asked in the order of this tuple.

A family sees one turn with the turn before it and says what it can prove.  So far only what is a matter of
measurement has a name; where a prompt diverges is said by its segment.
"""

from analysis.causes import measurement
from analysis.causes.base import Evidence, Family
from analysis.model.finding import Cause, Note

FAMILIES: tuple[Family, ...] = (measurement,)


def explain(evidence: Evidence) -> tuple[tuple[Cause, ...], tuple[Note, ...]]:
    """What all families say of a turn: causes and notes, each in the order of decision."""
    said = [finding for family in FAMILIES for finding in family.explain(evidence)]
    causes = tuple(finding for finding in said if isinstance(finding, Cause))
    notes = tuple(finding for finding in said if isinstance(finding, Note))
    return causes, notes
