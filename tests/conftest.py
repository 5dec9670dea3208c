"""What several test files share: the sample sessions with their model, and the real tokenizers."""

import gc
import json
import logging
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import hypothesis
import pytest

from analysis.render.template import TemplateRenderer
from tests.builders import ROOT, SAMPLE_MODEL, SAMPLES

# How long an example takes is the machine's business: no test here asserts a time.
hypothesis.settings.register_profile("whymiss", deadline=None)
hypothesis.settings.load_profile("whymiss")

MOST_WORKERS = 4  # each of them imports and collects everything first
ALONE = re.compile(r"(?<!not )\b(browser|load|benchmark)\b")
QUICK = [ROOT / "tests" / "analysis" / floor for floor in ("core", "causes", "formats", "render", "live", "report")]
NOT_QUICK = ("slow", "browser", "oracle", "load", "benchmark")


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """A worker per processor; none for named files, which are done before workers have started, none where the output
    is wanted as it comes, and none beside browsers and loads, which want the machine for themselves."""
    alone = any(".py" in argument for argument in config.args) or ALONE.search(config.option.markexpr)
    return 0 if alone or config.option.capture == "no" else min(os.cpu_count() or 1, MOST_WORKERS)


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """``-m quick`` does not even import what it leaves out."""
    if config.option.markexpr != "quick":
        return None
    return not any(folder.is_relative_to(collection_path) or collection_path.is_relative_to(folder) for folder in QUICK)


def pytest_itemcollected(item: pytest.Item) -> None:
    """Quick is what tests the engine in memory, but for what is marked."""
    if any(item.path.is_relative_to(folder) for folder in QUICK) and not any(map(item.get_closest_marker, NOT_QUICK)):
        item.add_marker("quick")


def pytest_collection_finish() -> None:
    """Spare every test what grows with all that was imported and collected.

    Streamlit keeps some seventy loggers away from the root, and pytest visits each of them around every test.
    """
    for name, logger in logging.root.manager.loggerDict.items():
        if name.startswith("streamlit") and isinstance(logger, logging.Logger):
            logger.propagate = True
    gc.collect()
    gc.freeze()  # what was collected stays until the end: no search for garbage need look at it again


@pytest.hookimpl(tryfirst=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """On CI a skipped test is a failed run: what was not run was not shown."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    num_skipped = len(reporter.stats.get("skipped", ())) if reporter else 0
    if os.environ.get("CI") == "true" and num_skipped:
        reporter.ensure_newline()
        reporter.write_line(f"CI=true: {num_skipped} skipped, and nothing may be skipped here", red=True)
        session.exitstatus = session.exitstatus or pytest.ExitCode.TESTS_FAILED


@pytest.fixture(scope="session")
def sample_files() -> dict[str, Path]:
    """The sample sessions by their short name: ``01``, ``busy-server``."""
    return {path.stem if path.stem[0].isalpha() else path.stem[:2]: path for path in SAMPLES}


@pytest.fixture(scope="session")
def expected() -> dict[str, Any]:
    """What was measured on the server, by file name."""
    measured: dict[str, Any] = json.loads((ROOT / "tests" / "data" / "EXPECTED.json").read_text("utf-8"))["files"]
    return measured


@pytest.fixture(scope="session")
def sample_renderer() -> TemplateRenderer:
    return TemplateRenderer.load(str(SAMPLE_MODEL))


@pytest.fixture(scope="session")
def oracles() -> Path:
    """The folder of real tokenizers, chat templates and axe, fetched once; a failure is an error, no skip."""
    fetched = subprocess.run([sys.executable, ROOT / "tests" / "fetch_oracles"], capture_output=True, text=True)
    if fetched.returncode:
        raise RuntimeError(f"tests/fetch_oracles failed: {fetched.stderr.strip()}")
    return Path(fetched.stdout.strip().splitlines()[-1])
