"""What causes are asked with: two requests side by side, or a first turn beside other sessions."""

from dataclasses import replace

from analysis.model.finding import TurnAnalysis
from analysis.model.settings import Settings
from analysis.pipeline.analyse import analyse
from analysis.pipeline.evidence import OTHER_SESSIONS, Compared, sent
from tests.builders import ByteRenderer, assistant, of_turns, turn, user

ONE, TWO = turn(user("a"), reply=assistant("1")), turn(user("a"), assistant("1"), user("b"), reply=assistant("2"))
EDITED = turn(user("a"), assistant("one"), user("b"), assistant("2"), user("c"))


def found(*turns: object) -> list[TurnAnalysis]:
    (session,) = analyse([of_turns(*turns)], lambda _model: ByteRenderer(), Settings())  # type: ignore[arg-type]
    return list(session.turns)


def test_only_a_divergence_is_compared() -> None:
    turns = found(ONE, TWO, EDITED)
    compared = Compared(lambda _model: ByteRenderer())
    assert compared.with_previous(turns, 1, turns[0]) is None, "it only goes on"
    comparison = compared.with_previous(turns, 2, turns[1])
    assert comparison is not None
    assert comparison.then.request is turns[1].turn.request and comparison.reply == turns[1].turn.reply
    assert comparison.prompt_tokens == turns[1].prompt_tokens and len(comparison.new_ids) == turns[2].prompt_tokens
    assert (comparison.continues, comparison.later) == (1, None)


def test_tokens_must_be_known() -> None:
    turns = found(ONE, TWO, EDITED)
    compared = Compared(lambda _model: None)
    assert compared.with_previous([*turns[:2], replace(turns[2], full_ids=None)], 2, turns[1]) is None
    assert compared.with_others(replace(turns[0], full_ids=None), [turns[1]]) is None


def test_a_first_turn_is_held_against_the_latest_sessions() -> None:
    turns = found(ONE, TWO)
    compared = Compared(lambda _model: ByteRenderer())
    assert compared.with_others(turns[0], []) is None
    first = compared.with_others(turns[0], [turns[1]] * (OTHER_SESSIONS + 3))
    assert first is not None and len(first.others) == OTHER_SESSIONS and first.rendering is not None
    assert first.now == sent(turns[0].turn) and len(first.ids) == turns[0].prompt_tokens
