"""Requests of token ids: renders, alone and as answers, and pairs of /inference/v1/generate."""

from typing import Any

import pytest

from analysis.formats.base import Problems
from analysis.formats.calls import fingerprint
from analysis.formats.token_pairs import TokenPairs
from analysis.model.session import Media, Problem, Turn
from tests.format_samples import record

FEATURES = {"mm_hashes": {"image": ["9f"]}, "mm_placeholders": {"image": [{"offset": 1, "length": 2}]}}
RENDER: dict[str, Any] = {
    "request_id": "c1",
    "token_ids": [5, 7, 7],
    "sampling_params": {"max_tokens": 4},
    "model": "m",
}
ANSWER = {"request_id": "g1", "model": "m", "choices": [{"index": 0, "token_ids": [9, 8]}]}


def read(taken: object) -> tuple[list[Turn], tuple[Problem, ...]]:
    pairs = TokenPairs(Problems("f"))
    pairs.take(1, record(taken))
    return [entry.turn for entry in pairs.entries()], pairs.problems.listed()


@pytest.mark.parametrize(
    ("taken", "ids"),
    [
        pytest.param(RENDER, ["c1"], id="bare"),
        pytest.param({"request": {"model": "m", "messages": []}, "response": RENDER}, ["c1"], id="an answer"),
        pytest.param({"response": [RENDER, {**RENDER, "request_id": "c2"}]}, ["c1", "c2"], id="one for every prompt"),
        pytest.param({"request": {"token_ids": [5, 7, 7], "model": "m"}}, ["line-1"], id="a call without an answer"),
        pytest.param({"request": {"token_ids": [5, 7, 7]}, "response": ANSWER}, ["g1"], id="a call"),
        pytest.param({"request": {"token_ids": [5, 7, 7]}, "response": ANSWER, "request_id": "w"}, ["w"], id="named"),
    ],
)
def test_where_the_ids_stand(taken: object, ids: list[str]) -> None:
    turns, problems = read(taken)
    assert [turn.request_id for turn in turns] == ids and not problems
    for turn in turns:
        assert turn.prompt_ids is not None and turn.prompt_ids.tolist() == [5, 7, 7]
        assert (turn.request.kind, turn.request.model, turn.usage.cached_basis) == ("completion", "m", "not-recorded")


def test_a_call_has_the_ids_of_its_answer_and_its_usage() -> None:
    usage = {"prompt_tokens": 3, "completion_tokens": 2, "prompt_tokens_details": {"cached_tokens": 0}}
    (turn,), _ = read({"request": {"token_ids": [5, 7, 7]}, "response": {**ANSWER, "usage": usage}})
    assert turn.output_ids is not None and turn.output_ids.tolist() == [9, 8]
    assert (turn.usage.prompt_tokens, turn.usage.output_tokens, turn.usage.cached_tokens) == (3, 2, 0)


def test_a_salt_is_its_fingerprint_and_images_are_placed() -> None:
    (turn,), _ = read({**RENDER, "cache_salt": "tenant-secret", "features": FEATURES})
    assert turn.request.salt == fingerprint("tenant-secret") and turn.media == (Media(1, 3, "9f"),)


@pytest.mark.parametrize(
    ("sampling", "skips"),
    [({}, False), ({"skip_reading_prefix_cache": True}, True), ({"prompt_logprobs": 0}, True)],
)
def test_requests_that_do_not_read_the_cache(sampling: object, skips: bool) -> None:
    (turn,), _ = read({**RENDER, "sampling_params": sampling})
    assert turn.request.skips_cache is skips


@pytest.mark.parametrize(
    ("taken", "num_turns", "message"),
    [
        ({**RENDER, "token_ids": ["a"]}, 0, "left out: the request has no token_ids."),
        ({"request": {"token_ids": [1]}, "status": 400}, 0, "the call failed and counts as no turn."),
        ({**RENDER, "features": []}, 1, "left out: features that are no JSON object."),
    ],
)
def test_damage_is_a_problem(taken: object, num_turns: int, message: str) -> None:
    turns, problems = read(taken)
    assert len(turns) == num_turns and [(one.line, one.message) for one in problems] == [(1, message)]
