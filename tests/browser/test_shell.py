"""What stands around every page: its keys, the way to the list by its name, and a server that stops."""

import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, expect

from tests.browser.dashboard_window import Dashboard, serving
from tests.sample_store import fill

pytestmark = pytest.mark.browser

SESSION = "nimbrel-query-19c4"
DIVERGENCES = ((7, 1239), (13, 2168))
COVERED = """() => [...document.querySelectorAll("[data-testid=stMain] button")].filter((button) => {
    const box = button.getBoundingClientRect(), x = box.x + box.width / 2, y = box.y + box.height / 2;
    const top = box.width && y < window.innerHeight ? document.elementFromPoint(x, y) : button;
    return !button.contains(top) && !top.contains(button);
}).map((button) => button.innerText || button.ariaLabel)"""


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("shell") / "one.duckdb"
    fill(path, "02").close()
    return path


@pytest.fixture(scope="module")
def address(database: Path) -> Iterator[str]:
    with serving(database) as started:
        yield started


def opened(browser: Browser, address: str) -> Dashboard:
    return Dashboard(browser.new_context(viewport={"width": 1280, "height": 900}).new_page(), address, {SESSION: 1})


@pytest.fixture
def window(browser: Browser, address: str) -> Iterator[Dashboard]:
    shown = opened(browser, address)
    yield shown
    shown.page.context.close()
    assert shown.errors == []


def keys(window: Dashboard) -> Locator:
    return window.page.get_by_role("dialog", name="Keys")


def test_the_keys_are_shown_and_the_focus_returns_to_where_it_was(window: Dashboard) -> None:
    window.session(SESSION).map.press("n")
    window.expect_divergence(*DIVERGENCES[0])
    window.page.keyboard.press("?")
    expect(keys(window)).to_have_attribute("aria-modal", "true")
    expect(keys(window)).to_contain_text("previous divergence")
    window.page.keyboard.press("n")  # belongs to the dialog, not to the map behind it
    window.page.keyboard.press("Escape")
    expect(keys(window)).to_have_count(0)
    window.page.keyboard.press("n")
    window.expect_divergence(*DIVERGENCES[1])
    window.page.get_by_role("button", name="Keys").click()
    keys(window).get_by_role("button", name="Close").click()
    expect(keys(window)).to_have_count(0)
    expect(window.page.get_by_role("button", name="Keys")).to_be_focused()


@pytest.mark.parametrize("path", ["", "session?session=1", "cases", "sets", "models"])
def test_nothing_lies_over_a_button(window: Dashboard, path: str) -> None:
    window.page.goto(f"{window.address}/{path}")
    window.main.get_by_role("heading").first.wait_for()
    window.expect_settled()
    assert window.page.evaluate(COVERED) == []


def test_keys_lead_to_pages_and_what_is_typed_is_text(window: Dashboard) -> None:
    page = window.sessions().page
    window.expect_settled()
    page.keyboard.press("/")
    search = window.main.get_by_role("textbox", name="Search")
    expect(search).to_be_focused()
    page.keyboard.type("a?g/c")
    expect(search).to_have_value("a?g/c")
    expect(keys(window)).to_have_count(0)
    search.evaluate("field => field.blur()")
    for letter, title in (("c", "Cases"), ("t", "Check a chat template"), ("s", "Sessions")):
        page.keyboard.press("g")
        page.keyboard.press(letter)
        expect(window.heading(title)).to_be_visible()


def test_the_list_is_found_by_its_name_too(window: Dashboard) -> None:
    window.page.goto(f"{window.address}/sessions?q=nobody&model=a&model=b")
    expect(window.main.get_by_text("None of 1 session passes the filters and the search.")).to_be_visible()
    expect(window.page).to_have_url(re.compile(r"/\?q=nobody&model=a&model=b$"))
    expect(window.dialog).to_have_count(0)


def test_a_page_stays_when_the_server_stops_and_says_so(browser: Browser, database: Path, tmp_path: Path) -> None:
    with serving(Path(shutil.copy(database, tmp_path / "copy.duckdb"))) as address:
        window = opened(browser, address).session(SESSION)
        window.expect_settled()
        said = window.page.get_by_text("The dashboard does not answer.")
        expect(said).to_be_hidden()
    expect(said).to_be_visible()
    expect(window.dialog).to_have_count(0)  # Streamlit's own, which covers the page and asks for the internet
    expect(window.map.canvas).to_be_visible()
    expect(window.heading(SESSION)).to_be_visible()
    window.page.context.close()
