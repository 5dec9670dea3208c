"""A server that is killed while somebody works: what was acknowledged is there, and the page says what happened."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, expect

from analysis.store.repository import Repository
from tests.browser.dashboard_window import PATIENCE, Dashboard, free_port, running
from tests.browser.test_notes import SESSION, open_form, window, write
from tests.browser.triage import to_a_divergence
from tests.builders import SAMPLES, without_ids
from tests.sample_store import fill

pytestmark = pytest.mark.browser

NOTE, LATER = "written before the kill", "written after it"
COPIES, TURNS = 80, 18  # a log of 19 MB, of which an import keeps what it has rendered
DIVERGENCES = ((7, 1239), (13, 2168))


@pytest.fixture
def database(tmp_path: Path) -> Path:
    fill(tmp_path / "killed.duckdb", "02").close()
    return tmp_path / "killed.duckdb"


@pytest.fixture
def big_log(tmp_path: Path) -> Path:
    """Many sessions whose prompts have to be rendered: it takes longer than until the kill."""
    log = without_ids(next(path for path in SAMPLES if path.stem.startswith("02")))
    copies = (
        log.replace(SESSION.encode(), b"copy-%d" % number).replace(b"chatcmpl-", b"chatcmpl-%d-" % number)
        for number in range(COPIES)
    )
    (tmp_path / "big.jsonl").write_bytes(b"".join(copies))
    return tmp_path / "big.jsonl"


def expect_gone(shown: Dashboard) -> None:
    """The page says that nothing answers; what was on it stays."""
    expect(shown.page.get_by_text("The dashboard does not answer.")).to_be_visible()


def expect_back(shown: Dashboard) -> None:
    expect(shown.page.get_by_text("The dashboard does not answer.")).to_be_hidden()


def known(shown: Dashboard) -> Locator:
    return shown.main.get_by_text("You write as Ann.")


def call_me(shown: Dashboard, name: str) -> None:
    shown.page.goto(f"{shown.address}/cases")
    field = shown.main.get_by_role("textbox", name="Your name")
    field.fill(name)
    field.press("Enter")
    expect(shown.main.get_by_text(f"You write as {name}.")).to_be_visible()
    shown.expect_settled()


def forget_the_name(shown: Dashboard) -> None:
    """The browser keeps no name: a run of a new server, which then knows none, is seen by that."""
    shown.page.evaluate("localStorage.clear()")


def test_a_note_that_was_stored_survives_a_kill(browser: Browser, database: Path) -> None:
    port = free_port()
    shown = window(browser, f"http://127.0.0.1:{port}")
    stored = shown.heading("Notes (1)")
    with running(database, port) as server:
        shown.session(SESSION)
        open_form(shown)
        to_a_divergence(shown)
        write(shown.page, NOTE, "Ann")
        stored.wait_for()  # looks at every frame that is drawn
        server.kill()
        expect_gone(shown)
        expect(stored).to_be_visible()
        expect(shown.map.canvas).to_be_visible()
    forget_the_name(shown)
    with running(database, port):
        expect_back(shown)
        expect(known(shown)).to_have_count(0)  # the page was run: this server was not told who writes
        shown.expect_settled()
        shown.map.press("n")
        shown.expect_divergence(*DIVERGENCES[1])  # the page goes on by itself, where it was
        expect(stored).to_be_visible()
        shown.page.reload()
        shown.expect_divergence(*DIVERGENCES[1])
        shown.unfold("Add a note")
        write(shown.page, LATER, "Ann")
        expect(shown.heading("Notes (2)")).to_be_visible()
        shown.page.context.close()
    repository = Repository.open(database)
    notes = repository.annotations.of_session(1)
    repository.close()
    assert sorted((one.author, one.text, one.anchor.kind, one.anchor.turn) for one in notes) == [
        ("Ann", LATER, "divergence", DIVERGENCES[1][0]),
        ("Ann", NOTE, "divergence", DIVERGENCES[0][0]),
    ]


def test_a_page_whose_last_run_was_whole_goes_on_too(browser: Browser, database: Path) -> None:
    port = free_port()
    shown = window(browser, f"http://127.0.0.1:{port}")
    with running(database, port) as server:
        call_me(shown, "Ann")
        shown.visit("Sessions")
        shown.row(SESSION).wait_for(state="attached")
        shown.page.goto(f"{shown.address}/session?session=1")
        shown.expect_map()
        expect(known(shown)).to_have_count(1)  # by the name that the browser keeps
        shown.expect_settled()
        server.kill()
        expect_gone(shown)
    forget_the_name(shown)
    with running(database, port):
        expect_back(shown)
        expect(known(shown)).to_have_count(0)  # the page was run
        shown.expect_settled()
        shown.map.press("n")
        shown.expect_divergence(*DIVERGENCES[0])
        shown.page.context.close()


def test_a_server_that_was_started_again_asks_the_browser_who_writes(browser: Browser, database: Path) -> None:
    port = free_port()
    shown = window(browser, f"http://127.0.0.1:{port}")
    with running(database, port) as server:
        call_me(shown, "Ann")
        server.kill()
        expect_gone(shown)
    shown.page.evaluate("localStorage.setItem('whymiss.author', 'Bea')")
    with running(database, port):
        expect(shown.main.get_by_text("You write as Bea.")).to_be_visible()
        shown.page.context.close()


def test_an_import_that_was_killed_is_none_and_goes_on(browser: Browser, database: Path, big_log: Path) -> None:
    port = free_port()
    shown = window(browser, f"http://127.0.0.1:{port}")
    with running(database, port) as server:
        shown.sessions().begin_to_add(big_log)
        shown.dialog.get_by_text(re.compile(r"\d of [\d,]+ turns analysed")).wait_for(timeout=3 * PATIENCE)
        server.kill()
        expect_gone(shown)
    assert sessions_in(database) == [SESSION], "all of the log or nothing"
    assert list(database.parent.glob("*.unfinished")), "what was rendered is not rendered again"
    with running(database, port):
        expect_back(shown)
        shown.sessions().add(big_log)
        expect(shown.main.get_by_text(f"{COPIES} sessions with {COPIES * TURNS:,} turns analysed")).to_be_visible()
        shown.page.context.close()
    assert sessions_in(database) == sorted([SESSION, *(f"copy-{number}" for number in range(COPIES))])
    assert not list(database.parent.glob("*.unfinished"))


def sessions_in(database: Path) -> list[str]:
    repository = Repository.open(database)
    found = sorted(repository.sessions().session_id)
    repository.close()
    return found
