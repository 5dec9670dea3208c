"""A triage as one person does it in a window of the dashboard, step by step, while others do theirs.

Windows of one Chromium, each driven by a thread of its own, so that what people do overlaps as it does in a team.
"""

import re
import shutil
import socket
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field

from playwright.sync_api import Locator, expect, sync_playwright
from playwright.sync_api import TimeoutError as PlaywrightTimeoutError

from tests.browser.dashboard_window import Dashboard

WIDTH, HEIGHT = 1280, 1000
UNWRITTEN = "Notes: nobody has written about this session yet"
TRIES, STAYS = 8, 1_500  # milliseconds that something stays open before it is taken for open
PATIENCE = 180_000  # milliseconds: ten windows on two processors wait for each other


@dataclass(frozen=True, slots=True)
class Task:
    """Who does a triage, of which session, and of which one that all others look into too: name and key of each."""

    who: str
    session: tuple[str, int]
    shared: tuple[str, int]


@dataclass(slots=True)
class Done:
    """What came of it: seconds by step, and what went wrong in the window."""

    who: str
    seconds: list[tuple[str, float]] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)


def all_at_once(address: str, tasks: Sequence[Task]) -> list[Done]:
    """Every task by a person of its own, all of them at once."""
    with chromium() as endpoint, ThreadPoolExecutor(len(tasks)) as people:
        return list(people.map(lambda task: _at_the_desk(endpoint, address, task), tasks))


@contextmanager
def chromium() -> Iterator[str]:
    """The address at which a browser takes windows from anybody."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    with sync_playwright() as playwright:
        args = ["--no-sandbox", "--disable-gpu", f"--remote-debugging-port={port}"]
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=args)
        expect.set_options(timeout=PATIENCE)
        yield f"http://127.0.0.1:{port}"
        expect.set_options(timeout=5_000)
        browser.close()


def _at_the_desk(endpoint: str, address: str, task: Task) -> Done:
    done = Done(task.who)
    with sync_playwright() as playwright:
        context = playwright.chromium.connect_over_cdp(endpoint).new_context(
            viewport={"width": WIDTH, "height": HEIGHT}
        )
        shown = Dashboard(context.new_page(), address, dict((task.session, task.shared)))
        shown.page.set_default_timeout(PATIENCE)
        triage(shown, task, done)
        done.errors += shown.errors + shown.page.get_by_test_id("stException").all_inner_texts()
        context.close()
    return done


def triage(shown: Dashboard, task: Task, done: Done) -> None:
    """The list, the session with a mark, a note, a case and a report, back to the list, and the shared session."""
    own, shared = task.session[0], task.shared[0]

    def step(name: str, work: Callable[[], object]) -> None:
        begun = time.perf_counter()
        work()
        done.seconds.append((name, time.perf_counter() - begun))

    step("first paint of the list", shown.sessions)
    step("search and open a session", lambda: shown.open_row(own))
    step("mark it", lambda: mark(shown, task.who))
    step("go to a divergence", lambda: to_a_divergence(shown))
    step("write a note there", lambda: write(shown, note_of(task.who, own), task.who))
    step("add it to the case", lambda: add_to_case(shown))
    step("preview the report", lambda: preview(shown))
    step("back to the list", lambda: back_to(shown, own))
    step("search and open the next", lambda: shown.open_row(shared))
    step("label it", lambda: label(shown, task.who))
    step("write a note there", lambda: write(shown, note_of(task.who, shared), task.who))


def note_of(who: str, session: str) -> str:
    return f"{who} has looked into {session}"


def popover(shown: Dashboard, title: str) -> Locator:
    """What opens behind a button, once it is open; a run that comes right behind the click closes it again."""
    opened = shown.page.get_by_role("dialog", name=title)
    for _try in range(TRIES):
        shown.expect_settled()
        if not opened.is_visible():
            shown.main.get_by_role("button", name=title, exact=True).click()
        shown.page.wait_for_timeout(STAYS)
        shown.expect_settled()
        if opened.is_visible():
            break
    expect(opened).to_be_visible()
    return opened


def mark(shown: Dashboard, who: str) -> None:
    """Take a session: status and assignee."""
    opened = popover(shown, "Mark")
    opened.get_by_role("combobox", name="Status").click()
    shown.page.get_by_role("option", name="investigating", exact=True).click()
    _typed(opened.get_by_role("combobox", name="Assignee"), who)
    opened.get_by_role("button", name="Save status").click()
    expect(shown.main.get_by_text(f"with {who}", exact=True)).to_be_visible()


def label(shown: Dashboard, text: str) -> None:
    """One label more for a session."""
    opened = popover(shown, "Mark")
    _typed(opened.get_by_role("combobox", name="Add labels"), text)
    opened.get_by_role("button", name="Save status").click()
    expect(shown.main.get_by_text(text, exact=True).first).to_be_visible()


def _typed(field: Locator, text: str) -> None:
    field.fill(text)
    field.page.get_by_role("option").filter(has_text=text).first.wait_for()
    field.press("Enter")
    field.press("Tab")  # closes the list of a field for several


def _unfold_where_unwritten(shown: Dashboard) -> None:
    """Open the section of notes, which is folded as long as nobody has written one."""
    shown.expect_settled()
    if shown.main.get_by_text(UNWRITTEN).count():
        shown.unfold(UNWRITTEN)


def to_a_divergence(shown: Dashboard) -> None:
    shown.main.get_by_role("button", name="next divergence").click()
    expect(shown.page).to_have_url(re.compile("turn=.*block="))
    expect(shown.heading(re.compile("^Turn .* leaves turn "))).to_be_visible()


def write(shown: Dashboard, text: str, who: str) -> None:
    """A note at the place that is shown, until it stands among the notes: its text in the field is none yet."""
    written = shown.main.get_by_test_id("stMarkdownContainer").get_by_text(text, exact=True)
    field, name = (shown.page.get_by_role("textbox", name=one) for one in ("Note, in Markdown", "Your name"))
    for _try in range(TRIES):
        _unfold_where_unwritten(shown)
        shown.unfold("Add a note")
        if name.count():  # asked for once
            name.fill(who)
        field.fill(text)
        shown.page.get_by_role("button", name="Add note", exact=True).click()
        if _appears(written):
            break
    expect(written).to_be_visible()


def _appears(there: Locator) -> bool:
    """Whether it is there after a while; a press that met the run of something else did nothing, and is done again."""
    try:
        there.wait_for(timeout=PATIENCE / 3)
    except PlaywrightTimeoutError:
        return False
    return True


def add_to_case(shown: Dashboard) -> None:
    opened = popover(shown, "Add to a case")
    opened.get_by_role("button", name="Add this session").click()
    expect(opened.get_by_role("button", name="The session is in this case")).to_be_visible()
    shown.page.keyboard.press("Escape")


def preview(shown: Dashboard) -> None:
    """The report as whoever gets it sees it."""
    shown.main.get_by_role("button", name="Share", exact=True).click()
    expect(shown.dialog.get_by_role("button", name="Download the report")).to_be_visible()
    expect(shown.dialog.locator("iframe").content_frame.get_by_role("heading").first).to_be_attached()
    shown.page.keyboard.press("Escape")
    expect(shown.dialog).to_have_count(0)


def back_to(shown: Dashboard, session: str) -> None:
    """To the list, which is as it was left."""
    shown.visit("Sessions")
    expect(shown.main.get_by_role("textbox", name="Search")).to_have_value(session)
    expect(shown.row(session)).to_be_attached()
