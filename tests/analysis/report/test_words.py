"""Findings in plain words."""

import ast
import re
from dataclasses import replace

import pytest

from analysis.model.finding import UNEXPLAINED, Divergence, Note
from analysis.model.prompt import Segment
from analysis.report.words import (
    IN_WORDS,
    cause_headline,
    counted,
    described,
    fields,
    in_words,
    place_of,
    summary,
    undiverged,
    unshared,
)
from tests.builders import ROOT
from tests.sample_store import record_of

SYSTEM = Segment("messages[0].content", 28, "system")
CALL = Segment("messages[2].tool_calls[1]", 0, "assistant")
REASONING = Segment("messages[2].reasoning", 5, "assistant")


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


@pytest.mark.parametrize(
    ("code", "words", "head"),
    [
        ("key/cache-salt", "the cache salt changed", "The cache salt changed"),
        (UNEXPLAINED, "nothing that is known explains it", "Nothing that is known explains it"),
        ("odd/code", "odd/code", "Odd/code"),
    ],
)
def test_a_code_in_words(code: str, words: str, head: str) -> None:
    assert (in_words(code), cause_headline(code)) == (words, head)


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


@pytest.mark.parametrize(
    ("evidence", "said"),
    [
        pytest.param(
            "the prompt rendered to 5,299 tokens where the server counted 4,812: wrong tokenizer or template",
            "Turn 1 was rendered to 5,299 tokens where the server counted 4,812. No sums of such tokens are given.",
            id="with its size",
        ),
        pytest.param("wrong", "No sums of such tokens are given.", id="an older analysis"),
    ],
)
def test_wrong_tokens_are_not_summed(evidence: str, said: str) -> None:
    record = record_of("01")
    wrong = tuple(
        replace(turn, fidelity="mismatch", notes=(Note("measurement/wrong-render", evidence),)) for turn in record.turns
    )
    assert summary(replace(record, turns=wrong)) == said
    assert summary(replace(record, turns=(*wrong[1:], record.turns[0]))).startswith("Of ")
