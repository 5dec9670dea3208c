"""A baseline on disk: what is read is what was written, and what is none is refused."""

import json
from dataclasses import replace
from typing import Any

import pytest

from analysis.model.settings import Settings
from analysis.report.baseline import baseline_of
from analysis.report.baseline_file import read, written
from tests.sample_store import record_of

KEPT = baseline_of([record_of("03"), record_of("05")], Settings())
CONTENT: dict[str, Any] = json.loads(written(KEPT))


def test_what_is_read_is_what_was_written() -> None:
    assert read(written(KEPT), "b.json") == KEPT
    assert written(read(written(KEPT), "b.json")) == written(KEPT)


def test_no_text_of_a_log_is_in_it() -> None:
    kept = record_of("03")
    quoted = [turn.divergence.new for turn in kept.turns if turn.divergence and turn.divergence.new]
    assert quoted
    assert not [text for text in quoted if json.dumps(text)[1:-1] in written(KEPT)]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        pytest.param("", "no JSON", id="empty"),
        pytest.param("{", "no JSON", id="cut off"),
        pytest.param("[" * 100_000, "no JSON", id="nested too deeply"),
        pytest.param("[]", "no baseline of Whymiss", id="a list"),
        pytest.param('{"schema": 1}', "no baseline of Whymiss", id="another file of ours"),
        pytest.param(json.dumps(CONTENT | {"whymiss_baseline": 2}), "another version", id="a later one"),
        pytest.param(json.dumps(CONTENT | {"whole": {}}), "damaged", id="without figures"),
        pytest.param(json.dumps(CONTENT | {"causes": None}), "damaged", id="without causes"),
        pytest.param(json.dumps(CONTENT | {"causes": {"a": -1}}), "damaged", id="less than nothing"),
        pytest.param(json.dumps(CONTENT | {"causes": {"a": 10**300}}), "damaged", id="more than can be counted"),
        pytest.param(json.dumps(CONTENT | {"waste": {"lost_tokens": 1}}), "damaged", id="waste without its sums"),
        pytest.param(json.dumps(CONTENT | {"whymiss_baseline": True}), "another version", id="no version"),
        pytest.param(
            json.dumps(CONTENT | {"whole": CONTENT["whole"] | {"cached_tokens": 10**9}}),
            "damaged",
            id="a part too large",
        ),
        pytest.param(
            json.dumps(CONTENT | {"waste": CONTENT["waste"] | {"lost_tokens": 10**9}}), "damaged", id="too much waste"
        ),
        pytest.param(json.dumps(CONTENT | {"causes": {"a": True}}), "damaged", id="no number"),
        pytest.param(
            json.dumps(CONTENT | {"whole": CONTENT["whole"] | {"more": 1}}), "damaged", id="a figure that is unknown"
        ),
    ],
)
def test_what_is_no_baseline_is_refused_with_the_remedy(text: str, words: str) -> None:
    with pytest.raises(ValueError, match=rf"^b\.json: .*{words}.* Write a new one with --save\.$"):
        read(text, "b.json")


def test_a_file_of_before_waste_was_kept_is_read() -> None:
    older = {name: value for name, value in CONTENT.items() if name != "waste"}
    assert read(json.dumps(older), "b.json") == replace(KEPT, waste=None)
    assert KEPT.waste is not None and KEPT.waste.lost_tokens > 0


def test_of_settings_only_known_ones_are_read_and_none_at_length() -> None:
    settings = {f"more {number}": "x" for number in range(9)} | {"block_size": "1" * 1_000}
    assert read(json.dumps(CONTENT | {"settings": settings}), "b.json").settings == {"block_size": "1" * 300}


def test_half_a_character_of_a_name_is_shown_as_a_question_mark() -> None:
    odd = read(json.dumps(CONTENT | {"causes": {"a\ud800": 1}}), "b.json")
    assert odd.causes == {"a?": 1}
