"""The JSON contract: exactly these keys, plain JSON values, and no secret."""

import json
import re
from dataclasses import replace
from typing import Any

import pytest

from analysis.model.evidence import Reconciliation
from analysis.model.finding import Cause, Note, TextComparison, TextDivergence
from analysis.model.prompt import Segment
from analysis.model.session import Problem
from analysis.model.settings import Settings
from analysis.report.contract import as_json
from app import places
from tests.sample_store import analysed_samples, record_of, sample

TURN = {
    "turn", "line", "request_id", "salt", "started_at", "prompt_tokens", "output_tokens", "cached_tokens",
    "cached_basis", "fidelity", "generated_basis", "lcp_tokens", "best_tokens", "reusable_tokens", "ideal_tokens",
    "donor", "previous", "account", "lost_in_output", "divergence", "causes", "notes", "text", "lineage", "client",
    "completeness", "first_token_at",
}  # fmt: skip
KEYS = {
    "": {"schema", "settings", "sessions", "evidence", "problems"},
    "settings": {
        "block_size", "block_size_basis", "normalise", "same_server", "num_blocks", "window", "retention",
        "spec_decode", "dcp", "prefix_caching", "mamba_cache_mode",
    },
    "evidence": {
        "source", "queries_counted", "queries_logged", "hits_counted", "hits_reported", "hits_predicted",
        "removals_predicted", "removals_announced", "removals_confirmed", "hashes_same", "hashes_different",
        "blocks_needed",
    },
    "sessions": {"session_id", "source", "format", "model", "inferred", "turns", "plan"},
    "turns": TURN,
    "donor": {"session_id", "turn"},
    "previous": {"turn", "lcp_tokens"},
    "account": {"cached", "missed", "rounding", "lost", "new", "reusable_unreported", "beyond_prediction"},
    "divergence": {
        "token", "block", "segment", "char", "previous_segment", "previous_char", "segment_basis", "before", "old",
        "new",
    },
    "text": {"previous", "equal_messages", "equal_chars", "previous_chars", "divergence"},
    "text divergence": {"segment", "char", "previous_segment", "previous_char", "before", "old", "new"},
    "causes": {
        "code", "confidence", "hidden", "deliberate", "segment", "tokens", "recovers", "evidence", "fix",
    },
    "plan": {
        "code", "turns", "also", "fix", "prompt_before", "prompt_after", "reusable_before", "reusable_after",
        "computed_before", "computed_after", "recovers", "verified", "reason",
    },
    "notes": {"code", "evidence"},
    "problems": {"file", "line", "message"},
}  # fmt: skip
HERE = Segment("messages[0].content", 3, "system")
BY_TEXT = TextComparison(1, 2, 30, 99, TextDivergence(HERE, Segment("tools[0]", 0), "b", "o", "n"))
SALT = re.compile(rb'"cache_salt":\s*"([^"]+)"')


def answer(*starts: str) -> dict[str, Any]:
    records = [record for start in starts for record in sample(start).records]
    return as_json(records, Settings(16, "given"))


def objects(value: Any, name: str = "") -> list[tuple[str, set[str]]]:
    """Every object in it: the key that it stands under, and its own keys."""
    if isinstance(value, list):
        return [found for item in value for found in objects(item, name)]
    if not isinstance(value, dict):
        return []
    if name == "text" and value["divergence"]:
        return [*objects({**value, "divergence": None}, name), ("text divergence", set(value["divergence"]))]
    return [(name, set(value)), *(found for key, inner in value.items() for found in objects(inner, key))]


def test_exactly_these_keys_and_every_object_seen() -> None:
    record = record_of("02")
    cause = Cause("template/reasoning-stripped", "certain", "messages[2].reasoning", 9, None, "seen", "undo")
    last = replace(record.turns[-1], causes=(cause,), notes=(Note("n", "why"),), text=BY_TEXT)
    turns = (*record.turns[:-1], last)
    held = replace(record, turns=turns, reconciliation=Reconciliation())
    found = objects(as_json([held], Settings(), [Problem("a.jsonl", 3, "odd")]))
    assert {name for name, _keys in found} == set(KEYS)
    for name, keys in found:
        assert keys == KEYS[name], name


def test_it_is_json_as_it_stands() -> None:
    stated = as_json([record for one in analysed_samples().values() for record in one.records], Settings())
    assert json.loads(json.dumps(stated, allow_nan=False)) == stated


def test_the_figures_of_one_turn() -> None:
    stated = answer("02")
    assert stated["schema"] == 1
    assert stated["settings"] == {
        "block_size": 16, "block_size_basis": "given", "normalise": "vllm", "same_server": False,
        "num_blocks": None, "window": None, "retention": 0, "spec_decode": False, "dcp": 1,
        "prefix_caching": None, "mamba_cache_mode": None,
    }  # fmt: skip
    (session,) = stated["sessions"]
    assert (session["source"], session["format"]) == ("02-reasoning-stripped.jsonl", "openai-chat")
    (step,) = session["plan"]
    assert step["fix"] and {**step, "fix": ""} == {
        "code": "template/reasoning-stripped", "turns": [7, 13, 18], "also": [], "fix": "", "prompt_before": 47_743,
        "prompt_after": 53_409, "reusable_before": 42_832, "reusable_after": 50_672, "computed_before": 4_911,
        "computed_after": 2_737, "recovers": 2_174, "verified": True, "reason": None,
    }  # fmt: skip
    turn = session["turns"][6]
    assert (turn["turn"], turn["prompt_tokens"], turn["cached_tokens"]) == (7, 2168, 1232)
    assert (turn["fidelity"], turn["cached_basis"], turn["salt"]) == ("logged", "reported", None)
    assert turn["account"] == {
        "cached": 1232, "missed": 0, "rounding": 7, "lost": 890, "new": 39,
        "reusable_unreported": None, "beyond_prediction": 0,
    }  # fmt: skip
    divergence = turn["divergence"]
    assert (divergence["token"], divergence["block"], divergence["segment_basis"]) == (1239, 77, "provenance")
    assert divergence["previous_segment"].endswith(".reasoning")
    assert turn["previous"] == {"turn": 6, "lcp_tokens": 1239}


def test_what_the_log_says_of_a_turn_and_its_comparison_by_text() -> None:
    first, *others = record_of("02").turns
    said = replace(
        first,
        lineage="title",
        client="agent/1.2",
        completeness=frozenset({"no_tools", "no_system"}),
        first_token_at=2.5,
        text=BY_TEXT,
        causes=(Cause("tools/order", "likely", "tools[0]", None, None, "seen", "sort"),),
    )
    (session,) = as_json([replace(record_of("02"), turns=(said, *others))], Settings())["sessions"]
    turn, other = session["turns"][:2]
    assert (turn["lineage"], turn["client"], turn["first_token_at"]) == ("title", "agent/1.2", 2.5)
    assert turn["completeness"] == ["no_system", "no_tools"] and turn["causes"][0]["tokens"] is None
    assert turn["text"] == {
        "previous": 1, "equal_messages": 2, "equal_chars": 30, "previous_chars": 99,
        "divergence": {
            "segment": "messages[0].content", "char": 3, "previous_segment": "tools[0]", "previous_char": 0,
            "before": "b", "old": "o", "new": "n",
        },
    }  # fmt: skip
    assert (other["text"], other["lineage"], other["completeness"]) == (None, None, [])


def test_a_step_that_was_not_verified_has_no_figure_behind_it() -> None:
    record = record_of("02")
    step = replace(record.plan[0], after=None, reason="no knob")
    (session,) = as_json([replace(record, plan=(step,))], Settings())["sessions"]
    (found,) = session["plan"]
    assert (found["verified"], found["reason"], found["reusable_before"]) == (False, "no knob", 42_832)
    assert {found[name] for name in ("prompt_after", "reusable_after", "computed_after", "recovers")} == {None}


def test_the_plan_of_three_faults() -> None:
    (session,) = answer("06")["sessions"]
    assert [step["reusable_after"] for step in session["plan"]] == [11_984, 13_168, 14_224]
    assert [step["turns"] for step in session["plan"]] == [list(range(2, 10)), [4], [6]]


def test_a_first_turn_has_nothing_before_it() -> None:
    first = answer("02")["sessions"][0]["turns"][0]
    assert (first["turn"], first["previous"], first["divergence"], first["donor"]) == (1, None, None, None)
    assert first["ideal_tokens"] is None and first["causes"] == []


def test_what_the_server_did_not_say_is_null_and_never_zero() -> None:
    for turn in answer("12")["sessions"][0]["turns"]:
        assert turn["cached_tokens"] is None and turn["cached_basis"] == "disabled"
        assert turn["account"]["cached"] is None and turn["account"]["missed"] is None
        assert turn["account"]["reusable_unreported"] == turn["best_tokens"]
        assert [note["code"] for note in turn["notes"]] == ["measurement/usage-missing"]


def test_evidence_stands_once_for_every_server() -> None:
    evidence = answer("busy", "02")["evidence"]
    assert {one["source"]: one["blocks_needed"] for one in evidence} == {
        "busy-server.jsonl": 535, "02-reasoning-stripped.jsonl": None,
    }  # fmt: skip
    assert len(evidence) == 2 and evidence[0]["hits_reported"] == evidence[0]["hits_predicted"] == 29_840
    assert evidence[0]["hits_counted"] is None and evidence[0]["removals_announced"] is None


def test_what_was_not_held_against_anything_has_no_evidence() -> None:
    assert as_json([replace(record_of("02"), reconciliation=None)], Settings())["evidence"] == []


def test_a_missed_turn_carries_its_causes() -> None:
    (cause,) = answer("busy")["sessions"][0]["turns"][5]["causes"]
    assert (cause["code"], cause["confidence"], cause["recovers"]) == ("capacity/eviction", "likely", None)
    assert "a pool of 400 blocks keeps exactly what was hit" in cause["evidence"]


def test_a_turn_without_tokens_keeps_its_counts() -> None:
    record = record_of("02")
    unknown = replace(record.turns[0], fidelity=None, account=None, reusable_tokens=None, lcp_tokens=None)
    (session,) = as_json([replace(record, turns=(unknown,))], Settings())["sessions"]
    (turn,) = session["turns"]
    assert (turn["fidelity"], turn["account"], turn["reusable_tokens"]) == (None, None, None)
    assert turn["prompt_tokens"] == record.turns[0].prompt_tokens


def test_problems_are_stated_once_by_file_and_line() -> None:
    own = Problem("b.jsonl", 12, "odd")
    records = [replace(record_of("03"), problems=(own,)), replace(record_of("02"), problems=(own,))]
    whole = Problem("a.jsonl", None, "half of it is missing")
    later = Problem("b.jsonl", 2, "odder")
    assert as_json(records, Settings(), [later, whole, whole])["problems"] == [
        {"file": "a.jsonl", "line": None, "message": "half of it is missing"},
        {"file": "b.jsonl", "line": 2, "message": "odder"},
        {"file": "b.jsonl", "line": 12, "message": "odd"},
    ]


@pytest.mark.parametrize("path", places.sample_logs(), ids=lambda path: path.stem)
def test_no_salt_is_written(path: Any) -> None:
    salts = {salt.decode() for salt in SALT.findall(path.read_bytes())}
    assert (len(salts) == 5) == path.name.startswith("07"), "the search finds what there is"
    written = json.dumps(answer(path.name))
    for salt in salts:
        assert salt not in written


def test_salts_are_labels() -> None:
    labels = [turn["salt"] for turn in answer("07")["sessions"][0]["turns"]]
    assert labels[:4] == ["salt A"] * 4
    assert list(dict.fromkeys(labels)) == [f"salt {letter}" for letter in "ABCDE"]
