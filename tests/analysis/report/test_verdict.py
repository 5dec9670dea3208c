"""The verdict on a session: one sentence from its figures."""

import re

import pytest

from analysis.model.prompt import Segment
from analysis.model.record import SessionFigures
from analysis.pipeline.record import figures as figures_of
from analysis.report.verdict import verdict
from tests.sample_store import record_of

SYSTEM = Segment("messages[0].content", 28, "system")
CALL = Segment("messages[2].tool_calls[1]", 0, "assistant")


def figures(**given: object) -> SessionFigures:
    counts: dict[str, object] = dict.fromkeys(
        ("cached_tokens", "reusable_tokens", "missed_tokens", "lost_tokens", "unknown_turns", "mismatched_turns"), 0
    )
    counts |= {"num_turns": 9, "num_divergences": 3, "known_turns": 9}
    counts |= {"prompt_tokens": 10_000, "known_prompt_tokens": 10_000, **given}
    return SessionFigures(**counts)  # type: ignore[arg-type]


SILENT = {"known_turns": 0, "known_prompt_tokens": 0}
TEXT = "Compared by text only: "
BY_TOKENIZER = "for tokens this model's tokenizer is needed."
NEEDED = f"F{BY_TOKENIZER[1:]}"
INCOMPLETE = "The log leaves out part of its requests, so no tokenizer can give the tokens."
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
            {"unknown_turns": 9, "cached_tokens": 9_351},
            f"The server reports 93.5% reused. {NEEDED}",
            id="unknown, the server counted",
        ),
        pytest.param(
            {"unknown_turns": 9, "known_turns": 4, "cached_tokens": 9_351, "headless_turns": 9},
            f"The server reports 93.5% reused, in 4 turns. {INCOMPLETE}",
            id="unknown, some counts, an incomplete log",
        ),
        pytest.param({"unknown_turns": 9, **SILENT}, NEEDED, id="unknown and not reported"),
        pytest.param(
            {"unknown_turns": 9, "headless_turns": 2, **SILENT},
            "For tokens this model's tokenizer is needed; 2 of 9 turns stay unknown, since the log leaves out part of"
            " their requests.",
            id="a log incomplete in some turns",
        ),
        pytest.param(
            {"num_turns": 1, "unknown_turns": 1, "known_turns": 1, "cached_tokens": 2_190, "headless_turns": 1},
            f"One turn: there is nothing to compare. The server reports 21.9% reused. {INCOMPLETE}",
            id="one turn",
        ),
        pytest.param(
            {"num_turns": 1, "unknown_turns": 1, **SILENT},
            f"One turn: there is nothing to compare. {NEEDED}",
            id="one turn, not reported",
        ),
        pytest.param(
            {
                "unknown_turns": 9,
                "text_turns": 8,
                "cached_tokens": 9_350,
                "headless_turns": 9,
                "short_turns": (2, 9, 21),
            },
            "The server reports 93.5% reused. No earlier text changed; turns 2, 9 and 21 reused far less than the turn"
            f" before allows. {TEXT}the log leaves out part of its requests, so no tokenizer can give the tokens.",
            id="by text and counts: what the server forgot",
        ),
        pytest.param(
            {"unknown_turns": 9, "short_turns": (1, 3, 5, 7, 9, 11, 13, 15, 17, 19), **SILENT},
            f"Turns 1, 3, 5, 7, 9, 11, 13, 15 and 2 more reused far less than the turn before allows. {NEEDED}",
            id="many short turns",
        ),
        pytest.param(
            {"unknown_turns": 9, "text_turns": 8, **SILENT},
            f"No earlier text changed. {TEXT}{BY_TOKENIZER}",
            id="by text, nothing changed",
        ),
        pytest.param(
            {"unknown_turns": 9, "text_turns": 1, **SILENT},
            f"The one request that can be compared changed no earlier text. {TEXT}{BY_TOKENIZER}",
            id="by text, one can be compared",
        ),
        pytest.param(
            {"unknown_turns": 9, "text_turns": 2, **SILENT},
            f"None of the 2 requests that can be compared changed earlier text. {TEXT}{BY_TOKENIZER}",
            id="by text, few can be compared",
        ),
        pytest.param(
            {"unknown_turns": 9, "text_turns": 2, "text_meant": 2, **SILENT},
            f"2 of 2 requests change earlier text, both on purpose. {TEXT}{BY_TOKENIZER}",
            id="by text, what was meant",
        ),
        pytest.param(
            {"unknown_turns": 9, "text_turns": 8, "text_meant": 1, **SILENT},
            f"1 of 8 requests changes earlier text, on purpose. {TEXT}{BY_TOKENIZER}",
            id="by text, one that was meant",
        ),
        pytest.param(
            {"unknown_turns": 9, "text_turns": 8, "text_replies": 3, **SILENT},
            f"The last reply came back in another form in 3 requests. {TEXT}{BY_TOKENIZER}",
            id="by text, replies alone",
        ),
        pytest.param(
            {"unknown_turns": 9, "text_turns": 8, "text_changes": 1, "text_turn": 4, "text_segment": SYSTEM, **SILENT},
            f"1 request changes what was sent before, at turn 4 in the system message. {TEXT}{BY_TOKENIZER}",
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
                **SILENT,
            },
            "3 requests of the 5 that can be compared change what was sent before, most of it at turn 4 in the system"
            f" message: a date stands in the prompt. {TEXT}{BY_TOKENIZER}",
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
