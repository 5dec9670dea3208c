"""Each turn meets its causes with the evidence of its own lineage."""

from typing import Any

from analysis.model.finding import TurnAnalysis
from analysis.model.gap import SourceFacts
from analysis.model.session import JsonObject, Turn, Usage
from analysis.model.settings import Settings
from analysis.pipeline.causes import Ground, places, with_causes
from analysis.pipeline.evidence import Compared
from analysis.pipeline.gaps import Gaps, SideFiles, Visit
from analysis.pipeline.others import Others
from tests.builders import assistant, of_turns, request, user


def counted(*messages: JsonObject, lineage: str | None = None) -> Turn:
    """A turn of 5,000 tokens, none of them cached, whose ids are unknown."""
    return Turn(0, 0, "", request(*messages), usage=Usage(5000, 9, 0, "reported"), lineage=lineage)


def test_a_turn_is_explained_with_the_turn_before_it_in_its_own_lineage() -> None:
    """A title call between two turns hides nothing, and the order of the turns stays."""
    asks, answers = user("Where is my parcel?"), assistant("On its way.")
    made = of_turns(counted(asks), counted(user("A title."), lineage="t"), counted(asks, answers, user("Since when?")))
    settings = Settings()
    gaps = Gaps([], settings, SideFiles(), ())
    ground = Ground(SourceFacts(settings), gaps, Compared(lambda name: None), {}, Others([], []))
    explained = with_causes(made, [TurnAnalysis(turn, 5000) for turn in made.turns], ground)
    assert [found.turn.number for found in explained] == [1, 2, 3]
    assert [[(one.code, one.tokens) for one in found.causes] for found in explained] == [
        [],
        [],
        [("unexplained", 5000)],
    ]


def test_places_are_by_session_and_number() -> None:
    one, other = of_turns(counted(user("a")), counted(user("b"))).turns
    served: Any = None
    visits = [Visit(7, "", served, TurnAnalysis(turn, 5000)) for turn in (other, one)]
    assert places(visits) == {(7, 2): 0, (7, 1): 1}
