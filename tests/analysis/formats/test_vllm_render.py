"""Outputs of /render and a pair of /inference/v1/generate, recorded on vLLM 0.32."""

import pytest

from analysis.formats import vllm_render
from analysis.formats.base import FormatError
from tests.format_samples import counts, log_of_sample, turns


def test_renders_are_requests_with_their_ids() -> None:
    log = log_of_sample("vllm-render/renders.jsonl")
    found = list(turns(log))
    assert [turn.prompt_ids is not None and len(turn.prompt_ids) for turn in found] == [26, 46, 26, 30, 17]
    assert [turn.request.salt is not None for turn in found] == [False, False, True, False, False]
    assert {session.log_format for session in log.sessions} == {"vllm-render"} and log.problems == ()
    assert set(counts(log)) == {(None, None)}


def test_a_completion_request_with_two_prompts_is_two_requests() -> None:
    assert [turn.request_id for turn in turns(log_of_sample("vllm-render/completions.json"))] == [
        "cmpl-84353940f7153828-0",
        "cmpl-84353940f7153828-1",
    ]


def test_a_render_beside_a_call_is_no_turn() -> None:
    log = log_of_sample("vllm-render/generate.jsonl")
    (turn,) = turns(log)
    assert counts(log) == [(300, 256)] and turn.started_at == 1795991791.2180667
    assert turn.output_ids is not None and turn.output_ids.tolist() == [93087, 8083, 151104, 43464]
    assert [(one.line, one.message) for one in log.problems] == [(2, "a render, no call to the model: no turn.")]


def test_what_is_no_request_is_refused() -> None:
    with pytest.raises(FormatError, match=r"^f: no request in it that could be read\. Whymiss reads vLLM renders"):
        vllm_render.read(b'{"token_ids": [], "sampling_params": {}}', "f", "s")
    assert not vllm_render.sniff(b'{"token_ids": [1]}')
