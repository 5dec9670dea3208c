"""What ``/server_info`` says: a recorded answer, cut to the parts that are read, and answers of other shapes."""

import json
from typing import Any

import pytest

from analysis.live.metrics import CacheConfig
from analysis.live.server_info import read
from tests.builders import ROOT

RECORDED = json.loads((ROOT / "tests" / "data" / "server_info" / "serve-block128.json").read_text("utf-8"))


def answer(cache: dict[str, Any] | None = None, **parts: Any) -> dict[str, Any]:
    return {"vllm_config": {"cache_config": cache or {}, **parts}}


def test_a_recorded_answer() -> None:
    cache = CacheConfig(
        block_size=128, num_blocks=32768, hash_algorithm="sha256", prefix_caching=True, sliding_window=None, retention=0
    )
    assert read(RECORDED) == (cache, False, 1)


@pytest.mark.parametrize(
    ("cache", "expected"),
    [
        pytest.param({}, CacheConfig(), id="nothing said"),
        pytest.param({"block_size": 528}, CacheConfig(block_size=528), id="a large block"),
        pytest.param({"block_size": 0, "num_gpu_blocks": 0, "sliding_window": 0}, CacheConfig(), id="zeros"),
        pytest.param({"block_size": "16", "num_gpu_blocks": True}, CacheConfig(), id="other types"),
        pytest.param({"num_gpu_blocks": None}, CacheConfig(), id="before the profile run"),
        pytest.param({"enable_prefix_caching": False}, CacheConfig(prefix_caching=False), id="switched off"),
        pytest.param({"enable_prefix_caching": "no"}, CacheConfig(), id="off in another type"),
        pytest.param({"mamba_cache_mode": "align"}, CacheConfig(mamba_cache_mode="align"), id="aligned"),
        pytest.param({"mamba_cache_mode": "none"}, CacheConfig(), id="no mamba"),
        pytest.param({"sliding_window": 1024}, CacheConfig(sliding_window=1024), id="a window"),
        pytest.param({"prefix_cache_retention_interval": 0}, CacheConfig(retention=0), id="retention 0 is said"),
    ],
)
def test_the_cache(cache: dict[str, Any], expected: CacheConfig) -> None:
    assert read(answer(cache)) == (expected, False, 1)


@pytest.mark.parametrize(
    ("speculative", "drops"),
    [
        (None, False),
        ({"method": "eagle3", "num_speculative_tokens": 3}, True),
        ({"method": "deepseek_mtp"}, True),
        ({"method": "mtp"}, True),
        ({"method": "ngram", "model": "a-model-mtp"}, False),
        ({"method": "draft_model"}, False),
        ({}, False),
        ("SpeculativeConfig(method='eagle')", True),
    ],
    ids=str,
)
def test_only_eagle_and_mtp_drop_a_block(speculative: Any, drops: bool) -> None:
    assert read(answer(speculative_config=speculative))[1] is drops


@pytest.mark.parametrize(("size", "expected"), [(4, 4), (1, 1), (0, 1), ("2", 1), (None, 1)])
def test_decode_context_parallelism(size: Any, expected: int) -> None:
    assert read(answer(parallel_config={"decode_context_parallel_size": size}))[2] == expected


def test_parts_of_other_shapes_say_nothing() -> None:
    assert read(answer(parallel_config="ParallelConfig()")) == (CacheConfig(), False, 1)


@pytest.mark.parametrize(
    "body",
    [None, [], "x", 7, {}, {"vllm_config": "VllmConfig(...)"}, {"vllm_config": {"cache_config": None}}],
    ids=repr,
)
def test_another_answer_is_refused(body: Any) -> None:
    with pytest.raises(ValueError, match=r"no vllm_config.cache_config \(ask for \?config_format=json\)"):
        read(body)
