"""A login with a real OpenID provider: nothing of the store leaves before it, and nothing after the log-out."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from oidc_provider_mock import User, run_server_in_thread
from playwright.sync_api import Browser, BrowserContext, expect

from analysis.store.repository import Repository
from tests.browser.dashboard_window import Dashboard, free_port, running
from tests.browser.test_notes import write
from tests.sample_store import fill

pytestmark = pytest.mark.browser

DATABASE = "team.duckdb"
SESSION = "nimbrel-query-19c4"
ASKED = "Whymiss Sessions are shown to those who log in. Log in"
NAME, NOTE = "Ann Lee", "seen by Ann"
PATHS = ("", "sessions", "session?session=1&turn=3&block=2", "cases?case=1", "sets", "models", "compare", "template",
         "live")  # fmt: skip
PROVIDERS_OWN = re.compile("//localhost|//cdn[.]")  # its page wants an icon and a style that are not here
SECRETS = """
[auth]
redirect_uri = "{address}/oauth2callback"
cookie_secret = "a secret of this test alone"
client_id = "whymiss"
client_secret = "another"
server_metadata_url = "{provider}/.well-known/openid-configuration"
"""


@contextmanager
def with_login(folder: Path) -> Iterator[str]:
    """The address of a dashboard with a login, which was started in this folder and has its database there."""
    fill(folder / DATABASE, "02").close()
    port, secrets = free_port(), folder / ".streamlit" / "secrets.toml"
    address = f"http://127.0.0.1:{port}"
    secrets.parent.mkdir()
    with run_server_in_thread(user_claims=[User(sub="ann", claims={"name": NAME})]) as provider:
        issuer = f"http://localhost:{provider.server_port}"
        secrets.write_text(SECRETS.format(address=address, provider=issuer), "utf-8")
        with running(folder / DATABASE, port, folder):
            yield address


@dataclass(slots=True)
class Window:
    """A window of the dashboard, and everything that came to it through its socket."""

    shown: Dashboard
    frames: list[bytes] = field(default_factory=list)

    def got(self, text: str) -> bool:
        return any(text.encode() in frame for frame in self.frames)

    def expect_login(self) -> None:
        """The login, and nothing else on the page."""
        expect(self.shown.main).to_have_text(ASKED, use_inner_text=True)

    def expect_nothing_at(self, *paths: str) -> None:
        """Nothing but the login at these addresses, on the screen and in what came."""
        self.frames.clear()
        for path in paths:
            self.shown.page.goto(f"{self.shown.address}/{path}")
            self.expect_login()
            expect(self.shown.page.get_by_test_id("stTopNavLink")).to_have_count(0)
        assert self.frames and not self.got("nimbrel") and not self.got("block_map")

    def log_in(self) -> None:
        self.shown.page.get_by_role("button", name="Log in").click()
        self.shown.page.get_by_role("button", name="ann", exact=True).click()
        self.shown.row(SESSION).wait_for(state="attached")

    def log_out(self) -> None:
        self.shown.page.get_by_role("button", name="Log out").click()
        self.shown.page.get_by_role("button", name="End session").click()  # the provider's own question


def window(context: BrowserContext, address: str) -> Window:
    found = Window(Dashboard(context.new_page(), address, {SESSION: 1}))
    found.shown.page.on(
        "websocket", lambda socket: socket.on("framereceived", lambda frame: found.frames.append(bytes(frame)))
    )
    return found


def test_from_the_login_to_a_note_to_the_log_out(browser: Browser, tmp_path: Path) -> None:
    with with_login(tmp_path) as address:
        context = browser.new_context(viewport={"width": 1280, "height": 1000})
        here = window(context, address)
        here.expect_nothing_at(*PATHS)
        here.log_in()
        assert here.got(SESSION)
        here.shown.session(SESSION).main.get_by_text("Notes: nobody has written about this session yet").click()
        here.shown.main.get_by_text("Add a note").click()
        expect(here.shown.main.get_by_role("textbox", name="Your name")).to_have_count(0)
        write(here.shown.page, NOTE)
        expect(here.shown.heading("Notes (1)")).to_be_visible()
        here.shown.expect_settled()
        here.log_out()
        here.expect_login()
        here.expect_nothing_at(*PATHS[:3])
        context.close()
        assert [one for one in here.shown.errors if not PROVIDERS_OWN.search(one)] == []
    repository = Repository.open(tmp_path / DATABASE)
    assert [(one.author, one.text) for one in repository.annotations.of_session(1)] == [(NAME, NOTE)]
    repository.close()


def test_a_log_out_is_one_from_every_window_of_the_browser(browser: Browser, tmp_path: Path) -> None:
    context, elsewhere = browser.new_context(viewport={"width": 1280, "height": 1000}), browser.new_context()
    with with_login(tmp_path) as address:
        here, on_session, on_list, at_home = (window(one, address) for one in (*[context] * 3, elsewhere))
        for one in (here, at_home):
            one.shown.page.goto(address)
            one.log_in()
        on_session.shown.session(SESSION).expect_settled()
        on_list.shown.sessions().main.get_by_text("Imports (1)").click()
        on_list.shown.expect_settled()
        here.log_out()
        here.expect_login()
        on_session.shown.map.click(5, 3)  # in a fragment: only what is below the title is run
        on_session.expect_login()
        on_list.shown.main.get_by_role("button", name="Download the database").click()
        expect(on_list.shown.page.get_by_text("Failed to generate file for download")).to_be_visible()
        on_list.shown.visit("Cases")
        on_list.expect_login()
        at_home.shown.visit("Cases")  # another browser, another login
        expect(at_home.shown.heading("Cases")).to_be_visible()
        context.close()
        elsewhere.close()
