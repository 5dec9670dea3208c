"""The browser that the tests of the dashboard drive."""

import shutil
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, expect, sync_playwright

from tests.browser.dashboard_window import PATIENCE


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox", "--disable-gpu"]
        )
        expect.set_options(timeout=PATIENCE)
        yield chromium
        expect.set_options(timeout=5_000)
        chromium.close()
