"""Lines of vLLM's log: which speak of a request, and what they say of it."""

import pytest

from analysis.formats.base import Problems
from analysis.formats.vllm_lines import Lines, lines

OLD = "INFO 04-20 17:17:47 [logger.py:39] "
NEW = "(APIServer pid=1) DEBUG 11-29 22:35:09 [request_logger.py:65] "
PARAMS = "params: SamplingParams(n=1, stop=['a'], prompt_logprobs=None), "


def read(*text: str) -> Lines:
    return lines("\n".join(text).encode(), Problems("f"))


@pytest.mark.parametrize(
    ("written", "text"),
    [
        ("'a'", "a"),
        ('"it\'s"', "it's"),
        (r"'a\n\\\'\x41\u20ac'", "a\n\\'A€"),
        ("''", ""),
        ("None", None),
    ],
)
def test_prompts_are_python_literals(written: str, text: str | None) -> None:
    assert [call.text for call in read(f"{OLD}Received request c-1: prompt: {written}, {PARAMS}").calls] == [text]


@pytest.mark.parametrize("evil", ["__import__('os').system('x')", "'a' * 9999999999", "['a']", "f'{1}'", "b'a'"])
def test_what_is_no_literal_of_a_text_is_not_evaluated(evil: str) -> None:
    (call,) = read(f"{OLD}Received request c-1: prompt: {evil}, {PARAMS}").calls
    assert call.text is None


@pytest.mark.parametrize(
    ("line", "ids"),
    [
        pytest.param(f"{OLD}Received request c: prompt: 'a', {PARAMS}prompt_token_ids: [1, 2], lora", [1, 2], id="old"),
        pytest.param(f"{NEW}Request c details: prompt: None, prompt_token_ids: [3], prompt", [3], id="new"),
        pytest.param(f"{NEW}Request c details: prompt: 'a', prompt_token_ids: None, prompt", None, id="none"),
        pytest.param(f"{NEW}Request c details: prompt: 'a', prompt_token_ids: [1, 2", None, id="cut off"),
        pytest.param(f"{NEW}Request c details: prompt: 'token_ids: [9]', prompt_token_ids: [4]", [4], id="in a prompt"),
        pytest.param(f"{NEW}Request c details: prompt: 'token_ids: [9]', x", None, id="only in a prompt"),
    ],
)
def test_ids(line: str, ids: list[int] | None) -> None:
    (call,) = read(line).calls
    assert (None if call.prompt_ids is None else call.prompt_ids.tolist()) == ids


def test_lines_of_one_request_are_one_call_and_an_id_that_comes_again_is_another() -> None:
    asked = (f"{NEW}Request c details: prompt: 'a', prompt_token_ids: [1], x", f"{NEW}Received request c: {PARAMS}")
    found = read(*asked, f"{NEW}Generated response c: output: 'b', output_token_ids: [7, 8], finish", *asked)
    assert [(call.line, call.text, call.output_ids is not None) for call in found.calls] == [
        (1, "a", True),
        (4, "a", False),
    ]


@pytest.mark.parametrize(
    "line",
    [
        "Received request tokenize-1: params: None, lora_request: None.",
        "Received request embd-1: prompt: 'a', params: PoolingParams(), prompt_token_ids: [1]",
        "Received request x-1: params: PoolingParams(), lora_request: None.",
        "Avg prompt throughput: 4.1 tokens/s",
        "Generated response c: output: 'b', output_token_ids: [7], finish_reason: stop",
    ],
)
def test_what_is_no_call(line: str) -> None:
    assert read(OLD + line).calls == []


def test_of_a_stream_the_complete_response_counts() -> None:
    asked = f"{NEW}Request c details: prompt: 'a', prompt_token_ids: [1], x"
    (call,) = read(
        asked,
        f"{NEW}Generated response c (streaming delta): output: 'b', output_token_ids: [7], finish",
        f"{NEW}Generated response c (streaming complete): output: 'bc', output_token_ids: [7, 8], finish",
    ).calls
    assert call.output_ids is not None and call.output_ids.tolist() == [7, 8]


@pytest.mark.parametrize(
    ("request_id", "base"),
    [("chatcmpl-a1", "a1"), ("cmpl-a1-3", "a1"), ("resp_a1_0", "resp_a1"), ("chatcmpl-a-b", "a-b"), ("a1", "a1")],
)
def test_a_body_is_found_by_the_id_inside(request_id: str, base: str) -> None:
    found = read(
        f'{NEW}Request {base} JSON body: {{"model": "m"}}',
        f"{NEW}Request {request_id} details: prompt: 'a', prompt_token_ids: [1], x",
    )
    assert found.body_of(found.calls[0]) is not None and read(f"{NEW}Request x JSON body: {{}}").calls == []


def test_what_is_cut_off_is_said() -> None:
    found = read(f'{NEW}Request a JSON body: {{"model": "', f"{OLD}Received request c-1: prompt: 'abc")
    assert [(one.line, one.message) for one in found.problems.listed()] == [
        (1, "a JSON body that is cut off (--max-log-len?): left out."),
        (2, "a prompt that is cut off in the middle of its line: left out."),
    ]


def details(text: str, ids: int) -> str:
    return f"{NEW}Request c{ids} details: prompt: {text!r}, prompt_token_ids: {[1] * ids}, prompt_embeds"


@pytest.mark.parametrize(
    ("text", "longest"),
    [
        pytest.param([f"{OLD}non-default args: {{'max_log_len': 9}}"], 9, id="the arguments say it"),
        pytest.param([f"{OLD}args: Namespace(max_log_len=100)"], 100, id="the older arguments say it"),
        pytest.param([f"{OLD}args: Namespace(max_log_len=None)"], None, id="they say there is none"),
        pytest.param([details("x" * 20, 20), details("y" * 20, 19)], 20, id="as many characters as ids"),
        pytest.param([details("x" * 20, 20), details("y" * 30, 12)], None, id="another one is longer"),
        pytest.param([details("hi", 2)], None, id="too short to tell"),
    ],
)
def test_the_length_that_prompts_are_cut_to(text: list[str], longest: int | None) -> None:
    assert read(*text).cut_at() == longest


def test_what_the_server_says_of_itself_and_of_a_request() -> None:
    found = read(
        f"{OLD}Initializing a V1 LLM engine (v0.8.4) with config: model='/data/m', served_model_name=m, x",
        f"{OLD}Received request c: params: Params(prompt_logprobs=0), lora_request: LoRARequest(lora_name='sql', x)",
        f"2026-11-29T22:35:09Z {NEW}Received request d: {PARAMS}lora_request: None.",
    )
    first, second = found.calls
    assert found.model == "m" and (first.lora, first.skips_cache, first.at) == ("sql", True, None)
    assert (second.lora, second.skips_cache, second.at) == (None, False, 1795991709.0)
