"""Marks, saved views and notes in a real browser, light and dark: made, found again, changed and taken back."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, expect

from analysis.model.desk import Mark, View
from analysis.store.repository import Repository
from tests.browser.dashboard_window import Dashboard, serving
from tests.sample_store import fill

pytestmark = pytest.mark.browser

CLOCK, SALTED, STRIPPED = "desk-chat-60417", "orchard-cli-3302", "nimbrel-query-19c4"  # in the order of the list
ADA, LABEL, VIEW = "Ada <b>", "Acme & Sons", "Ada's <i>desk</i>"
SCHEMES = pytest.mark.parametrize("scheme", ["light", "dark"])


@pytest.fixture
def database(tmp_path: Path) -> Path:
    fill(tmp_path / "marks.duckdb", "03", "07", "02").close()
    return tmp_path / "marks.duckdb"


@contextmanager
def desk(browser: Browser, database: Path, scheme: str) -> Iterator[Dashboard]:
    """A window on a dashboard of its own; when it is left the database is free again."""
    with serving(database) as address:
        context = browser.new_context(viewport={"width": 1280, "height": 1400}, color_scheme=scheme)
        shown = Dashboard(context.new_page(), address, {STRIPPED: 3})
        yield shown
        shown.expect_settled()
        context.close()
    assert shown.errors == [] and shown.hosts <= {"127.0.0.1", None, ""}, "nothing that was typed was fetched"


def popover(window: Dashboard, title: str) -> Locator:
    """What opens behind a button."""
    window.expect_settled()
    window.main.get_by_role("button", name=title, exact=True).click()
    opened = window.page.get_by_test_id("stPopoverBody")
    expect(opened).to_be_visible()
    return opened


def choose(field: Locator, text: str) -> None:
    """Type into a field that takes what it knows and what is new, and take what it offers."""
    field.fill(text)
    field.page.get_by_role("option").filter(has_text=text).first.click()


def expect_listed(window: Dashboard, *session_ids: str) -> None:
    names = window.table.locator("td[data-testid^='glide-cell-1-']")
    expect(names).to_have_text(list(session_ids))


@SCHEMES
def test_two_are_marked_found_again_and_kept_as_a_view(browser: Browser, database: Path, scheme: str) -> None:
    with desk(browser, database, scheme) as window:
        expect_listed(window.sessions(), CLOCK, SALTED, STRIPPED)
        for row, said in ((1, "1 session ticked."), (3, "2 sessions ticked.")):
            window.expect_settled()
            window.tick(row)
            expect(window.main.get_by_text(said)).to_be_visible()
        mark_ticked(window)
        keep_what_is_hers(window)
        look_again(window)
    repository = Repository.open(database)
    marks, views = repository.desk.marks(), repository.desk.views()
    repository.close()
    hers = Mark("investigating", ADA, (LABEL,))
    assert marks == {1: hers, 3: hers}
    assert views == [View(VIEW, "label=Acme+%26+Sons&assignee=Ada+%3Cb%3E")]


def mark_ticked(window: Dashboard) -> None:
    form = popover(window, "Mark")
    form.get_by_role("combobox", name="Status").click()
    window.page.get_by_role("option", name="investigating", exact=True).click()
    choose(form.get_by_role("combobox", name="Assignee"), ADA)
    choose(form.get_by_role("combobox", name="Add labels"), LABEL)
    window.page.keyboard.press("Tab")
    form.get_by_role("button", name="Save status").click()
    for row, status in enumerate(("investigating", "new", "investigating")):
        expect(window.table.get_by_test_id(f"glide-cell-2-{row}")).to_have_text(status)
    expect(window.main.get_by_text("2 sessions ticked.")).to_be_visible()
    window.page.keyboard.press("Escape")


def keep_what_is_hers(window: Dashboard) -> None:
    """Filter by who and by label, and keep the list under a name."""
    filters = popover(window, "Filters")
    for name, value in (("Assignee", ADA), ("Customer or label", LABEL)):
        filters.get_by_role("combobox", name=name).click()
        window.page.get_by_role("option", name=value, exact=True).click()
        expect(window.main.get_by_text(value).first).to_be_visible()
    expect_hers(window)
    window.page.keyboard.press("Escape")
    views = popover(window, "Views")
    views.get_by_role("textbox", name="Save this list as").fill(VIEW)
    views.get_by_role("button", name="Save view").click()
    expect(views.get_by_role("button", name=VIEW, exact=True)).to_be_visible()


def look_again(window: Dashboard) -> None:
    """From the whole list through the name to the filters, which a reload keeps."""
    window.page.goto(window.address)
    expect_listed(window, CLOCK, SALTED, STRIPPED)
    popover(window, "Views").get_by_role("button", name=VIEW, exact=True).click()
    expect_hers(window)
    window.page.reload()
    expect_hers(window)


def expect_hers(window: Dashboard) -> None:
    expect_listed(window, CLOCK, STRIPPED)
    expect(window.page).to_have_url(re.compile(r"/\?label=Acme\+%26\+Sons&assignee=Ada\+%3Cb%3E$"))
    expect(window.main.get_by_text(f"label: {LABEL} · assignee: {ADA}", exact=True)).to_be_visible()


@SCHEMES
def test_a_note_is_changed_and_deleted_and_what_it_said_stays_to_be_seen(
    browser: Browser, database: Path, scheme: str
) -> None:
    with desk(browser, database, scheme) as window:
        main = window.session(STRIPPED).main
        main.get_by_text("Notes: nobody has written about this session yet").click()
        main.get_by_text("Add a note").click()
        main.get_by_role("textbox", name="Your name").fill(ADA)
        main.get_by_role("textbox", name="Note, in Markdown").fill("first guess")
        main.get_by_role("button", name="Add note", exact=True).click()
        expect(window.heading("Notes (1)")).to_be_visible()

        press(window, "Edit")
        main.get_by_role("textbox", name="Note, in Markdown").first.fill("**second** thought")
        press(window, "Save note")
        expect(main.get_by_text("second", exact=True)).to_have_css("font-weight", re.compile("[6-9]00"))
        history = popover(window, "History (2)")
        expect(history).to_contain_text(re.compile("changed it to.*second thought.*wrote.*first guess", re.DOTALL))
        window.page.keyboard.press("Escape")

        press(window, "Delete")
        expect(window.heading("Notes (1)")).to_have_count(0)
        main.get_by_text("1 deleted note").click()
        history = popover(window, "History (3)")
        expect(history).to_contain_text(re.compile("deleted it.*changed it to.*wrote.*first guess", re.DOTALL))
        window.page.keyboard.press("Escape")
        press(window, "Bring back")
        expect(window.heading("Notes (1)")).to_be_visible()
    repository = Repository.open(database)
    (note,) = repository.annotations.of_session(3)
    repository.close()
    assert [one.text for one in note.versions] == ["first guess", "**second** thought", None, "**second** thought"]


def press(window: Dashboard, name: str) -> None:
    window.expect_settled()
    window.main.get_by_role("button", name=name, exact=True).click()
