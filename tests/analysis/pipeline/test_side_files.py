"""Files beside a log: what they say, what wins where two say the same, and what is refused."""

from dataclasses import replace
from pathlib import Path

import pytest

from analysis.formats.base import FormatError
from analysis.live.metrics import CacheConfig
from analysis.model.evidence import Counters
from analysis.model.settings import Settings
from analysis.pipeline.side_files import Beside, read_beside
from tests.builders import ROOT

DATA = ROOT / "tests" / "data"
FLAGS = DATA / "http" / "serve-default-flags"
SCRAPES = [FLAGS / "metrics_before.response.txt", FLAGS / "metrics_after.response.txt"]
INFO = DATA / "server_info" / "serve-block128.json"
GIVEN = Settings(16, "given")


def test_nothing_beside_changes_nothing() -> None:
    beside = read_beside([], None, None)
    assert beside == Beside()
    assert beside.settings(GIVEN) == GIVEN and beside.settings(Settings()) == Settings()


def test_two_scrapes_give_the_rise_and_the_later_configuration() -> None:
    beside = read_beside(SCRAPES, None, None)
    assert beside.side.counters == Counters(4698.0, 3456.0, 0.0, 0.0, 0.0)
    assert beside.cache == CacheConfig(128, 32768, "sha256", True, retention=0)
    found = beside.settings(Settings())
    assert (found.block_size, found.block_size_basis, found.num_blocks) == (128, "server", 32768)
    assert (found.prefix_caching, found.retention, found.window) == (True, 0, None)


def test_one_scrape_gives_the_configuration_and_no_rise() -> None:
    beside = read_beside(SCRAPES[1:], None, None)
    assert beside.side.counters is None
    assert beside.settings(Settings()).block_size == 128


def test_a_counter_that_fell_says_nothing(tmp_path: Path) -> None:
    """A restart in between: what fell was reset, and what a side does not have is not counted."""
    before, after = tmp_path / "before.txt", tmp_path / "after.txt"
    before.write_text("vllm:prefix_cache_hits_total{} 50\nvllm:prefix_cache_queries_total{} 10\n")
    after.write_text(
        "vllm:prefix_cache_hits_total{} 20\nvllm:prefix_cache_queries_total{} 10\nvllm:num_preemptions_total{} 3\n"
    )
    assert read_beside([before, after], None, None).side.counters == Counters(queries=0.0)


@pytest.mark.parametrize("content", [b"", b"\x00\xff\x01", b"# HELP up\nup 1\n"], ids=["empty", "binary", "another"])
def test_a_file_without_vllm_metrics_is_refused(tmp_path: Path, content: bytes) -> None:
    scrape = tmp_path / "scrape.txt"
    scrape.write_bytes(content)
    with pytest.raises(FormatError, match=r"scrape\.txt: no vLLM metric"):
        read_beside([scrape], None, None)


def test_events() -> None:
    beside = read_beside([], DATA / "kv_events" / "busy-server.jsonl", None)
    assert len(beside.side.events) == 510 and beside.problems == ()
    assert beside.settings(GIVEN) == GIVEN


def test_server_info_and_what_the_metrics_say_before_it(tmp_path: Path) -> None:
    scrape = tmp_path / "metrics.txt"
    scrape.write_text('vllm:cache_config_info{block_size="32",prefix_caching_hash_algo="sha256_cbor"} 1.0\n')
    alone, both = read_beside([], None, INFO), read_beside([scrape], None, INFO)
    assert (alone.settings(Settings()).block_size, alone.side.hash_algorithm) == (128, "sha256")
    assert (both.settings(Settings()).block_size, both.side.hash_algorithm) == (32, "sha256_cbor")
    assert both.settings(Settings()).num_blocks == 32768, "what only one says stands"


CACHE = CacheConfig(
    block_size=32,
    num_blocks=100,
    hash_algorithm="sha256",
    prefix_caching=False,
    sliding_window=512,
    mamba_cache_mode="align",
    retention=64,
)


def test_the_server_fills_what_was_not_given() -> None:
    found = Beside(cache=CACHE, spec_decode=True, dcp=2).settings(Settings())
    assert found == Settings(
        block_size=32,
        block_size_basis="server",
        num_blocks=100,
        window=512,
        retention=64,
        spec_decode=True,
        dcp=2,
        prefix_caching=False,
        mamba_cache_mode="align",
    )


def test_what_was_given_wins() -> None:
    given = Settings(
        block_size=16,
        block_size_basis="given",
        num_blocks=7,
        window=9,
        spec_decode=True,
        dcp=4,
        prefix_caching=True,
        mamba_cache_mode="all",
    )
    assert Beside(cache=CACHE, dcp=2).settings(given) == replace(given, retention=64), "but for the retention interval"


def test_a_server_that_does_not_say_its_block_size_leaves_it_assumed() -> None:
    found = Beside(cache=CacheConfig(num_blocks=50)).settings(Settings())
    assert (found.block_size, found.block_size_basis, found.num_blocks) == (16, "assumed", 50)


def test_drafting_is_known_without_a_configuration() -> None:
    found = Beside(spec_decode=True, dcp=2).settings(GIVEN)
    assert (found.spec_decode, found.dcp, found.block_size) == (True, 2, 16)


@pytest.mark.parametrize("text", ["", "<html>502</html>", "{}", '{"vllm_config": "VllmConfig(...)"}', "[1"], ids=repr)
def test_another_server_info_is_refused(text: str, tmp_path: Path) -> None:
    file = tmp_path / "info.json"
    file.write_text(text)
    with pytest.raises(FormatError, match=r"^info\.json: "):
        read_beside([], None, file)


def test_other_files_are_refused(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="one file, or two"):
        read_beside([*SCRAPES, SCRAPES[0]], None, None)
    with pytest.raises(FormatError, match="no KV cache event"):
        read_beside([], SCRAPES[0], None)
    with pytest.raises(OSError, match=r"nowhere\.txt"):
        read_beside([tmp_path / "nowhere.txt"], None, None)
