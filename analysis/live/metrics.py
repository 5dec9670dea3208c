"""What ``/metrics`` says of the prefix cache: its configuration, and the counters of queries and hits.

Reads Prometheus text for the lines it is asked for.  Does not fetch it, and does not keep what it does not know.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from analysis.model.evidence import Counters

CACHE_CONFIG = "vllm:cache_config_info"
_LABEL = re.compile(r'([A-Za-z_]\w*)="((?:[^"\\]|\\.)*)"')
_ESCAPE = re.compile(r"\\(.)")
_NOT_SAID = ("", "None", "none")


@dataclass(frozen=True, slots=True)
class Sample:
    """One line of a metric: its labels and its value."""

    labels: dict[str, str]
    value: float


@dataclass(frozen=True, slots=True)
class CacheConfig:
    """The prefix cache as the server describes it; None is "not said".

    ``block_size``, ``sliding_window`` and ``retention`` (the retention interval of window blocks) are in tokens;
    ``num_blocks`` counts blocks, the reserved one included.
    """

    block_size: int | None = None
    num_blocks: int | None = None
    hash_algorithm: str | None = None
    prefix_caching: bool | None = None
    sliding_window: int | None = None
    mamba_cache_mode: str | None = None
    retention: int | None = None


def samples(text: str, name: str) -> Iterator[Sample]:
    """Yield the samples of one metric; a line that is damaged is passed over."""
    for line in text.splitlines():
        if not line.startswith(name) or line[len(name) : len(name) + 1] not in ("{", " "):
            continue
        labels, _, value = line[len(name) :].rpartition("}")
        try:
            number = float(value.split()[0])
        except (IndexError, ValueError):
            continue
        yield Sample({key: _unescaped(quoted) for key, quoted in _LABEL.findall(labels)}, number)


def cache_config(text: str) -> CacheConfig:
    """Read ``vllm:cache_config_info``; where engines behind one address disagree, nothing is said."""
    engines = [sample.labels for sample in samples(text, CACHE_CONFIG)]
    return CacheConfig(
        block_size=_positive(_agreed(engines, "block_size")),
        num_blocks=_positive(_agreed(engines, "num_gpu_blocks")),
        hash_algorithm=_agreed(engines, "prefix_caching_hash_algo"),
        prefix_caching={"true": True, "false": False}.get((_agreed(engines, "enable_prefix_caching") or "").lower()),
        sliding_window=_positive(_agreed(engines, "sliding_window")),
        mamba_cache_mode=_agreed(engines, "mamba_cache_mode"),
        retention=_whole(_agreed(engines, "prefix_cache_retention_interval")),
    )


def counters(text: str) -> Counters:
    """Read the prefix cache counters, summed over engines."""

    def total(name: str) -> float | None:
        values = [sample.value for sample in samples(text, f"vllm:{name}_total")]
        return sum(values) if values else None

    return Counters(
        queries=total("prefix_cache_queries"),
        hits=total("prefix_cache_hits"),
        external_queries=total("external_prefix_cache_queries"),
        external_hits=total("external_prefix_cache_hits"),
        preemptions=total("num_preemptions"),
    )


def _agreed(engines: list[dict[str, str]], label: str) -> str | None:
    values = {engine.get(label, "") for engine in engines}
    only = values.pop() if len(values) == 1 else ""
    return None if only in _NOT_SAID else only


def _whole(value: str | None) -> int | None:
    return int(value) if value is not None and re.fullmatch(r"[0-9]{1,18}", value) else None


def _positive(value: str | None) -> int | None:
    return int(value) if value is not None and re.fullmatch(r"[0-9]{1,18}", value) and int(value) > 0 else None


def _unescaped(quoted: str) -> str:
    return _ESCAPE.sub(lambda found: "\n" if found[1] == "n" else found[1], quoted)
