"""Findings in plain words."""

import ast
import re
from dataclasses import replace

import pytest

from analysis.model.finding import Divergence
from analysis.model.prompt import Segment
from analysis.model.record import SessionFigures
from analysis.pipeline.record import figures as figures_of
from analysis.report.words import IN_WORDS, counted, described, fields, place_of, undiverged, unshared, verdict
from tests.builders import ROOT
from tests.sample_store import record_of

SYSTEM = Segment("messages[0].content", 28, "system")
CALL = Segment("messages[2].tool_calls[1]", 0, "assistant")
REASONING = Segment("messages[2].reasoning", 5, "assistant")


def figures(**given: object) -> SessionFigures:
    counts: dict[str, object] = dict.fromkeys(
        ("cached_tokens", "reusable_tokens", "missed_tokens", "lost_tokens", "unknown_turns", "mismatched_turns"), 0
    )
    counts |= {"num_turns": 9, "num_divergences": 3, "known_turns": 9}
    counts |= {"prompt_tokens": 10_000, "known_prompt_tokens": 10_000, **given}
    return SessionFigures(**counts)  # type: ignore[arg-type]


LOST = {"lost_tokens": 6_000, "costliest_turn": 4}


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        pytest.param({}, "Clean: nothing was computed twice.", id="clean"),
        pytest.param({"lost_tokens": 99}, "Clean but for 99 tokens that were computed twice.", id="below one percent"),
        pytest.param(
            {"lost_tokens": 100, "costliest_turn": 4},
            "1% computed again after a change, mostly at turn 4.",
            id="from one percent on",
        ),
        pytest.param(LOST, "60% computed again after a change, mostly at turn 4.", id="lost, no field known"),
        pytest.param(
            {**LOST, "costliest_segment": SYSTEM},
            "60% computed again after a change, mostly at turn 4 in the system message.",
            id="lost in a field",
        ),
        pytest.param(
            {**LOST, "num_divergences": 1, "costliest_segment": CALL},
            "60% computed again after a change, at turn 4 in tool call 2 of message 3 (assistant).",
            id="a single divergence is not mostly",
        ),
        pytest.param({"lost_tokens": 6_000}, "60% computed again after a change.", id="lost at no known turn"),
        pytest.param(
            {**LOST, "missed_tokens": 6_000},
            "60% computed again after a change, mostly at turn 4.",
            id="as much lost as missed",
        ),
        pytest.param(
            {**LOST, "missed_tokens": 7_000},
            "70% computed again though unchanged: look at keys, memory or routing.",
            id="more missed than lost",
        ),
        pytest.param(
            {**LOST, "missed_tokens": 7_000, "top_cause": "capacity/eviction"},
            "70% computed again though unchanged: the memory was needed for other requests.",
            id="missed for a known cause",
        ),
        pytest.param(
            {**LOST, "missed_tokens": 7_000, "top_cause": "unexplained"},
            "70% computed again though unchanged: look at keys, memory or routing.",
            id="missed for no known cause",
        ),
        pytest.param(
            {**LOST, "missed_tokens": 5_000, "top_cause": "capacity/eviction"},
            "60% computed again after a change, mostly at turn 4.",
            id="a cause of less than was lost",
        ),
        pytest.param(
            {"known_turns": 0},
            "No earlier text changed. The server did not say what it reused.",
            id="not reported, nothing lost",
        ),
        pytest.param(
            {"known_turns": 0, **LOST},
            "60% computed again after a change, mostly at turn 4. The server did not say what it reused.",
            id="not reported, but lost",
        ),
        pytest.param(
            {"unknown_turns": 9},
            "The tokens are unknown: a tokenizer for this model is needed, or the log lacks part of its requests.",
            id="unknown",
        ),
        pytest.param(
            {"unknown_turns": 9, "known_turns": 0, "mismatched_turns": 0, "prompt_tokens": 0},
            "The tokens are unknown: a tokenizer for this model is needed, or the log lacks part of its requests.",
            id="unknown and not reported",
        ),
        pytest.param(
            {"unknown_turns": 9, "text_turns": 8},
            "Approximate, by text: no request changes what was sent before. The tokens are unknown.",
            id="by text, nothing changed",
        ),
        pytest.param(
            {"unknown_turns": 9, "text_turns": 8, "text_meant": 2},
            "Approximate, by text: no request changes what was sent before, but for 2 on purpose. The tokens are"
            " unknown.",
            id="by text, what was meant",
        ),
        pytest.param(
            {"unknown_turns": 9, "text_turns": 8, "text_changes": 1, "text_turn": 4, "text_segment": SYSTEM},
            "Approximate, by text: 1 request changes what was sent before, at turn 4 in the system message. The tokens"
            " are unknown.",
            id="by text, one change",
        ),
        pytest.param(
            {
                "unknown_turns": 9,
                "text_turns": 5,
                "text_changes": 3,
                "text_turn": 4,
                "text_segment": SYSTEM,
                "top_cause": "volatile-head/client-date",
            },
            "Approximate, by text: 3 requests of the 5 that can be compared change what was sent before, most of it at"
            " turn 4 in the system message: a date stands in the prompt. The tokens are unknown.",
            id="by text, some turns only",
        ),
        pytest.param(
            {"unknown_turns": 8},
            "Clean: nothing was computed twice. 8 of 9 turns are left out: the tokens are unknown.",
            id="one turn is known",
        ),
        pytest.param(
            {"known_turns": 7, **LOST},
            "60% computed again after a change, mostly at turn 4. In 2 of 9 turns the server did not say what it"
            " reused.",
            id="not reported in some turns",
        ),
        pytest.param(
            {"known_turns": 0, "unknown_turns": 1},
            "No earlier text changed. The server did not say what it reused. 1 of 9 turns is left out: the tokens are"
            " unknown.",
            id="nothing reported and one turn unknown",
        ),
        pytest.param(
            {"mismatched_turns": 1, **LOST},
            "1 turn of 9 came out at another length than the server counted: wrong tokenizer or template, so the"
            " figures cannot be trusted.",
            id="mismatch goes before every figure",
        ),
        pytest.param(
            {"mismatched_turns": 9, "known_turns": 0},
            "9 turns of 9 came out at another length than the server counted: wrong tokenizer or template, so the"
            " figures cannot be trusted.",
            id="mismatch goes before not reported",
        ),
    ],
)
def test_verdict(given: dict[str, object], sentence: str) -> None:
    assert verdict(figures(**given)) == sentence


@pytest.mark.parametrize(
    ("start", "pattern"),
    [
        ("01", r"Clean: nothing was computed twice\."),
        (
            "03",
            r"86% computed again after a change, mostly at turn \d+ in the system message: a time stands in the "
            r"prompt\.",
        ),
        ("05", r"16% computed again after a change, mostly at turn \d+ in tool \d+: the set of tools changed\."),
        ("07", r"58% computed again though unchanged: the cache salt changed\."),
        ("busy", r"7% computed again though unchanged: the memory was needed for other requests\."),
        ("12", r"No earlier text changed\. The server did not say what it reused\."),
        (
            "14",
            r"18% computed again after a change, at turn 5 in text of the chat template: the chat template prints "
            r"the date\.",
        ),
    ],
)
def test_verdict_on_a_recorded_session(start: str, pattern: str) -> None:
    assert re.fullmatch(pattern, verdict(figures_of(record_of(start))))


@pytest.mark.parametrize(
    ("here", "before", "words", "paths"),
    [
        pytest.param(
            SYSTEM,
            SYSTEM,
            "in the system message, character 28",
            "field: messages[0].content · character 28",
            id="one field",
        ),
        pytest.param(
            CALL,
            REASONING,
            "in tool call 2 of message 3 (assistant), where the reasoning of message 3 (assistant) stood before",
            "field: messages[2].tool_calls[1] · before: messages[2].reasoning · character 0",
            id="one field for another",
        ),
        pytest.param(
            Segment("template", None),
            Segment("tools[0]", 3),
            "in text of the chat template, where tool 1 stood before",
            "field: template · before: tools[0]",
            id="template for a tool",
        ),
        pytest.param(
            None,
            None,
            "at token 1,239; naming the message field needs this model's tokenizer",
            "",
            id="no tokenizer",
        ),
        pytest.param(SYSTEM, None, "in the system message, character 28", "", id="nothing known of before"),
    ],
)
def test_the_place_of_a_divergence(here: Segment | None, before: Segment | None, words: str, paths: str) -> None:
    found = Divergence(1239, 77, here, before)
    assert described(found) == words
    assert fields(found) == paths


@pytest.mark.parametrize(
    ("path", "role", "words"),
    [
        pytest.param("messages[0].content", "system", "the system message", id="system"),
        pytest.param("messages[4].content", "system", "system message 5", id="a later system message"),
        pytest.param("messages[1].content", "user", "message 2 (user)", id="content"),
        pytest.param("messages[1].content", None, "message 2", id="no role"),
        pytest.param("messages[2].reasoning", "assistant", "the reasoning of message 3 (assistant)", id="reasoning"),
        pytest.param("messages[2].tool_calls[0]", "assistant", "tool call 1 of message 3 (assistant)", id="a call"),
        pytest.param("messages[3].tool_call_id", "tool", "the tool call id of message 4 (tool)", id="another field"),
        pytest.param("messages[0].role", "system", "the role of message 1 (system)", id="a role"),
        pytest.param("tools[11]", None, "tool 12", id="a tool"),
        pytest.param("template", None, "text of the chat template", id="template"),
        pytest.param("documents[0]", None, "documents[0]", id="a field without words"),
    ],
)
def test_place_of(path: str, role: str | None, words: str) -> None:
    assert place_of(Segment(path, 0, role)) == words


@pytest.mark.parametrize(
    ("earlier", "later", "words"),
    [
        pytest.param(30, 60, "the later prompt only goes on where the earlier one ends", id="longer"),
        pytest.param(30, 30, "both prompts are the same", id="equal"),
        pytest.param(60, 30, "the later prompt is the beginning of the earlier one", id="shorter"),
    ],
)
def test_undiverged(earlier: int, later: int, words: str) -> None:
    assert undiverged(earlier, later) == words


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({}, ""),
        ({"salt": "salt B"}, "Their cache salts differ: blocks are shared within one salt only."),
        ({"model": "another"}, "Their models differ: blocks are shared within one model only."),
    ],
)
def test_unshared(changed: dict[str, str], words: str) -> None:
    first = record_of("07").turns[0]
    assert unshared(first, replace(first, **changed)) == words  # type: ignore[arg-type]


@pytest.mark.parametrize(("number", "words"), [(0, "0 turns"), (1, "1 turn"), (12_000, "12,000 turns")])
def test_counted(number: int, words: str) -> None:
    assert counted(number, "turn") == words


def codes_of_causes() -> set[str]:
    """Every code that some family of causes can give; notes have codes of their own."""
    constants = {
        node.value
        for path in (ROOT / "analysis" / "causes").glob("*.py")
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }
    codes = {text for text in constants if re.fullmatch(r"[a-z-]+/[a-z-]+", text)}
    return {code for code in codes if not code.startswith("measurement/") and code != "granularity/block-floor"}


def test_every_cause_has_words() -> None:
    codes = codes_of_causes()
    assert {"key/cache-salt", "capacity/eviction", "tools/order"} <= codes, "the search finds what there is"
    assert set(IN_WORDS) == codes


def test_no_reason_takes_it_that_its_reader_knows_what_a_block_is() -> None:
    words = re.compile(r"\b(blocks?|tokens?|hash|LRU|prefill|KV)\b", re.IGNORECASE)
    assert {code: reason for code, reason in IN_WORDS.items() if words.search(reason)} == {
        "tokenisation/drift": "the same text became other tokens"
    }
