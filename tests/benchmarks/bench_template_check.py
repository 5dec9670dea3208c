"""The template check on every real chat template at hand.

Run by hand: ``pytest -m benchmark -s tests/benchmarks``.
"""

import time
from pathlib import Path

import pytest

from analysis.pipeline.template_check import behaving_alike, check_template

pytestmark = pytest.mark.benchmark

MOST_SECONDS = 60.0  # of processor time, for all of them


def test_all_templates(oracles: Path) -> None:
    sources = {path.stem: path.read_text("utf-8") for path in sorted((oracles / "templates").glob("*.jinja"))}
    start = time.process_time()
    checks = [check_template(name, source) for name, source in sources.items()]
    seconds = time.process_time() - start
    probes = sum(len(check.probes) for check in checks)
    print(f"\ntemplate check: {len(checks)} templates, {probes} probes, {len(behaving_alike(checks))} groups,", end=" ")
    print(f"{seconds:.1f} CPU-s")
    assert len(checks) >= 72 and seconds < MOST_SECONDS
