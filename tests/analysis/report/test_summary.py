"""Where a session's tokens went, and what counters, events and the pool model say of a history, in plain words."""

from dataclasses import replace

import pytest

from analysis.model.evidence import Reconciliation
from analysis.model.finding import Account, Cause
from analysis.model.record import SessionRecord
from analysis.report.words import reconciled, summary
from tests.sample_store import record_of


@pytest.mark.parametrize(
    ("start", "sentence"),
    [
        ("01", "Of 38,919 prompt tokens 35,600 were reused."),
        ("02", "Of 47,743 prompt tokens 42,832 were reused, 2,176 lost (the chat template strips earlier reasoning)."),
        ("07", "Of 14,665 prompt tokens 4,304 were reused, 8,480 missed (the cache salt changed)."),
        ("12", "Of 9,437 prompt tokens 7,808 were reusable, unreported."),
        (
            "busy",
            "Of 23,078 prompt tokens 18,720 were reused, 1,712 missed (the memory was needed for other requests).",
        ),
    ],
)
def test_summary_of_a_recorded_session(start: str, sentence: str) -> None:
    assert summary(record_of(start)) == sentence


def with_missed(*missed: tuple[int, str | None]) -> SessionRecord:
    """A session whose turns have 1,000 prompt tokens and missed so many of them, for this cause or none."""
    first = record_of("01").turns[0]
    turns = []
    for number, (tokens, code) in enumerate(missed, 1):
        causes = (Cause(code, "likely", None, tokens, None, "seen", "undo"),) if code else ()
        account = Account(1000 - tokens, tokens, 0, 0, 0, None, 0)
        turns.append(replace(first, turn=number, prompt_tokens=1000, account=account, causes=causes))
    return replace(record_of("01"), turns=tuple(turns))


@pytest.mark.parametrize(
    ("missed", "sentence"),
    [
        pytest.param([], "", id="no turn"),
        pytest.param([(0, None)], "Of 1,000 prompt tokens 1,000 were reused.", id="nothing missed"),
        pytest.param([(0, "key/lora")], "Of 1,000 prompt tokens 1,000 were reused.", id="a cause of nothing"),
        pytest.param(
            [(9, None)],
            "Of 1,000 prompt tokens 991 were reused, 9 computed again (nothing that is known explains it).",
            id="no cause",
        ),
        pytest.param(
            [(10, "key/lora"), (30, "routing/replica"), (15, "key/lora")],
            "Of 3,000 prompt tokens 2,945 were reused, 30 missed (another replica served it), 25 missed (the model or"
            " adapter changed).",
            id="the dearest cause first, its turns added up",
        ),
    ],
)
def test_summary_of_missed_tokens(missed: list[tuple[int, str | None]], sentence: str) -> None:
    assert summary(with_missed(*missed)) == sentence


def test_a_summary_where_nothing_is_said_and_nothing_could_be_reused() -> None:
    account = Account(None, None, 0, 0, 4, 0, 0)
    record = record_of("01")
    turns = (replace(record.turns[0], prompt_tokens=4, account=account, causes=()),)
    assert summary(replace(record, turns=turns)) == "Of 4 prompt tokens none were reusable."


def test_there_is_no_summary_of_unknown_tokens() -> None:
    turns = tuple(replace(turn, account=None) for turn in record_of("01").turns)
    assert summary(replace(record_of("01"), turns=turns)) == ""


@pytest.mark.parametrize(
    ("found", "lines"),
    [
        pytest.param(None, [], id="nothing was asked"),
        pytest.param(Reconciliation(hits_reported=9, hits_predicted=9), [], id="no counter"),
        pytest.param(
            Reconciliation(hits_counted=2_048, hits_reported=2_048, hits_predicted=1_024),
            ["s: the server counted 2,048 hit tokens, the log reports 2,048 and the prediction is 1,024: they agree."],
            id="counters agree",
        ),
        pytest.param(
            Reconciliation(hits_counted=2_048, hits_reported=1_024, hits_predicted=1_024),
            [
                "s: the server counted 2,048 hit tokens, the log reports 1,024 and the prediction is 1,024:"
                " the difference is traffic outside this log."
            ],
            id="traffic outside",
        ),
        pytest.param(
            Reconciliation(hits_counted=64, hits_predicted=64),
            ["s: the server counted 64 hit tokens, the log reports nothing and the prediction is 64: they agree."],
            id="the log is silent and the prediction right",
        ),
        pytest.param(
            Reconciliation(hits_counted=64, hits_predicted=32),
            [
                "s: the server counted 64 hit tokens, the log reports nothing and the prediction is 32:"
                " the difference is traffic outside this log."
            ],
            id="the log is silent and the prediction another",
        ),
        pytest.param(
            Reconciliation(removals_predicted=570, removals_announced=1_570, removals_confirmed=569),
            ["s: 569 of 570 predicted removals of blocks stand in the KV cache events, which announce 1,570."],
            id="removals",
        ),
        pytest.param(Reconciliation(removals_predicted=570), [], id="removals without events"),
        pytest.param(
            Reconciliation(hashes_same=1_200, hashes_different=3),
            ["s: 1,200 announced block hashes were recomputed from their tokens, 3 came out different."],
            id="hashes",
        ),
        pytest.param(
            Reconciliation(queries_counted=9_000, queries_logged=6_000),
            ["s: the server counted 9,000 prompt tokens, the log holds 6,000: 3,000 were asked for outside this log."],
            id="traffic outside the log",
        ),
        pytest.param(
            Reconciliation(queries_counted=6_000, queries_logged=6_000),
            ["s: the server counted 6,000 prompt tokens, the log holds 6,000: nothing is missing."],
            id="the whole traffic",
        ),
        pytest.param(
            Reconciliation(queries_counted=5_000, queries_logged=6_000),
            ["s: the server counted 5,000 prompt tokens, the log holds 6,000: not all of it in that time."],
            id="counted for a part of the log",
        ),
        pytest.param(Reconciliation(queries_counted=5_000), [], id="some turns are unknown"),
        pytest.param(
            Reconciliation(blocks_needed=1_535), ["s: with 1,535 blocks no hit would have been lost."], id="blocks"
        ),
    ],
)
def test_reconciled(found: Reconciliation | None, lines: list[str]) -> None:
    assert reconciled(replace(record_of("01"), source="s", reconciliation=found)) == lines
