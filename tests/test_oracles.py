"""What is predicted is what a real server did: recorded sessions and samples, line by line."""

from pathlib import Path
from typing import Any

import pytest

from analysis.render.template import TemplateRenderer
from tests.builders import RECORDED, SAMPLES, analysed, lines_of

BLOCK_SIZES = {  # recorded files that unlimited memory explains
    "cache-salt-rotated": 16,
    "clean-tool-loop": 16,
    "clean-tool-loop-block32": 32,
    "compact-json-arguments": 16,
    "reasoning-stripped": 16,
    "same-prompt-twice": 16,
    "shared-system-three-sessions": 16,
    "tail-lengths": 16,
    "timestamp-in-system": 16,
    "tools-reordered": 16,
}
FILES = {path.stem: path for path in (*RECORDED, *SAMPLES)}


@pytest.mark.parametrize(("name", "block_size"), BLOCK_SIZES.items(), ids=list(BLOCK_SIZES))
def test_recorded_sessions(name: str, block_size: int) -> None:
    turns = analysed(FILES[name], None, block_size)
    for line, record in enumerate(lines_of(FILES[name]), 1):
        found, oracle = turns[line], record["oracle"]
        assert found.prompt_tokens == oracle["prompt_tokens"]
        assert found.reusable_tokens == oracle["cached_tokens"], f"line {line}"
        assert (found.fidelity, found.generated_basis) == ("logged", "logged")
        generated = oracle["generated_token_ids"]
        assert found.full_ids is not None
        assert found.full_ids[found.prompt_tokens :].tolist() == generated[:-1]


def test_a_server_without_prompt_token_details() -> None:
    path = FILES["usage-details-off-block128"]
    turns = analysed(path, None, 128).values()
    assert sum(turn.reusable_tokens or 0 for turn in turns) == 3456
    for turn in turns:
        assert (turn.turn.usage.cached_tokens, turn.turn.usage.cached_basis) == (None, "disabled")
        assert turn.account is not None
        assert (turn.account.cached, turn.account.missed) == (None, None)
        assert turn.account.reusable_unreported == turn.reusable_tokens
        assert "missed" not in {part.name for part in turn.parts}


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.stem)
def test_samples(path: Path, expected: dict[str, Any], sample_renderer: TemplateRenderer) -> None:
    """Where nothing was evicted, what could be reused is what the server reported."""
    turns = analysed(path, sample_renderer)
    for turn in expected[path.name]["turns"]:
        evicted = turn.get("predicted_lru", turn["predicted"]) != turn["predicted"]
        cached = turns[turn["line"]].turn.usage.cached_tokens
        if cached is None:
            assert path.stem == "12-usage-details-off"
        elif evicted:
            assert path.stem == "busy-server" and cached < (turns[turn["line"]].reusable_tokens or 0)
        else:
            assert turns[turn["line"]].reusable_tokens == cached, turn["line"]


def test_only_two_lines_of_the_busy_server_were_hit_by_eviction(sample_renderer: TemplateRenderer) -> None:
    turns = analysed(FILES["busy-server"], sample_renderer)
    missed = {line: turn.account.missed for line, turn in turns.items() if turn.account and turn.account.missed}
    assert missed == {20: 1712, 22: 992}


def test_without_a_renderer_the_ids_of_the_log_are_enough() -> None:
    """The same figures; only the fields of a divergence need a tokenizer."""
    turns = analysed(FILES["02-reasoning-stripped"], None)
    assert [turn.divergence.token for turn in turns.values() if turn.divergence] == [1239, 2168, 3008]
    assert all(turn.divergence.segment is None for turn in turns.values() if turn.divergence)
