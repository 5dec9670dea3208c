"""One pair of /v1/messages as one turn; whole logs are in test_anthropic_messages."""

import json

import pytest

from analysis.causes.never_cached import marks
from analysis.formats.base import Problems
from analysis.formats.message_pairs import MessagePairs, counted, folded
from tests.builders import read_log
from tests.format_samples import record, turns


def test_what_is_no_request_and_what_failed_are_problems() -> None:
    pairs = MessagePairs(Problems("f"))
    asked = {"model": "m", "messages": [{"role": "user", "content": "a"}]}
    for line, taken in enumerate(
        [
            {"request": {"system": "s"}},
            {"request": asked, "status": 500},
            {"request": asked, "response": {"usage": {}}},
        ],
        1,
    ):
        pairs.take(line, record(taken))
    assert [entry.turn.line for entry in pairs.entries()] == [3]
    assert [(problem.line, problem.message) for problem in pairs.problems.listed()] == [
        (1, "left out: the request has no messages."),
        (2, "the call failed and counts as no turn."),
    ]


def test_an_error_in_a_stream_is_no_turn() -> None:
    assert folded(iter([{"type": "message_start"}, {"type": "error"}])) == {"type": "error"}


def test_the_pieces_of_a_stream_are_joined() -> None:
    said = [
        {"type": "content_block_delta", "index": 0, "delta": {"thinking": "h"}},
        {"type": "content_block_start", "index": 1, "content_block": {"type": "text", "text": "a"}},
        {"type": "content_block_start", "index": 2, "content_block": {"type": "tool_use", "name": "f", "input": {}}},
        {"type": "content_block_delta", "index": 0, "delta": {"thinking": "m"}},
        {"type": "content_block_delta", "index": 2, "delta": {"partial_json": '{"a":'}},
        {"type": "content_block_delta", "index": 1, "delta": {"text": "b", "thinking": None}},
        {"type": "content_block_delta", "index": 2, "delta": {"partial_json": "1}"}},
        {"type": "content_block_delta", "index": 1, "delta": {"text": "c"}},
    ]
    assert folded(iter([{"type": "message_start", "message": {"id": "i"}}, *said])) == {
        "id": "i",
        "content": [
            {"type": "text", "thinking": "hm"},
            {"type": "text", "text": "abc"},
            {"type": "tool_use", "name": "f", "input": {"a": 1}},
        ],
    }


def test_the_prompt_is_what_is_counted_apart() -> None:
    usage = counted({"input_tokens": 5, "cache_read_input_tokens": 32, "cache_creation_input_tokens": 3})
    assert (usage.prompt_tokens, usage.cached_tokens, usage.cached_basis) == (40, 32, "reported")


@pytest.mark.parametrize("field", ["system", "tools", "messages"])
def test_what_is_marked_for_caching_is_told_in_the_first_message(field: str) -> None:
    block = {"type": "text", "text": "a", "cache_control": {"type": "ephemeral"}}
    marked = {
        "system": [block],
        "tools": [{"name": "f", "input_schema": {}, "cache_control": {"type": "ephemeral"}}],
        "messages": [{"role": "user", "content": [block]}],
    }
    plain = {"model": "m", "system": "s", "messages": [{"role": "user", "content": "a"}]}
    for body, expected in ((plain, False), ({**plain, field: marked[field]}, True)):
        (turn,) = turns(read_log(json.dumps({"request": body}).encode(), "f", "f"))
        assert ["cache_control" in message for message in turn.request.messages] == [expected, False]
        assert marks(turn.request) is expected
