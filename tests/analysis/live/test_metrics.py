"""Prometheus text: the recorded servers, and lines that nobody should have written."""

import pytest

from analysis.live.metrics import CacheConfig, Sample, cache_config, counters, samples
from analysis.model.evidence import Counters
from tests.replay_server import exchange


@pytest.mark.parametrize("server", ["serve-block128", "serve-default-flags"])
def test_the_recorded_cache(server: str) -> None:
    text = exchange(server, "metrics_before").reply.body.decode()
    assert cache_config(text) == CacheConfig(
        block_size=128, num_blocks=32768, hash_algorithm="sha256", prefix_caching=True, sliding_window=None, retention=0
    )


def test_a_server_without_a_cache_says_nothing() -> None:
    text = exchange("launch-render", "metrics_before").reply.body.decode()
    assert cache_config(text) == CacheConfig()


def test_counters_of_the_recorded_server() -> None:
    text = exchange("serve-block128", "metrics_before").reply.body.decode()
    [queries] = samples(text, "vllm:prefix_cache_queries_total")
    assert queries.labels["model_name"] == "qwen3-tiny"
    assert queries.value >= 0


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        ('block_size="16",sliding_window="4096"', CacheConfig(block_size=16, sliding_window=4096)),
        ('enable_prefix_caching="False"', CacheConfig(prefix_caching=False)),
        ('enable_prefix_caching="None",num_gpu_blocks="None"', CacheConfig()),
        ('block_size="0",num_gpu_blocks="-1",sliding_window="x"', CacheConfig()),
        ('block_size="99999999999999999999999999"', CacheConfig()),
        ('prefix_caching_hash_algo="xxhash_cbor"', CacheConfig(hash_algorithm="xxhash_cbor")),
        ('prefix_cache_retention_interval="0"', CacheConfig(retention=0)),
        ('prefix_cache_retention_interval="4096"', CacheConfig(retention=4096)),
        ('prefix_cache_retention_interval="None"', CacheConfig()),
        ('prefix_cache_retention_interval="-1"', CacheConfig()),
        ('mamba_cache_mode="align"', CacheConfig(mamba_cache_mode="align")),
        ('mamba_cache_mode="none"', CacheConfig()),
    ],
)
def test_labels(labels: str, expected: CacheConfig) -> None:
    assert cache_config(f"vllm:cache_config_info{{{labels}}} 1.0\n") == expected


def test_engines_that_disagree_say_nothing_and_the_rest_stands() -> None:
    lines = (
        'vllm:cache_config_info{engine="0",block_size="16",num_gpu_blocks="100"} 1.0',
        'vllm:cache_config_info{engine="1",block_size="16",num_gpu_blocks="90"} 1.0',
    )
    assert cache_config("\n".join(lines)) == CacheConfig(block_size=16)


def test_the_counters_of_a_server() -> None:
    assert counters(exchange("serve-default-flags", "metrics_after").reply.body.decode()) == Counters(
        queries=4698.0, hits=3456.0, external_queries=0.0, external_hits=0.0, preemptions=0.0
    )


def test_counters_are_summed_over_engines_and_none_where_there_are_none() -> None:
    lines = (
        'vllm:prefix_cache_hits_total{engine="0"} 16.0',
        'vllm:prefix_cache_hits_total{engine="1"} 32.0',
        'vllm:prefix_cache_hits_created{engine="0"} 1.7e9',
        'vllm:external_prefix_cache_hits_total{engine="0"} 5',
        "vllm:num_preemptions_total{} 2",
        "vllm:prefix_cache_queries_total broken",
    )
    assert counters("\n".join(lines)) == Counters(hits=48.0, external_hits=5.0, preemptions=2.0)
    assert counters("") == Counters()


def test_escapes_braces_and_longer_names() -> None:
    text = (
        'a{x="1"} 2\nab{x="3"} 4\na{x="q\\"u\\\\o\\n}",y=""} 5 1700000000\na 6\n# a{x="7"} 8\na{broken\na{} nothing\n'
    )
    assert list(samples(text, "a")) == [
        Sample({"x": "1"}, 2.0),
        Sample({"x": 'q"u\\o\n}', "y": ""}, 5.0),
        Sample({}, 6.0),
    ]


@pytest.mark.parametrize("text", ["", "<html>", "\x00\ufffd", "vllm:cache_config_info", "vllm:cache_config_info{} x"])
def test_what_is_no_metric_is_passed_over(text: str) -> None:
    assert cache_config(text) == CacheConfig()
