"""The dashboard as a person has it: started from the command line, open in one window of a real browser."""

import json
import os
import re
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from playwright.sync_api import ConsoleMessage, Locator, Page, expect

from app.desk_table import HEADER_HEIGHT, ROW_HEIGHT
from tests.browser.test_block_map import MapPage, wait_until_healthy
from tests.builders import ROOT

BLOCK_SIZE = 16
TAKEN = 700  # milliseconds until a file that was given is with the server: no person presses sooner
PATIENCE = 60_000  # milliseconds: the first render in a server loads a tokenizer, and a busy machine takes its time
ANSWERED = """() => {
    const dialog = document.querySelector("[role=dialog]");
    return !dialog || dialog.querySelector("[data-testid=stAlert]");
}"""
# What unfolds moves what stands below it for half a second: a press then begins on a button and ends beside it.
STILL = """() => document.getAnimations().every(
    (one) => one.playState !== "running" || one.effect.getComputedTiming().iterations === Infinity)"""
# At a link to a page, Streamlit's own client looks for the server below the page's path, where these two are not,
# before it finds them at the root.
BASE_PATH_SEARCH = re.compile(
    r"/(sessions|session|cases|sets|models|compare|template|live)/_stcore/(health|host-config)$"
)


def free_port() -> int:
    """A port of this machine that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def running(database: Path, port: int, folder: Path = ROOT) -> Iterator[subprocess.Popen[bytes]]:
    """The process of a dashboard on this database, started in a folder by the command line, once it answers."""
    command = [sys.executable, "-m", "app.cli", "serve", "--db", str(database), "--port", str(port)]
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    server = subprocess.Popen(
        command, cwd=folder, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        wait_until_healthy(f"http://127.0.0.1:{port}/_stcore/health")
        yield server
    finally:
        server.terminate()
        server.wait(timeout=60)  # of a busy machine


@contextmanager
def serving(database: Path) -> Iterator[str]:
    """The address of a dashboard on this database."""
    port = free_port()
    with running(database, port):
        yield f"http://127.0.0.1:{port}"


class Dashboard:
    """One browser window on the dashboard, and what went wrong in it."""

    def __init__(self, page: Page, address: str, keys: dict[str, int]) -> None:
        self.page = page
        self.address = address
        self.keys = keys
        self.map = MapPage(page, address)
        self.errors: list[str] = []
        self.hosts: set[str | None] = set()
        page.set_default_timeout(PATIENCE)
        page.on("console", self._note)
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.on("request", lambda request: self.hosts.add(urlsplit(request.url).hostname))

    def _note(self, entry: ConsoleMessage) -> None:
        if entry.type == "error" and not BASE_PATH_SEARCH.search(urlsplit(entry.location["url"]).path):
            self.errors.append(f"{entry.text} ({entry.location['url']})")

    @property
    def main(self) -> Locator:
        return self.page.get_by_test_id("stMain")

    @property
    def dialog(self) -> Locator:
        return self.page.get_by_role("dialog")

    @property
    def marked(self) -> Locator:
        """The boxes of the first tokens that differ: one on each side."""
        return self.page.locator(".wm-first")

    def sessions(self) -> "Dashboard":
        self.page.goto(self.address)
        self.table.get_by_test_id("glide-cell-1-0").wait_for(state="attached")
        return self

    def session(self, name: str, query: str = "") -> "Dashboard":
        self.page.goto(f"{self.address}/session?session={self.keys[name]}{query}")
        self.expect_map()
        return self

    def visit(self, title: str) -> None:
        """Change the page as a person does, within the same browser session."""
        self.page.get_by_role("link", name=title, exact=True).click()

    @property
    def table(self) -> Locator:
        """The table of sessions: that of the causes stands above it."""
        return self.page.locator("[class*='st-key-sessions_']")

    def row(self, session_id: str) -> Locator:
        """The cell of a session in the table's accessible twin: the table itself is a canvas."""
        return self.table.locator("td[data-testid^='glide-cell-1-']", has_text=re.compile(f"^{re.escape(session_id)}$"))

    def search(self, words: str) -> None:
        self.expect_settled()
        search = self.main.get_by_role("textbox", name="Search")
        search.fill(words)
        search.press("Enter")

    def open_row(self, session_id: str, source: str = "") -> None:
        """Search for a session, then click its row, which is the first one."""
        self.search(f"{session_id} {source}".strip())
        expect(self.table.get_by_test_id("glide-cell-1-0")).to_have_text(session_id)
        self.expect_settled()
        table = self.table.get_by_test_id("stDataFrame")
        # The table heeds a click only of a pointer that has moved over it before.
        table.hover(position={"x": 290, "y": HEADER_HEIGHT + 0.4 * ROW_HEIGHT})
        table.click(position={"x": 300, "y": HEADER_HEIGHT + 0.5 * ROW_HEIGHT})
        self.page.wait_for_url("**/session?session=*")
        self.expect_map()

    def tick(self, row: int) -> None:
        """Tick a row of the table of sessions, the first of which is 1."""
        table = self.table.get_by_test_id("stDataFrame")
        table.hover(position={"x": 18, "y": HEADER_HEIGHT + (row - 0.6) * ROW_HEIGHT})
        table.click(position={"x": 17, "y": HEADER_HEIGHT + (row - 0.5) * ROW_HEIGHT})

    def add(self, *files: Path) -> None:
        """Give files to the dialog and have them analysed."""
        self.begin_to_add(*files)
        # What is typed behind the dialog before it has answered is lost with the run that closes it.
        self.page.wait_for_function(ANSWERED, timeout=3 * PATIENCE)
        self.expect_settled()

    def begin_to_add(self, *files: Path) -> None:
        """The same as far as the press on Analyse."""
        self.expect_settled()
        self.page.get_by_role("button", name="Add logs").click()
        self.dialog.locator("input[type=file]").set_input_files(files)
        # A press that meets the run which takes the files is lost, and nothing on the page tells when that begins.
        expect(self.dialog.get_by_role("button", name=re.compile("^Remove "))).to_have_count(len(files))
        self.page.wait_for_timeout(TAKEN)
        self.expect_settled()
        self.dialog.get_by_role("button", name="Analyse").click()

    def unfold(self, title: str) -> None:
        """Open what is folded under a title, unless it is open, until nothing on the page moves any more."""
        summary = self.main.locator("details > summary").filter(has_text=title)
        summary.wait_for()
        self.expect_settled()
        if not summary.locator("xpath=parent::details[@open]").count():
            summary.click()
        self.page.wait_for_function(STILL)

    def heading(self, words: str | re.Pattern[str]) -> Locator:
        return self.main.get_by_role("heading", name=words)

    def expect_map(self) -> None:
        expect(self.map.root).to_have_attribute("data-ready", "1")

    def expect_settled(self) -> None:
        """The run has ended: what it left out is gone, and nothing moves any more."""
        expect(self.page.get_by_test_id("stApp")).to_have_attribute("data-test-script-state", "notRunning")

    def expect_divergence(self, turn: int, token: int) -> None:
        """The URL, the map and the headline of the comparison are at this divergence."""
        block = token // BLOCK_SIZE
        expect(self.page).to_have_url(re.compile(f"turn={turn}&block={block}$"))
        expect(self.map.root).to_have_attribute("data-picked", f"{turn},{block}")
        expect(self.heading(f"Turn {turn} leaves turn {turn - 1} at token {token:,}")).to_be_visible()

    def paste(self, earlier: Any, later: Any) -> None:
        for name, body in (("Earlier request", earlier), ("Later request", later)):
            field = self.main.get_by_role("textbox", name=name)
            field.fill(json.dumps(body))
            field.press("Control+Enter")

    def connect(self, url: str) -> None:
        self.main.get_by_role("textbox", name="Address").fill(url)
        self.main.get_by_role("button", name="Connect").click()
