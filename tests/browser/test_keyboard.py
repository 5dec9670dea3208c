"""The list of sessions without a mouse: reached, walked through, opened, ticked, marked and compared."""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Locator, expect

from analysis.model.annotation import CaseText
from tests.browser.dashboard_window import Dashboard, serving
from tests.sample_store import fill

pytestmark = pytest.mark.browser

CLOCK, SALTED, STRIPPED = "desk-chat-60417", "orchard-cli-3302", "nimbrel-query-19c4"  # in the order of the list
MOST_STOPS = 60  # of Tab from the top of the page to the list


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    database = tmp_path_factory.mktemp("keyboard") / "three.duckdb"
    repository = fill(database, "02", "03", "07")
    for title in ("Slow since Monday", "The bill doubled"):
        repository.cases.create("Ann", CaseText(title))
    repository.close()
    with serving(database) as started:
        yield started


@pytest.fixture
def window(browser: Browser, address: str) -> Iterator[Dashboard]:
    context = browser.new_context(viewport={"width": 1280, "height": 1000})
    shown = Dashboard(context.new_page(), address, {}).sessions()
    shown.expect_settled()
    yield shown
    context.close()
    assert shown.errors == []


def rows(window: Dashboard) -> Locator:
    return window.page.get_by_role("listbox", name="Sessions by keyboard")


def press(window: Dashboard, *keys: str) -> None:
    for key in keys:
        window.page.keyboard.press(key)


def tab_to(window: Dashboard, wanted: Locator, key: str = "Tab") -> None:
    """Press a key until the focus is where it is wanted."""
    for _stop in range(MOST_STOPS):
        press(window, key)
        if wanted.evaluate("element => element.getRootNode().activeElement === element"):
            return
    raise AssertionError(f"{wanted} cannot be reached with {key}")


def test_tab_leads_to_the_list_and_enter_opens_a_session(window: Dashboard) -> None:
    assert rows(window).evaluate("list => list.parentElement.clientWidth") == 1, "out of sight without the focus"
    tab_to(window, rows(window))
    expect(rows(window).get_by_role("option")).to_have_text([re.compile(name) for name in (CLOCK, SALTED, STRIPPED)])
    assert rows(window).evaluate("list => list.parentElement.clientWidth") > 800
    press(window, "ArrowDown", "End", "ArrowDown", "k")
    expect(rows(window).locator(".at")).to_contain_text(SALTED)
    assert re.search(r"^row-\d+$", rows(window).get_attribute("aria-activedescendant") or "")
    press(window, "Enter")
    window.page.wait_for_url("**/session?session=*")
    expect(window.heading(SALTED)).to_be_visible()


def test_tab_passes_the_table_and_opens_nothing(window: Dashboard) -> None:
    tab_to(window, window.main.locator("summary").filter(has_text="Imports"))
    expect(window.page).to_have_url(f"{window.address}/")
    tab_to(window, rows(window), "Shift+Tab")
    expect(window.page).to_have_url(f"{window.address}/")
    press(window, "Escape")
    window.tick(2)
    expect(window.main.get_by_text("1 session ticked.")).to_be_visible()
    press(window, "ArrowDown", "ArrowUp", "Tab")
    expect(window.main.get_by_text("1 session ticked.")).to_be_visible()
    window.expect_settled()
    expect(window.page).to_have_url(f"{window.address}/")


def test_two_are_ticked_marked_and_compared(window: Dashboard) -> None:
    main = window.main
    press(window, "j", "Space", "j", "x")
    expect(main.get_by_text("2 sessions ticked.")).to_be_visible()
    expect(rows(window).get_by_role("option", selected=True)).to_have_text([re.compile(CLOCK), re.compile(SALTED)])
    for row, ticked in enumerate(("true", "true", "false")):
        line = window.table.locator(f"tr[aria-rowindex='{row + 2}']")
        expect(line).to_have_attribute("aria-selected", ticked)
    press(window, "x")
    expect(main.get_by_text("1 session ticked.")).to_be_visible()
    press(window, "x")
    expect(main.get_by_text("2 sessions ticked.")).to_be_visible()
    window.expect_settled()

    tab_to(window, main.get_by_role("button", name="Mark", exact=True), "Shift+Tab")
    press(window, "Enter")
    form = window.page.get_by_test_id("stPopoverBody")
    tab_to(window, form.get_by_role("combobox", name="Status"))
    window.page.keyboard.type("expl")
    expect(window.page.get_by_role("option", name="explained")).to_be_visible()
    press(window, "Enter")
    tab_to(window, form.get_by_role("button", name="Save status"))
    press(window, "Enter")
    expect(rows(window).get_by_role("option")).to_contain_text(["explained", "explained", "new"])
    window.expect_settled()

    press(window, "Escape")
    tab_to(window, rows(window))
    press(window, "c")
    expect(window.heading("2 sessions side by side")).to_be_visible()


def test_a_case_is_opened_and_nothing_is_ticked(window: Dashboard) -> None:
    press(window, "g", "c")
    expect(window.heading("Cases")).to_be_visible()
    window.expect_settled()
    press(window, "j", "x", "j")
    cases = window.page.get_by_role("listbox", name="Cases by keyboard")
    expect(cases.get_by_role("option", selected=True)).to_contain_text("Slow since Monday")
    press(window, "Enter")
    expect(window.heading("Slow since Monday")).to_be_visible()
    expect(window.page).to_have_url(re.compile(r"/cases\?case=\d$"))
