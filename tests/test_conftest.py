"""What the test run itself promises: on CI nothing is skipped, and what cannot stand company runs by itself."""

import pytest

from tests.builders import ROOT
from tests.conftest import pytest_ignore_collect, pytest_xdist_auto_num_workers

pytest_plugins = ("pytester",)

SKIPS = "import pytest\n@pytest.mark.skip(reason='later')\ndef test_later(): ...\ndef test_now(): ..."
PASSES = "def test_now(): ..."
FAILS = "def test_now(): assert False"


@pytest.mark.parametrize(
    ("environment", "tests", "status", "said"),
    [
        pytest.param("true", SKIPS, 1, True, id="skipped on CI"),
        pytest.param("true", PASSES, 0, False, id="nothing skipped on CI"),
        pytest.param("true", SKIPS + "\n" + FAILS, 1, True, id="skipped and failed on CI"),
        pytest.param("", SKIPS, 0, False, id="skipped at home"),
    ],
)
def test_nothing_is_skipped_on_ci(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, environment: str, tests: str, status: int, said: bool
) -> None:
    monkeypatch.setenv("CI", environment)
    pytester.makeconftest("from tests.conftest import pytest_sessionfinish")
    pytester.makepyfile(tests)
    outcome = pytester.runpytest_inprocess("-p", "no:cacheprovider")
    assert outcome.ret == status
    lines = [line for line in outcome.outlines if "nothing may be skipped" in line]
    assert lines == (["CI=true: 1 skipped, and nothing may be skipped here"] if said else [])


@pytest.mark.parametrize(
    ("arguments", "beside"),
    [
        pytest.param((), True, id="everything"),
        pytest.param(("-m", "quick"), True, id="quick"),
        pytest.param(("-m", "oracle and not browser"), True, id="oracles"),
        pytest.param(("-m", "browser or load"), False, id="browsers"),
        pytest.param(("-m", "benchmark"), False, id="benchmarks"),
        pytest.param(("-s",), False, id="output as it comes"),
        pytest.param(("test_one.py::test_this",), False, id="a named test"),
    ],
)
def test_what_runs_beside_others(pytester: pytest.Pytester, arguments: tuple[str, ...], beside: bool) -> None:
    assert (pytest_xdist_auto_num_workers(pytester.parseconfig(*arguments)) > 0) == beside


@pytest.mark.parametrize(
    ("place", "left_out"),
    [(".", False), ("analysis", False), ("analysis/core/test_pool.py", False), ("analysis/store", True), ("app", True)],
)
def test_a_quick_run_imports_only_what_it_runs(pytester: pytest.Pytester, place: str, left_out: bool) -> None:
    assert pytest_ignore_collect(ROOT / "tests" / place, pytester.parseconfig("-m", "quick")) == left_out
    assert pytest_ignore_collect(ROOT / "tests" / place, pytester.parseconfig()) is None
