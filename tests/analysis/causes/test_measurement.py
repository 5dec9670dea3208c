"""What was not measured is said, and never taken for a zero."""

from dataclasses import replace

import pytest

from analysis.causes import measurement
from analysis.causes.base import Evidence
from analysis.model.session import CachedBasis, Usage
from tests.evidence import evidence, found, said


def unreported(basis: CachedBasis) -> Evidence:
    asked = evidence(None)
    turn = replace(asked.now.turn, usage=Usage(350, 1, None, basis))
    return replace(asked, now=replace(asked.now, turn=turn))


@pytest.mark.parametrize(
    ("basis", "remedy"),
    [
        ("disabled", "--enable-prompt-tokens-details"),
        ("omitted", "0 or unknown"),
        ("not-recorded", "stream_options.include_usage"),
    ],
)
def test_a_missing_count_is_a_note_with_its_remedy(basis: CachedBasis, remedy: str) -> None:
    (note,) = measurement.explain(unreported(basis))
    assert said([note]) == [("measurement/usage-missing", "note")]
    assert remedy in note.evidence


@pytest.mark.parametrize("cached", [0, 16, 320])
def test_a_count_is_a_count_even_where_it_is_zero(cached: int) -> None:
    assert list(measurement.explain(evidence(cached))) == []


def test_a_missing_count_is_never_a_cause() -> None:
    assert found(unreported("omitted")) == ([], ["measurement/usage-missing"])


def test_nothing_is_concluded_from_a_wrong_render() -> None:
    """A salt that differs would be certain; with the wrong tokens it is not even asked."""
    asked = evidence(0, gap={"unlimited_tokens": 0}, now={"salt": "other"})
    assert found(asked) == ([("key/cache-salt", "certain", 320)], [])
    wrong = replace(asked, now=replace(asked.now, fidelity="mismatch"))
    assert found(wrong) == ([], ["measurement/wrong-render"])


def test_a_turn_after_a_wrong_render_says_so() -> None:
    asked = evidence(320)
    assert asked.previous is not None
    after = replace(asked, previous=replace(asked.previous, fidelity="mismatch"))
    assert found(after) == ([], ["measurement/previous-not-trusted"])


def test_a_turn_of_another_lineage_says_so() -> None:
    asked = evidence(320)
    turn = replace(asked.now.turn, lineage="side-1")
    (note,) = measurement.explain(replace(asked, now=replace(asked.now, turn=turn)))
    assert said([note]) == [("measurement/lineage", "note")] and "side-1" in note.evidence


def test_what_the_log_leaves_out_is_said() -> None:
    asked = evidence(320)
    turn = replace(asked.now.turn, completeness=frozenset({"no_tools", "no_system"}))
    (note,) = measurement.explain(replace(asked, now=replace(asked.now, turn=turn)))
    assert said([note]) == [("measurement/incomplete-request", "note")]
    assert note.evidence.startswith("the system prompt is not in it, the tools are not in it: ")
