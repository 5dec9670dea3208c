"""Notes in a real browser: written beside the map, marked in it, and by several people at once."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from analysis.store.repository import Repository
from tests.browser.dashboard_window import Dashboard, serving
from tests.sample_store import fill

pytestmark = pytest.mark.browser

SESSION = "nimbrel-query-19c4"
PEOPLE = 4


@pytest.fixture
def database(tmp_path: Path) -> Path:
    fill(tmp_path / "notes.duckdb", "02").close()
    return tmp_path / "notes.duckdb"


def window(browser: Browser, address: str) -> Dashboard:
    page = browser.new_context(viewport={"width": 1280, "height": 1000}).new_page()
    return Dashboard(page, address, {SESSION: 1})


def open_form(shown: Dashboard) -> None:
    shown.unfold("Notes: nobody has written about this session yet")
    shown.unfold("Add a note")


def write(page: Page, text: str, name: str | None = None) -> None:
    if name is not None:
        page.get_by_role("textbox", name="Your name").fill(name)
    page.get_by_role("textbox", name="Note, in Markdown").fill(text)
    page.get_by_role("button", name="Add note", exact=True).click()


def test_a_note_is_marked_in_the_map_and_leads_back(browser: Browser, database: Path) -> None:
    with serving(database) as address:
        shown = window(browser, address).session(SESSION)
        open_form(shown)
        shown.map.click(9, 40)
        expect(shown.heading(re.compile("^Turn 10 .*block 40$"))).to_be_visible()
        write(shown.page, "![x](http://notes.example/x.png) **seen**", "Ann")
        expect(shown.heading("Notes (1)")).to_be_visible()
        expect(shown.main.get_by_text("turn 10, tokens 640–655 (block 40)")).to_be_visible()
        expect(shown.map.canvas).to_have_attribute("aria-label", re.compile(", 1 note$"))
        expect(shown.map.root.locator(".legend")).to_contain_text("note")
        shown.map.click(2, 3)
        expect(shown.page).to_have_url(re.compile("turn=3&block=3$"))
        shown.main.get_by_role("button", name="Show", exact=True).click()
        expect(shown.page).to_have_url(re.compile("turn=10&block=40$"))
        shown.map.click(2, 3)
        expect(shown.page).to_have_url(re.compile("turn=3&block=3$"))
        x, y = shown.map.centre(9, 40)
        shown.map.canvas.click(position={"x": x + 11, "y": y - 5})  # the bubble, beside its block
        expect(shown.page).to_have_url(re.compile("turn=10&block=40$"))
        assert shown.errors == [] and shown.hosts <= {"127.0.0.1", None, ""}, "no picture was fetched"
        shown.page.context.close()


def test_who_write_at_once_lose_no_note(browser: Browser, database: Path) -> None:
    with serving(database) as address:
        windows = [window(browser, address).session(SESSION) for _ in range(PEOPLE)]
        for shown in windows:
            open_form(shown)
        for number, shown in enumerate(windows):
            write(shown.page, f"first of {number}", f"Person {number}")
        for number, shown in enumerate(windows):
            expect(shown.main.get_by_text(f"first of {number}")).to_be_visible()
        for shown in windows:  # now all of them change the same note, from the state that they see
            shown.page.reload()
            shown.expect_map()
        for shown in windows:
            shown.main.get_by_role("button", name="Edit", exact=True).first.click()
            expect(shown.main.get_by_role("button", name="Save note")).to_be_visible()
        for number, shown in enumerate(windows):
            shown.main.get_by_role("textbox", name="Note, in Markdown").first.fill(f"changed by {number}")
        for shown in windows:
            shown.main.get_by_role("button", name="Save note").click()
        refused = 0
        for shown in windows:
            shown.expect_settled()
            refused += shown.main.get_by_text("nothing was overwritten").count()
        for shown in windows:
            shown.page.context.close()
    store = Repository.open(database)
    first, *others = store.annotations.of_session(1)
    store.close()
    assert {one.versions[0].text for one in (first, *others)} == {f"first of {number}" for number in range(PEOPLE)}
    assert len(others) == PEOPLE - 1
    assert [one.number for one in first.versions] == [1, 2] and refused == PEOPLE - 1, "one was faster"


def test_a_name_is_remembered_over_a_reload_and_half_a_note_over_a_run(browser: Browser, database: Path) -> None:
    with serving(database) as address:
        shown = window(browser, address).session(SESSION)
        open_form(shown)
        write(shown.page, "first", "Ann Lee")
        expect(shown.heading("Notes (1)")).to_be_visible()
        shown.page.reload()
        shown.expect_map()
        shown.main.get_by_text("Add a note").click()
        expect(shown.main.get_by_text("You write as Ann Lee.")).to_be_visible()
        expect(shown.page.get_by_role("textbox", name="Your name")).to_have_count(0)
        note = shown.page.get_by_role("textbox", name="Note, in Markdown")
        note.fill("half a no")
        shown.map.click(2, 3)  # a run of the page
        expect(shown.page).to_have_url(re.compile("turn=3&block=3$"))
        shown.expect_settled()
        expect(note).to_have_value("half a no")
        shown.main.get_by_role("button", name="Another name").click()
        expect(shown.page.get_by_role("textbox", name="Your name")).to_be_visible()
        shown.expect_settled()
        expect(note).to_have_value("half a no")
        shown.page.reload()
        shown.expect_map()
        shown.main.get_by_text("Add a note").click()
        expect(shown.page.get_by_role("textbox", name="Your name")).to_be_visible()
        assert shown.errors == []
        shown.page.context.close()
