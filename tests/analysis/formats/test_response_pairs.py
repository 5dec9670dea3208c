"""Pairs of the Responses API; whole logs are in test_responses_api."""

from analysis.formats.base import Problems
from analysis.formats.response_pairs import ResponsePairs
from tests.format_samples import record

FIRST = {"request": {"model": "m", "input": "a"}, "response": {"id": "r1", "object": "response", "output": []}}
NEXT = {"request": {"model": "m", "input": "b", "previous_response_id": "r1"}, "response": {"id": "r2"}}


def test_a_history_that_is_sent_again_is_kept_once() -> None:
    pairs = ResponsePairs(Problems("f"))
    told = [{"role": "user", "content": f"{number}"} for number in range(6)]
    asked = {"model": "m", "instructions": "i", "tools": [{"type": "function", "name": "f"}]}
    for number in range(1, 7):
        pairs.take(number, record({"request": {**asked, "input": told[:number]}}))
    read = [entry.turn.request for entry in pairs.entries()]
    system = {"role": "system", "content": "i"}
    assert [list(request.messages) for request in read] == [[system, *told[:number]] for number in range(1, 7)]
    assert len({id(message) for request in read for message in request.messages}) == 7
    assert [dict(tool) for tool in read[0].tools] == [{"type": "function", "function": {"name": "f"}}]
    assert len({id(tool) for request in read for tool in request.tools}) == 1


def test_a_chain_is_known_when_all_pairs_are() -> None:
    pairs = ResponsePairs(Problems("f"))
    for line, taken in enumerate([FIRST, NEXT, {"request": {"model": "m"}}], 1):
        pairs.take(line, record(taken))
    assert [(entry.key, len(entry.turn.request.messages)) for entry in pairs.entries()] == [("r1", 1), ("r1", 2)]
    assert [(problem.line, problem.message) for problem in pairs.problems.listed()] == [
        (3, "left out: the request has no input.")
    ]


def test_what_the_server_says_has_failed_is_no_turn() -> None:
    pairs = ResponsePairs(Problems("f"))
    for line, status in enumerate(["failed", "cancelled", "incomplete"], 1):
        response = {"object": "response", "status": status, "error": None, "output": []}
        pairs.take(line, record({"request": {"model": "m", "input": "a"}, "response": response}))
    assert [entry.turn.line for entry in pairs.entries()] == [3]
    assert [problem.line for problem in pairs.problems.listed()] == [1]
