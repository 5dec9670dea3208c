"""What the answer of ``/server_info`` says of the prefix cache; the route needs VLLM_SERVER_DEV_MODE=1.

Reads the JSON form of the configuration.  Does not fetch it, and does not read the text form.
"""

from analysis.live.metrics import CacheConfig
from analysis.model.session import Json, JsonObject


def read(body: Json) -> tuple[CacheConfig, bool, int]:
    """The cache, whether drafting drops a block from every hit, and the decode context parallel size.

    Raise ValueError where this is no such answer.
    """
    config = body.get("vllm_config") if isinstance(body, dict) else None
    cache = config.get("cache_config") if isinstance(config, dict) else None
    if not isinstance(config, dict) or not isinstance(cache, dict):
        raise ValueError(
            "not an answer of /server_info: it has no vllm_config.cache_config (ask for ?config_format=json)"
        )
    parallel = config.get("parallel_config")
    dcp = parallel.get("decode_context_parallel_size") if isinstance(parallel, dict) else None
    enabled = cache.get("enable_prefix_caching")
    found = CacheConfig(
        block_size=_number(cache, "block_size") or None,
        num_blocks=_number(cache, "num_gpu_blocks") or None,
        hash_algorithm=_word(cache, "prefix_caching_hash_algo"),
        prefix_caching=enabled if isinstance(enabled, bool) else None,
        sliding_window=_number(cache, "sliding_window") or None,
        mamba_cache_mode=_word(cache, "mamba_cache_mode"),
        retention=_number(cache, "prefix_cache_retention_interval"),
    )
    return found, _drops_a_block(config.get("speculative_config")), dcp if isinstance(dcp, int) and dcp > 0 else 1


def _drops_a_block(speculative: Json) -> bool:
    """EAGLE and MTP take the last matched block from every hit; n-gram and draft models do not."""
    method = speculative.get("method") if isinstance(speculative, dict) else speculative
    return any(name in str(method).lower() for name in ("eagle", "mtp"))


def _number(cache: JsonObject, name: str) -> int | None:
    value = cache.get(name)
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def _word(cache: JsonObject, name: str) -> str | None:
    value = cache.get(name)
    return value if isinstance(value, str) and value not in ("", "None", "none") else None
