"""One pair of /v1/messages as one turn; whole logs are in test_anthropic_messages."""

from analysis.formats.base import Problems
from analysis.formats.message_pairs import MessagePairs, counted, folded
from tests.format_samples import record


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


def test_the_prompt_is_what_is_counted_apart() -> None:
    usage = counted({"input_tokens": 5, "cache_read_input_tokens": 32, "cache_creation_input_tokens": 3})
    assert (usage.prompt_tokens, usage.cached_tokens, usage.cached_basis) == (40, 32, "reported")
