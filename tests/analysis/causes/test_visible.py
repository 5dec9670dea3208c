"""Which turns are asked about what tokens show, and which tokens a cause owns."""

from dataclasses import replace
from typing import Any

from analysis.causes import CHANGES, TEXTS
from analysis.causes.visible import visible
from analysis.model.finding import Part
from tests.builders import assistant, user
from tests.evidence import evidence
from tests.visible_cases import analysed, beside, own_renderer


def test_a_turn_without_a_comparison_has_none() -> None:
    assert visible(evidence(), CHANGES, TEXTS) == ()
    assert visible(evidence(first=True), CHANGES, TEXTS) == ()


def test_a_wrong_render_concludes_nothing() -> None:
    asked = evidence()
    comparison = beside([user("a")], [user("b")])
    for side in ("now", "previous"):
        turn = replace(getattr(asked, side), fidelity="mismatch")
        assert visible(replace(asked, comparison=comparison, **{side: turn}), CHANGES, TEXTS) == ()


def test_the_first_owns_what_was_lost_before_the_second() -> None:
    case: dict[str, Any] = {
        "turns": [
            {"messages": [user("It is 10:21. " + "Look at the log. " * 30), assistant("1 " * 40), user("b " * 40)]},
            {
                "messages": [
                    user("It is 10:22. " + "Look at the log. " * 30),
                    assistant("2 " * 40),
                    user("b " * 40),
                    assistant("c"),
                    user("d"),
                ]
            },
        ]
    }
    turn = analysed(case, own_renderer("arguments_verbatim")).turns[1]
    first, second = turn.causes
    lost = [part for part in turn.parts if part.name == "lost"]
    assert all(isinstance(part, Part) for part in lost) and len(lost) == 2
    assert (first.tokens, second.tokens) == tuple(part.stop - part.start for part in lost)
