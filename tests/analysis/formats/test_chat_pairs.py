"""One pair of the OpenAI API as one turn; whole logs are in test_openai_chat."""

import pytest

from analysis.formats.base import Problems
from analysis.formats.chat_pairs import ChatPairs, answered
from tests.format_samples import record

BODY = {"model": "m", "messages": [{"role": "user", "content": "a"}]}
ANSWER = {"id": "c1", "choices": [{"message": {"role": "assistant", "content": "b"}}], "usage": {"prompt_tokens": 3}}


def test_pairs_are_read_as_they_come() -> None:
    pairs = ChatPairs(Problems("f"))
    for line, taken in enumerate([{"request": BODY, "response": ANSWER}, {"request": {"model": "m"}}], 1):
        pairs.take(line, record(taken))
    (entry,) = pairs.entries()
    assert (entry.turn.line, entry.turn.request_id, entry.turn.usage.prompt_tokens, entry.key) == (1, "c1", 3, None)
    assert [(problem.line, problem.message) for problem in pairs.problems.listed()] == [
        (2, "left out: the request has neither messages nor prompt.")
    ]


@pytest.mark.parametrize(
    ("taken", "bare", "request_id"),
    [
        pytest.param({"response": ANSWER}, False, "c1", id="an object"),
        pytest.param({"response": 'data: {"id": "c2", "choices": []}'}, False, "c2", id="a stream"),
        pytest.param({"response": [{"id": "c3", "choices": []}]}, False, "c3", id="chunks"),
        pytest.param(ANSWER, True, "c1", id="beside the messages"),
        pytest.param(ANSWER, False, None, id="around a request it is no answer"),
    ],
)
def test_where_an_answer_stands(taken: object, bare: bool, request_id: str | None) -> None:
    assert answered(record(taken), bare).request_id == request_id
