"""Where a fix has to be made: the field, the value, the tools, the salts, the room, as far as the evidence tells."""

from dataclasses import replace

import pytest

from analysis.model.finding import Cause
from analysis.model.record import SessionRecord
from analysis.report.cleaning import cleaned
from analysis.report.fix_words import located
from analysis.report.quotes import Quote
from tests.sample_store import analysed_samples, record_of


def said(record: SessionRecord, code: str) -> str:
    return "".join(part if isinstance(part, str) else f"[{part.text}]" for part in located(record, code))


@pytest.mark.parametrize(
    ("start", "code", "words"),
    [
        (
            "03", "volatile-head/client-timestamp",
            "In this session: [29 November 2026, 22:31:13 UTC] in the system message (messages[0].content).",
        ),
        (
            "02", "template/reasoning-stripped",
            "In this session: the reasoning of message 3 (messages[2].reasoning), and also messages[14].reasoning,"
            " messages[26].reasoning.",
        ),
        (
            "06", "tools/order",
            "In this session: the order of turn 3 was [run_sql], [describe_table], [save_chart], [note].",
        ),
        ("07", "key/cache-salt", "In this session: salt A in turn 4, salt B in turn 5."),
        ("08", "client/compaction", ""),
        ("03", "tools/order", ""),
    ],
)  # fmt: skip
def test_what_a_sample_says(start: str, code: str, words: str) -> None:
    assert said(record_of(start), code) == words


def test_the_room_that_would_have_kept_it() -> None:
    records = {one.session_id: one for one in analysed_samples()["busy-server.jsonl"].records}
    record = records["larch-locks-5d10"]
    evicted = next(one for one in record.turns[5].causes)
    assert said(record, "capacity/eviction") == "In this session: a pool of 517 blocks would have kept all of it."
    more = replace(evicted, evidence=evicted.evidence.replace("517", "1,517"))
    twice = replace(record, turns=(*record.turns, replace(record.turns[5], turn=7, causes=(more,))))
    assert "a pool of 1,517 blocks" in said(twice, "capacity/eviction")
    unknown = replace(record, turns=(*record.turns, replace(record.turns[5], causes=(replace(more, evidence="?"),))))
    assert said(unknown, "capacity/eviction") == ""


def caused(code: str, segment: str | None, evidence: str) -> SessionRecord:
    record = record_of("03")
    cause = Cause(code, "certain", segment, 9, None, evidence, "Fix it.")
    return replace(record, turns=(record.turns[0], replace(record.turns[1], causes=(cause,))))


@pytest.mark.parametrize(
    ("record", "words"),
    [
        (
            caused("tools/description-changed", "tools[2]", "the tool “look” has another text: “a” now, “b” before"),
            "In this session: [look], in turn 2.",
        ),
        (
            caused("routing/replica", None, "served by “gpu1”, the previous turn by “gpu2”: each has a cache"),
            "In this session: turn 2 went to [gpu1], the turn before to [gpu2].",
        ),
        (caused("routing/replica", None, "the hit is exactly what turn 1 left"), ""),
        (caused("client/history-edited", "messages[1].x_secret", "odd"), ""),
        (caused("template/positional-marker", "template", "odd"), ""),
        (caused("capacity/eviction", None, "the hit is the front of what was known"), ""),
    ],
)
def test_what_evidence_says(record: SessionRecord, words: str) -> None:
    (code,) = (one.code for one in record.turns[1].causes)
    assert said(cleaned(record), code) == words


def test_a_value_is_a_quote_like_that_of_the_evidence() -> None:
    quotes = [part for part in located(record_of("03"), "volatile-head/client-timestamp") if isinstance(part, Quote)]
    assert [(one.path, one.form) for one in quotes] == [("messages[0].content", "HH:MM:SS (+1 s)")]
