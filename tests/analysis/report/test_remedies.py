"""What is to be done about a session: which causes stand together, what they cost, and whose they are."""

from dataclasses import replace

import pytest

from analysis.model.finding import Cause
from analysis.report.remedies import CLIENT, SERVER, TEMPLATE, origin, remedies
from analysis.report.words import IN_WORDS
from tests.sample_store import record_of, text_record


def said(start: str) -> list[tuple[str, str, str, int | None]]:
    return [(one.cause, one.extent, one.origin, one.saved) for one in remedies(record_of(start))]


def test_the_steps_of_the_plan_in_their_order() -> None:
    again = "of 15,742 tokens computed again for it"
    assert said("06") == [
        ("A time stands in the prompt", f"8 of 9 requests, 11,677 {again}", CLIENT, 11_600),
        ("The tools came in another order", f"1 of 9 requests, 1,178 {again}", CLIENT, 1_184),
        ("An earlier message was changed", f"1 of 9 requests, 987 {again}", CLIENT, 1_012),
    ]


def test_one_fix_for_two_causes_names_both_and_their_sum() -> None:
    extent = "3 of 10 requests, 3,053 of 19,594 tokens computed again for it"
    assert said("05") == [("The tools came in another order, and the set of tools changed", extent, CLIENT, 3049)]


def test_what_no_plan_can_undo_is_the_servers_and_has_its_fix() -> None:
    (one,) = remedies(record_of("busy"))
    assert one.cause == "Likely: the memory was needed for other requests" and one.origin == SERVER
    assert one.saved is None and one.fix.startswith("Give the KV cache more room")


def test_what_only_texts_show_has_no_cost() -> None:
    (one,) = remedies(text_record())
    assert (one.cause, one.extent) == (
        "Likely: a time stands in the prompt", "1 of 4 requests; what it cost is not known",
    )  # fmt: skip
    assert one.first[0].turn == 3 and "10:22" in one.first[1].evidence


@pytest.mark.parametrize("start", ["01", "08", "12"])
def test_nothing_is_to_be_done_where_all_is_clean_or_was_meant(start: str) -> None:
    assert remedies(record_of(start)) == ()


def test_an_alternative_behind_a_cause_is_no_remedy_and_the_costliest_comes_first() -> None:
    record = record_of("busy")
    small, large = (Cause(code, "certain", None, tokens, None, "", "") for code, tokens in (("a/b", 9), ("c/d", 900)))
    beside = Cause("e/f", "possible", None, 0, None, "", "")
    turns = (
        replace(record.turns[0], causes=(small, beside)),
        *record.turns[1:5],
        replace(record.turns[5], causes=(large,)),
    )
    assert [one.codes for one in remedies(replace(record, turns=turns))] == [("c/d",), ("a/b",)]


def test_every_cause_that_has_words_is_somebodys() -> None:
    assert {origin(code) for code in IN_WORDS} == {CLIENT, TEMPLATE, SERVER}
    assert origin("template/reasoning-stripped") == origin("volatile-head/template-date") == TEMPLATE
    assert (origin("key/cache-salt"), origin("key/hash-seed"), origin("odd/code")) == (CLIENT, SERVER, "")
