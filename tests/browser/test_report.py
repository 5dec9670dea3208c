"""A report in a real browser, from a file: it asks nobody, fits its window, and is read without scripts."""

from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

from analysis.report.document import Report
from analysis.report.quotes import Scope, Shown
from analysis.report.redaction import Rules, redacted
from app.reporting import written
from tests.case_reports import case_report
from tests.sample_reports import KEY, leaving

pytestmark = pytest.mark.browser

STARTS = ("01", "03", "07", "11", "busy", "case")


def _report(start: str, scope: Scope) -> Report[Shown]:
    return redacted(case_report(), Rules(scope), KEY)[0] if start == "case" else leaving(start, scope)


def opened(browser: Browser, folder: Path, start: str, scope: Scope = "everything", **window: Any) -> Page:
    """A report as somebody opens it who got it; whatever it asks for or complains about is an error."""
    file = folder / f"{start}-{scope}.html"
    file.write_text(written(_report(start, scope), ".html"), "utf-8")
    page = browser.new_page(**window)
    page.set_default_timeout(5_000)

    def fails(what: object) -> None:
        raise AssertionError(what)

    page.on("console", lambda entry: fails(entry.text))
    page.on("pageerror", fails)
    page.on("request", lambda request: None if request.url == file.as_uri() else fails(request.url))
    page.goto(file.as_uri())
    return page


@pytest.mark.parametrize("start", STARTS)
@pytest.mark.parametrize("width", [800, 1280, 2560])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_fits_its_window(browser: Browser, tmp_path: Path, start: str, width: int, scheme: str) -> None:
    window = {"viewport": {"width": width, "height": 900}, "color_scheme": scheme}
    page = opened(browser, tmp_path, start, "nothing", **window)
    assert page.evaluate("document.documentElement.scrollWidth") == width
    background = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert background == ("rgb(255, 255, 255)" if scheme == "light" else "rgb(23, 22, 20)")
    page.close()


def test_without_scripts_it_says_the_same_and_leads_to_the_tokens(browser: Browser, tmp_path: Path) -> None:
    page = opened(browser, tmp_path, "03", java_script_enabled=False)
    assert page.locator(".verdict").inner_text().startswith("86% computed again")
    page.locator(".cards a").first.click()
    assert page.url.endswith("#s1t2") and page.locator("#s1t2 .boxes i.f").count() == 2
    page.locator(".map .row").nth(4).click()
    assert page.url.endswith("#s1t5")
    page.close()


def test_claims_of_a_case_lead_to_their_turns_and_tokens_without_scripts(browser: Browser, tmp_path: Path) -> None:
    page = opened(browser, tmp_path, "case", java_script_enabled=False)
    page.locator(".pins a").first.click()
    assert page.url.endswith("#s2t4") and page.locator("#s2t4 h4").inner_text() == "Turn 4"
    page.locator("#s3 .verdict a").click()
    assert page.url.endswith("#s3t7")
    page.locator("#s1 .cards a", has_text="token 44").click()
    assert page.url.endswith("#s1t2k")
    page.close()


def test_the_map_tells_what_is_under_the_pointer_and_goes_by_keys(browser: Browser, tmp_path: Path) -> None:
    page = opened(browser, tmp_path, "11", viewport={"width": 1280, "height": 900})
    told = page.locator(".told")
    row = page.locator(".map .row").nth(21)
    row.scroll_into_view_if_needed()
    box = row.bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + box["width"] * 0.2, box["y"] + box["height"] / 2)
    assert told.inner_text().startswith("Turn 22 · block ") and "behind a change" in told.inner_text()
    page.locator(".map .row").first.focus()
    for turn in (22, 36, 47):
        page.keyboard.press("n")
        assert told.inner_text().startswith(f"Turn {turn}: ")
    page.keyboard.press("p")
    assert told.inner_text().startswith("Turn 36: ")
    page.keyboard.press("ArrowDown")
    assert told.inner_text().startswith("Turn 37: ")
    page.keyboard.press("Enter")
    assert page.url.endswith("#s1t37")
    page.close()


def test_it_prints_in_light_colours_with_everything_on_paper(browser: Browser, tmp_path: Path) -> None:
    page = opened(browser, tmp_path, "03", color_scheme="dark", viewport={"width": 718, "height": 1000})
    page.emulate_media(media="print")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert page.evaluate("document.documentElement.scrollWidth") == 718
    assert len(page.pdf(format="A4", print_background=True)) > 100_000
    page.close()
