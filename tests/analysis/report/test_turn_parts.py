"""Turns as a report says them."""

from dataclasses import replace

from analysis.model.finding import Donor, TextComparison, TextDivergence
from analysis.model.prompt import Segment
from analysis.report.quotes import Quote
from analysis.report.turn_document import TextChange
from analysis.report.turn_parts import most_wasteful, turn_part
from tests.sample_store import record_of


def test_a_turn_says_where_it_leaves_and_why() -> None:
    record = record_of("03")
    part = turn_part(record, record.turns[1], {}, lambda _model, _ids: {}, with_tokens=True)
    assert part.change is not None
    assert (part.turn, part.change.token, part.change.block, part.change.against) == (2, 44, 2, 1)
    assert part.change.place == ("in the system message", Quote(", character 150", "offset", "offset"), "")
    assert part.change.fields == "field: messages[0].content" and part.change.columns == ()
    assert [(one.code, one.words, one.field) for one in part.reasons] == [
        ("volatile-head/client-timestamp", "a time stands in the prompt", "messages[0].content")
    ]
    assert round(part.after or 0) == 1 and part.fidelity == "token ids from the log"


def test_a_turn_that_only_goes_on_has_no_change() -> None:
    record = record_of("01")
    part = turn_part(record, record.turns[5], {}, lambda _model, _ids: {}, with_tokens=True)
    assert part.change is None and part.reasons == () and part.donor == ()


def test_a_place_without_a_tokenizer_and_one_that_was_searched() -> None:
    record = record_of("02")
    at = next(turn for turn in record.turns if turn.divergence)
    assert at.divergence is not None
    unnamed = replace(at, divergence=replace(at.divergence, segment=None, previous_segment=None))
    searched = replace(at, divergence=replace(at.divergence, segment_basis="searched"))
    places = [turn_part(record, turn, {}, lambda _model, _ids: {}, False).change for turn in (unnamed, searched)]
    assert places[0] is not None and "could not be named" in str(places[0].place[0])
    assert places[1] is not None and places[1].place[-1] == (
        ", where the reasoning of message 3 (assistant) stood before (found by searching the decoded text)"
    )


def test_a_donor_that_is_not_the_turn_before_is_named() -> None:
    record = record_of("03")
    turn = replace(record.turns[4], donor=Donor("other", 2, 1232))
    donor = turn_part(record, turn, {}, lambda _model, _ids: {}, False).donor
    assert donor == ("What it can reuse is turn 2 of ", Quote("other", "session", "name"), ": 1,232 tokens in common.")


def test_the_costliest_divergences_show_their_tokens() -> None:
    turns = [(0, turn) for turn in record_of("02").turns]
    costs = {turn.turn: turn.account.lost for _at, turn in turns if turn.divergence and turn.account}
    assert most_wasteful(turns, 1) == {(0, max(costs, key=lambda number: costs[number]))}
    assert most_wasteful(turns, 99) == {(0, number) for number in costs}


def test_a_turn_without_tokens_is_compared_by_text() -> None:
    place = TextDivergence(
        Segment("messages[2].content", 5, "user"), Segment("messages[2].content", 5, "user"), "b", "old", "new"
    )
    record = record_of("03")
    unknown = replace(
        record.turns[1],
        divergence=None,
        text=TextComparison(1, 2, 100, 250, place),
        lineage="title",
        client="agent 1",
        completeness=frozenset({"no_tools"}),
    )
    part = turn_part(record, unknown, {}, lambda _model, _ids: {}, False)
    assert part.by_text == TextChange(
        1,
        ("in message 3 (user)", Quote(", character 5", "offset", "offset")),
        "the same from the front: 2 messages, 100 of 250 characters",
        Quote("old", "messages[2].content", cut=True),
        Quote("new", "messages[2].content", cut=True),
    )
    assert (part.lineage, part.client) == (Quote("title", "lineage", "name"), Quote("agent 1", "client", "name"))
    assert part.lacks == "incomplete: no tools"
    grown = replace(unknown, text=TextComparison(1, 3, 250, 250))
    goes_on = turn_part(record, grown, {}, lambda _model, _ids: {}, False).by_text
    assert goes_on is not None and (goes_on.place, goes_on.old) == (("nothing of turn 1 changed",), None)
