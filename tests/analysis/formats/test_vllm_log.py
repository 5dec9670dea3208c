"""vLLM's own log: INFO lines recorded on 0.32; the others made after RequestLogger of 0.8 and of 0.32."""

import numpy as np
import pytest

from analysis.formats import detect, vllm_log
from analysis.formats.base import FormatError
from analysis.formats.calls import fingerprint
from tests.builders import ROOT, read_log
from tests.format_samples import log_of_sample, turns

NEW = "(APIServer pid=1) DEBUG 11-29 22:35:09 [request_logger.py:65] "


def test_info_lines_of_0_8_hold_prompts() -> None:
    log = log_of_sample("vllm-log/info_0.8.log")
    first, second, third = turns(log)
    assert isinstance(first.request.prompt, str) and first.request.prompt.startswith("<|im_start|>system\nYou don't")
    assert isinstance(second.request.prompt, str) and second.request.prompt.startswith(first.request.prompt)
    assert [turn.line for turn in (first, second, third)] == [4, 7, 8]
    assert [turn.request.model for turn in (first, second, third)] == ["Qwen/Qwen3-8B", "Qwen/Qwen3-8B", "sql"]
    assert [turn.request.add_special_tokens for turn in (first, third)] == [False, None]
    assert third.prompt_ids is not None and third.prompt_ids.tolist() == [23729, 12879, 374, 264]
    assert [turn.request.skips_cache for turn in (first, second, third)] == [False, False, True]
    assert {turn.usage.cached_basis for turn in turns(log)} == {"not-recorded"} and log.problems == ()
    assert {turn.started_at for turn in turns(log)} == {None}, "a time without its year is none"


def test_debug_lines_of_0_32_hold_bodies_and_ids() -> None:
    log = log_of_sample("vllm-log/debug.log")
    first, second, one, two = turns(log)
    assert [session.session_id for session in log.sessions] == ["s1", "inferred-0001", "inferred-0002"]
    assert [len(turn.request.messages) for turn in (first, second)] == [2, 4]
    assert [turn.prompt_ids is not None and len(turn.prompt_ids) for turn in (first, second, one)] == [25, 42, 1]
    assert first.output_ids is not None and first.output_ids.tolist() == [19, 151645]
    assert (first.request_id, first.line, first.started_at) == ("chatcmpl-9c61c32e60912906", 3, 1795991709.123456)
    assert first.request.salt == fingerprint("tenant-secret")
    assert (one.request.prompt, two.request.prompt, two.request_id) == ("One", "Two", "cmpl-9d2a88b3d638cfc6-1")
    assert [one.message.partition(" Start")[0] for one in log.problems] == [
        "request body: left out: prompt is neither one text nor one list of token ids (several prompts in one"
        " request?). (and 1 more such line)",
        "1 of 5 requests are logged without their prompt.",
    ]


def test_info_lines_of_0_32_hold_none_and_that_is_said() -> None:
    data = (ROOT / "tests" / "data" / "vllm_log" / "info_0.32.log").read_bytes()
    assert detect(data, "f").name == "vllm-log"
    refused = r"^f: a vLLM log with 16 requests in it, none with its prompt\. Start .*LEVEL=DEBUG"
    with pytest.raises(FormatError, match=refused):
        read_log(data, "f", "s")


def test_a_log_without_requests_says_so() -> None:
    line = b"INFO 04-20 17:17:57 [loggers.py:87] Engine 000: Avg prompt throughput: 4.1 tokens/s"
    with pytest.raises(FormatError, match=r"^f: a vLLM log with no request in it\. Start"):
        read_log(line, "f", "s")


def test_cut_prompts_are_truncated_and_have_no_ids() -> None:
    cut, whole = "x" * 20, "y" * 10
    data = "\n".join(
        [
            f"{NEW}Request chatcmpl-a details: prompt: {cut!r}, prompt_token_ids: {[5] * 20}, x",
            f"{NEW}Request chatcmpl-b details: prompt: {whole!r}, prompt_token_ids: [5, 6], x",
            f"{NEW}Request cmpl-c details: prompt: None, prompt_token_ids: {[7] * 20}, x",
            f"{NEW}Request cmpl-d details: prompt: '', prompt_token_ids: [8, 9], x",
        ]
    )
    log = read_log(data.encode(), "f", "s")
    found = {turn.request_id: turn for turn in turns(log)}
    assert sorted(found) == ["chatcmpl-a", "chatcmpl-b", "cmpl-d"], "ids that are cut are no prompt"
    assert found["chatcmpl-a"].completeness == {"truncated"} and found["chatcmpl-a"].prompt_ids is None
    assert isinstance(found["cmpl-d"].request.prompt, np.ndarray), "an empty text stands for ids"
    assert not found["chatcmpl-b"].completeness and found["chatcmpl-b"].prompt_ids is not None
    assert [(one.line, one.message.partition(" Start")[0]) for one in log.problems] == [
        (1, "a prompt that is cut to 20 characters and ids (--max-log-len). (and 1 more such line)"),
        (None, "1 of 4 requests are logged without their prompt."),
    ]


@pytest.mark.parametrize(("kind", "num_messages"), [("ChatCompletionRequest", 1), ("EmbeddingRequest", 0), (None, 1)])
def test_bodies_are_read_by_their_kind(kind: str | None, num_messages: int) -> None:
    typed = f', "request_type": "{kind}"' if kind else ""
    body = '{"model": "m", "messages": [{"role": "user", "content": "a"}]' + typed + "}"
    data = f"{NEW}Request a JSON body: {body}\n{NEW}Request chatcmpl-a details: prompt: 'p', prompt_token_ids: [5], x"
    (turn,) = turns(read_log(data.encode(), "f", "s"))
    assert len(turn.request.messages) == num_messages and turn.prompt_ids is not None


def test_a_body_that_is_left_out_is_said() -> None:
    bodies = ('{"model": "m", "messages": "none"}', '{"model": "m", "prompt": ["a", "b"]}')
    calls = [
        f"{NEW}Request r{number} JSON body: {body}\n"
        f"{NEW}Request r{number} details: prompt: 'p', prompt_token_ids: [5], x"
        for number, body in enumerate(bodies)
    ]
    log = read_log("\n".join(calls).encode(), "f", "s")
    assert [one.message[:22] for one in log.problems] == ["request body: left out"] * 2
    assert len([*turns(log)]) == 2, "their prompts are there"


@pytest.mark.parametrize(
    ("line", "is_ours"),
    [
        (f"{NEW}Request c details: prompt: 'a'", True),
        ("INFO 05-04 12:34:56 async_llm_engine.py:529] Received request cmpl-1: prompt: 'a'", True),
        ("vllm-1  | INFO 05-04 12:34:56 [logger.py:39] Received request cmpl-1: prompt: 'a'", True),
        ("\x1b[32mINFO\x1b[0m 05-04 12:34:56 [logger.py:39] Received request cmpl-1: params: x", True),
        ('{"text": "INFO 05-04 12:34:56 [logger.py:39] Received request cmpl-1: prompt: x"}', False),
        ("INFO 05-04 12:34:56 [logger.py:39] hello", False),
        ("Received request cmpl-1: prompt: 'a'", False),
    ],
)
def test_sniff(line: str, is_ours: bool) -> None:
    assert vllm_log.sniff(f"first line\n{line}\n".encode()) is is_ours
