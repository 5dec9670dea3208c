"""The way of somebody who has never seen Whymiss: from a log to a report to send, by what stands on the screen."""

import html
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.dashboard_window import Dashboard, serving
from tests.builders import SAMPLES, lines_of
from tests.sample_store import fill

pytestmark = pytest.mark.browser

CLOCK = next(path for path in SAMPLES if path.stem == "03-clock-in-system-prompt")
CAUSE, FIX = "a time stands in the prompt", "Pin the time to the start of the session"
SHORTEST = 12  # characters of a text that cannot stand in a report by chance
NAMES = ("session_id", "model", "id", "name")  # fields of any length that would tell whose log it is


def texts(value: Any) -> Iterator[str]:
    """The lines of all texts of a log, and its names."""
    if isinstance(value, dict):
        yield from (one for key, one in value.items() if key in NAMES and isinstance(one, str))
        yield from (line for one in value.values() for line in texts(one))
    elif isinstance(value, list):
        yield from (line for one in value for line in texts(one))
    elif isinstance(value, str):
        yield from (line.strip() for line in value.splitlines() if len(line.strip()) >= SHORTEST)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_from_a_customers_log_to_a_report_to_send(browser: Browser, tmp_path: Path, scheme: Any) -> None:
    log = tmp_path / "customer.jsonl"
    log.write_text(CLOCK.read_text("utf-8").replace("desk-chat-60417", "acme-desk-7"), "utf-8")
    fill(tmp_path / "cold.duckdb", "07").close()
    with serving(tmp_path / "cold.duckdb") as address:
        page = browser.new_context(viewport={"width": 1280, "height": 900}, color_scheme=scheme).new_page()
        shown = Dashboard(page, address, {})
        shown.sessions().add(log)
        shown.main.get_by_role("button", name="Open acme-desk-7").click()
        shown.expect_map()
        expect(shown.heading(re.compile(f"^86% computed again .*{CAUSE}"))).to_be_in_viewport()
        box = shown.main.locator(".st-key-what_to_do")
        for words in ("7 of 8 requests", "It comes from the client", f"Fix: {FIX}"):
            expect(box).to_contain_text(words)
        expect(box).to_be_in_viewport(ratio=1)
        expect(shown.map.canvas).to_be_in_viewport(ratio=0.5)
        shown.expect_settled()
        shown.main.get_by_role("button", name="Share", exact=True).click()
        expect(shown.dialog.get_by_text("No text of the log is in it")).to_be_visible()
        expect(shown.dialog.frame_locator("iframe").locator(".verdict")).to_contain_text(CAUSE)
        with page.expect_download() as download:
            shown.dialog.get_by_role("button", name="Download the report").click()
        report = html.unescape(download.value.path().read_text("utf-8"))
        assert download.value.suggested_filename == "whymiss-report.html"
        assert CAUSE in report and FIX in report
        said = {text for line in lines_of(log) for part in ("request", "response") for text in texts(line[part])}
        assert len(said) > 100 and [text for text in said | {"acme-desk-7"} if text in report] == []
        assert shown.errors == [] and shown.hosts <= {"127.0.0.1", None, ""}
        page.context.close()
