"""Real logs whose misses have a known or strongly indicated cause, told from the server's counts alone.

Turns count from 0 here, as in the notes on these logs.
"""

import json
from functools import cache

import pytest

from analysis.model.finding import TurnAnalysis
from analysis.model.settings import Settings
from analysis.pipeline.analyse import analyse
from tests.builders import read_log
from tests.format_samples import log_of_sample

CLINE, CODEX = "cline/session.messages.json", "codex/rollout-2025-11-17T15-30-28.jsonl"


@cache
def analysed(name: str) -> tuple[TurnAnalysis, ...]:
    """The turns of a log with one session, without any tokenizer."""
    (found,) = analyse(log_of_sample(name).sessions, lambda model: None, Settings())
    return found.turns


def causes(turn: TurnAnalysis) -> list[tuple[str, str, int]]:
    return [(cause.code, cause.confidence, cause.tokens) for cause in turn.causes]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        (CLINE, {11: [("capacity/eviction", "possible", 43927)]}),
        (
            CODEX,
            {
                1: [("unexplained", "possible", 10128)],
                8: [("unexplained", "possible", 7189)],
                20: [("unexplained", "possible", 11916)],
            },
        ),
    ],
    ids=["cline", "codex"],
)
def test_these_turns_have_a_cause_and_no_other(name: str, expected: dict[int, list[tuple[str, str, int]]]) -> None:
    assert {number: found for number, turn in enumerate(analysed(name)) if (found := causes(turn))} == expected


@pytest.mark.parametrize(
    ("name", "turn", "words"),
    [
        pytest.param(CLINE, 11, "398 s after the previous turn; the messages only grew", id="idle"),
        pytest.param(CLINE, 11, "0 of the 43,927 tokens of the previous prompt were cached", id="nothing of it"),
        pytest.param(CLINE, 11, "the next turn had 44,242 cached again", id="idle, then whole again"),
        pytest.param(CODEX, 1, "0 of the 10,128 tokens of the previous prompt were cached", id="cold"),
        pytest.param(CODEX, 1, "counts alone do not tell eviction from another replica", id="cold, undecided"),
        pytest.param(CODEX, 1, "(the log has no system prompt and no tools)", id="cold, and what is not seen"),
        pytest.param(CODEX, 8, "11,136 of the 18,325 tokens of the previous prompt were cached", id="partial"),
        pytest.param(
            CODEX, 8, "the next turn had 19,072 cached again: the log holds no lasting edit", id="whole again"
        ),
        pytest.param(CODEX, 20, "17,280 of the 29,196 tokens of the previous prompt were cached", id="partial, later"),
        pytest.param(CODEX, 20, "the next turn had 29,184 cached again: the log holds no lasting edit", id="and whole"),
    ],
)
def test_the_evidence_of_a_turn(name: str, turn: int, words: str) -> None:
    (cause,) = analysed(name)[turn].causes
    assert words in cause.evidence


def test_another_model_a_day_later_is_no_miss() -> None:
    turn = analysed(CLINE)[15]
    said = {note.code: note.evidence for note in turn.notes}
    assert turn.causes == () and "85,456 s after the previous turn" in said["measurement/lineage"]
    assert "“mistralai/voxtral-small-24b-2507” and was “anthropic/claude-opus-4.8-fast”" in said["measurement/lineage"]


def test_a_server_that_does_not_say_what_it_cached_is_no_miss() -> None:
    """vLLM's /v1/messages without --enable-prompt-tokens-details leaves the cached tokens out."""
    messages: list[dict[str, str]] = []
    lines = []
    for number in range(3):
        messages = [*messages, {"role": "user", "content": f"u{number}"}]
        body = {"model": "qwen3", "system": "s", "messages": messages, "metadata": {"session_id": "s"}}
        usage = {"input_tokens": 5000 + number, "output_tokens": 5}
        answer = {"type": "message", "content": [{"type": "text", "text": "a"}], "usage": usage}
        lines.append(json.dumps({"request": body, "response": answer}))
        messages = [*messages, {"role": "assistant", "content": "a"}]
    (found,) = analyse(read_log("\n".join(lines).encode(), "f", "f").sessions, lambda model: None, Settings())
    assert [causes(turn) for turn in found.turns] == [[], [], []]
    assert {note.code for turn in found.turns for note in turn.notes} == {"measurement/usage-missing"}
