"""Files beside a log: scrapes of ``/metrics`` before and after, KV cache events, and the answer of ``/server_info``."""

from collections.abc import Sequence
from dataclasses import dataclass, field, fields, replace
from pathlib import Path

from analysis.formats import jsontext, kv_events
from analysis.formats.base import FormatError
from analysis.live import server_info
from analysis.live.metrics import CacheConfig, cache_config, counters
from analysis.live.vllm import ServerInfo
from analysis.model.evidence import Counters, KvEvent
from analysis.model.session import Problem
from analysis.model.settings import Settings
from analysis.pipeline.gaps import SideFiles
from analysis.pipeline.sources import refuse_special


@dataclass(frozen=True, slots=True)
class Beside:
    """What the files beside a log gave: evidence, what they say of the server, and what could not be read."""

    side: SideFiles = field(default_factory=SideFiles)
    cache: CacheConfig | None = None
    spec_decode: bool = False
    dcp: int = 1
    problems: tuple[Problem, ...] = ()

    def settings(self, given: Settings) -> Settings:
        """The settings with what the server said where nothing was given."""
        served = as_served(given, self.cache) if self.cache else given
        return replace(served, spec_decode=served.spec_decode or self.spec_decode, dcp=max(served.dcp, self.dcp))


def as_served(given: Settings, cache: CacheConfig | ServerInfo) -> Settings:
    """Settings with what a server says of its cache, where nothing else was given."""
    takes_size = given.block_size_basis == "assumed" and cache.block_size is not None
    return replace(
        given,
        block_size=cache.block_size if takes_size and cache.block_size else given.block_size,
        block_size_basis="server" if takes_size else given.block_size_basis,
        num_blocks=given.num_blocks or cache.num_blocks,
        window=given.window or cache.sliding_window,
        retention=given.retention if cache.retention is None else cache.retention,
        prefix_caching=cache.prefix_caching if given.prefix_caching is None else given.prefix_caching,
        mamba_cache_mode=given.mamba_cache_mode or cache.mamba_cache_mode,
    )


def read_beside(metrics: Sequence[Path], events: Path | None, info: Path | None) -> Beside:
    """Read the files that were given.  Raise FormatError or OSError where one is not what it should be."""
    if len(metrics) > 2:
        raise FormatError("--metrics takes one file, or two: before and after.")
    for path in filter(None, (*metrics, events, info)):
        refuse_special(path)
    cache, spec_decode, dcp = None, False, 1
    found: tuple[KvEvent, ...] = ()
    problems: tuple[Problem, ...] = ()
    if info is not None:
        cache, spec_decode, dcp = _said_by_server(info)
    texts = [path.read_text("utf-8", "replace") for path in metrics]
    for path, text in zip(metrics, texts, strict=True):
        if "vllm:" not in text:
            raise FormatError(
                f"{path.name}: no vLLM metric is in it. Give what the server's /metrics answers, as text."
            )
    if texts:
        cache = _first_said(cache_config(texts[-1]), cache)
    if events is not None:
        found, problems = kv_events.read(events.read_bytes(), events.name)
    rise = _rise(counters(texts[0]), counters(texts[1])) if len(texts) == 2 else None
    algorithm = (cache.hash_algorithm if cache else None) or "sha256"
    return Beside(SideFiles(found, rise, algorithm), cache, spec_decode, dcp, problems)


def _said_by_server(info: Path) -> tuple[CacheConfig, bool, int]:
    try:
        answer = jsontext.decode(info.read_bytes())
    except ValueError:
        raise FormatError(
            f"{info.name}: this is no JSON. Give what the server answers to /server_info?config_format=json."
        ) from None
    try:
        return server_info.read(answer)
    except ValueError as error:
        raise FormatError(f"{info.name}: {error}.") from None


def _rise(before: Counters, after: Counters) -> Counters:
    """The rise of every counter; a counter that fell was reset with its server and says nothing."""
    rises = {}
    for counter in fields(Counters):
        first, last = getattr(before, counter.name), getattr(after, counter.name)
        rises[counter.name] = last - first if first is not None and last is not None and last >= first else None
    return Counters(**rises)


def _first_said(first: CacheConfig, second: CacheConfig | None) -> CacheConfig:
    if second is None:
        return first
    said = {item.name: getattr(first, item.name) for item in fields(CacheConfig)}
    return CacheConfig(**{name: getattr(second, name) if value is None else value for name, value in said.items()})
