"""The desk in a real browser, light and dark: a list filtered and kept, its days, and a case with its report."""

import html
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Locator, expect

from tests.browser.dashboard_window import Dashboard, serving
from tests.browser.triage import popover
from tests.sample_store import fill, record_of

pytestmark = pytest.mark.browser

SCHEMES = pytest.mark.parametrize("scheme", ["light", "dark"])
CLOCK = re.compile("a time stands in the prompt")
TITLE, STORY = "The Acme bill doubled", "Zebedee of Acme wrote on Monday."


@pytest.fixture
def database(tmp_path: Path) -> Path:
    fill(tmp_path / "desk.duckdb", "02", "03", "06", "07").close()
    return tmp_path / "desk.duckdb"


@pytest.fixture
def shown(browser: Browser, database: Path, scheme: Any) -> Iterator[Dashboard]:
    context = browser.new_context(viewport={"width": 1280, "height": 1100}, color_scheme=scheme)
    with serving(database) as address:
        yield Dashboard(context.new_page(), address, {})
        context.close()


def choose(field: Locator, words: str | re.Pattern[str]) -> None:
    """Choose the first that a field offers under these words."""
    field.click()
    field.page.get_by_role("option", name=words).first.click()


@SCHEMES
def test_a_list_is_filtered_and_kept_under_a_name(shown: Dashboard) -> None:
    page, main = shown.page, shown.main
    shown.sessions()
    choose(popover(shown, "Filters").get_by_role("combobox", name="Cause"), CLOCK)
    expect(page).to_have_url(re.compile(r"[?&]cause="))
    expect(shown.row("desk-chat-60417")).to_be_attached()
    expect(shown.row("orchard-cli-3302")).to_have_count(0)
    page.keyboard.press("Escape")
    filtered = page.url

    views = popover(shown, "Views")
    views.get_by_role("textbox", name="Save this list as").fill("clocks")
    views.get_by_role("button", name="Save view").click()
    expect(views.get_by_role("button", name="clocks", exact=True)).to_be_visible()
    page.keyboard.press("Escape")
    main.get_by_role("button", name="Clear filters").click()
    expect(shown.row("orchard-cli-3302")).to_be_attached()
    popover(shown, "Views").get_by_role("button", name="clocks", exact=True).click()
    expect(page).to_have_url(filtered)
    expect(shown.row("orchard-cli-3302")).to_have_count(0)
    assert shown.errors == [] and shown.hosts <= {"127.0.0.1", None, ""}


@SCHEMES
def test_the_days_say_what_changed(shown: Dashboard) -> None:
    shown.sessions()
    shown.main.get_by_text("Days: what changed").click()
    expect(shown.main.get_by_text("by client version")).to_be_visible()
    expect(shown.main.locator(".js-plotly-plot .barlayer .trace").first).to_be_visible()
    assert shown.errors == []


@SCHEMES
def test_a_case_is_told_pinned_ordered_and_sent(shown: Dashboard) -> None:
    page, main = shown.page, shown.main
    page.goto(f"{shown.address}/cases")
    name = main.get_by_role("textbox", name="Your name")
    name.fill("Ann")
    name.press("Enter")
    expect(main.get_by_text("You write as Ann.")).to_be_visible()
    main.get_by_role("textbox", name="Title").fill(TITLE)
    main.get_by_role("textbox", name="What happened, in Markdown").fill(STORY)
    main.get_by_role("button", name="Create case").click()
    expect(shown.heading(TITLE)).to_be_visible()

    choose(main.get_by_role("combobox", name="Add sessions"), re.compile("desk-chat"))
    page.keyboard.press("Tab")
    main.get_by_role("button", name="Add to the case").click()
    expect(main.get_by_text("desk-chat-60417").first).to_be_visible()
    shown.unfold("Pin a finding")
    for number in (1, 2):
        shown.expect_settled()  # until then the button of the finding before stands there too
        main.get_by_role("button", name="Pin", exact=True).click()
        expect(main.get_by_role("button", name="Unpin")).to_have_count(number)
    shown.expect_settled()
    first, second = main.get_by_text(re.compile(r"· pinned by Ann")).all_inner_texts()
    main.get_by_role("button", name="Up", exact=True).nth(1).click()
    expect(main.get_by_text(re.compile("· pinned by Ann")).first).to_have_text(second)
    expect(main.get_by_text(re.compile("· pinned by Ann")).nth(1)).to_have_text(first)

    with page.expect_download() as download:
        shown.expect_settled()
        main.get_by_role("button", name="Share", exact=True).click()
        shown.dialog.get_by_role("button", name="Download the report").click()
    report = html.unescape(download.value.path().read_text("utf-8"))
    assert "It comes from the client" in report
    for hidden in (TITLE, "Zebedee", "Ann", record_of("03").session_id):
        assert hidden not in report
    assert shown.errors == [] and shown.hosts <= {"127.0.0.1", None, ""}
