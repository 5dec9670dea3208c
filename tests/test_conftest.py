"""What the test run itself promises: on CI nothing is skipped."""

import pytest

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
