"""The block map in a real browser, over a real socket, in a throw-away page."""

import json
import socket
import struct
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import urlopen

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from analysis.report.palette import DARK, LIGHT, Palette
from tests.app.sample_rows import SESSIONS, agent_session, typical_session

pytestmark = pytest.mark.browser

PAGE = Path(__file__).with_name("block_map_page.py")
ROOT = PAGE.parents[2]
START_SECONDS = 120  # of a busy machine


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """The address of a Streamlit server that shows the throw-away page."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    options = {
        "server.port": port,
        "server.address": "127.0.0.1",
        "server.headless": "true",
        "server.fileWatcherType": "none",
        "browser.gatherUsageStats": "false",
    }
    flags = [part for name, value in options.items() for part in (f"--{name}", str(value))]
    command = [sys.executable, "-m", "streamlit", "run", str(PAGE), *flags]
    # ``-m`` puts the working directory on sys.path, so the page finds ``app`` and ``tests``.
    server = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        wait_until_healthy(f"http://127.0.0.1:{port}/_stcore/health")
        yield f"http://127.0.0.1:{port}"
    finally:
        server.terminate()
        server.wait(timeout=10)


def wait_until_healthy(url: str) -> None:
    deadline = time.monotonic() + START_SECONDS
    while True:
        try:
            with urlopen(url, timeout=1):
                return
        except OSError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.1)


class MapPage:
    """One open page: the map, what Python got, and what went wrong."""

    def __init__(self, page: Page, address: str) -> None:
        self.page = page
        self.address = address
        self.errors: list[str] = []
        self.hosts: set[str | None] = set()
        page.on("console", lambda entry: self.errors.append(entry.text) if entry.type == "error" else None)
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.on("request", lambda request: self.hosts.add(urlsplit(request.url).hostname))

    def open(self, session: str, query: str = "") -> "MapPage":
        self.page.goto(f"{self.address}/?session={session}{query}")
        self.root.and_(self.page.locator("[data-ready='1']")).wait_for()
        return self

    @property
    def root(self) -> Locator:
        return self.page.locator(".block-map")

    @property
    def canvas(self) -> Locator:
        return self.page.locator("canvas.map")

    def data(self, name: str) -> str:
        return self.root.get_attribute(f"data-{name}") or ""

    def view(self) -> list[float]:
        """Blocks x0, x1 and rows y0, y1 in view."""
        return [float(edge) for edge in self.data("view").split(",")]

    def expect_view(self, is_so: Callable[[list[float]], bool]) -> None:
        """Wait until what is in view is so: the map is drawn with the next frame, whenever that is."""
        deadline = time.monotonic() + START_SECONDS
        while not is_so(self.view()):
            assert time.monotonic() < deadline, f"still in view: {self.view()}"
            self.page.wait_for_timeout(20)

    def centre(self, row: int, block: int) -> tuple[float, float]:
        """The middle of a cell in CSS pixels on the canvas."""
        layout = json.loads(self.data("layout"))
        x0, x1, y0, y1 = self.view()
        x = layout["left"] + (block + 0.5 - x0) / (x1 - x0) * layout["width"]
        y = layout["top"] + (row + 0.5 - y0) / (y1 - y0) * layout["height"]
        return x, y

    def click(self, row: int, block: int) -> None:
        x, y = self.centre(row, block)
        self.canvas.click(position={"x": x, "y": y})

    def colour(self, row: int, block: int) -> str:
        """The colour of the pixel a little off the middle of a cell, as #RRGGBB."""
        x, y = self.centre(row, block)
        script = """(canvas, [x, y]) => Array.from(canvas.getContext("2d").getImageData(x, y, 1, 1).data)"""
        red, green, blue, _ = self.canvas.evaluate(script, [round(x), round(y) + 4])
        return f"#{red:02X}{green:02X}{blue:02X}"

    def expect_pick(self, turn: int, block: int) -> None:
        expect(self.root).to_have_attribute("data-picked", f"{turn},{block}")
        expect(self.page.get_by_text(f"url ({turn}, {block})")).to_be_visible()

    def press(self, key: str) -> None:
        self.canvas.press(key)


@pytest.fixture
def open_page(browser: Browser, address: str) -> Iterator[MapPage]:
    context = browser.new_context(viewport={"width": 1440, "height": 900}, color_scheme="light")
    page = MapPage(context.new_page(), address)
    yield page
    context.close()
    assert page.errors == []
    assert page.hosts <= {"127.0.0.1", None, ""}, "nothing from other hosts"


def divergences(session: str) -> list[tuple[int, int]]:
    return [(row + 1, block) for row, block in SESSIONS[session]().divergences]


def test_click_on_a_cell_reaches_python(open_page: MapPage) -> None:
    page = open_page.open("agent")
    page.click(row=9, block=20)
    page.expect_pick(10, 20)
    expect(page.page.get_by_text("returned {'turn': 10, 'block': 20}")).to_be_visible()
    expect(page.page.locator(".spoken")).to_have_text("Picked turn 10, block 20: reused")


@pytest.mark.parametrize("session", ["agent", "typical"])
def test_click_on_a_diamond_picks_its_divergence(open_page: MapPage, session: str) -> None:
    page = open_page.open(session)
    turn, block = divergences(session)[1]
    page.click(row=turn - 1, block=block)
    page.expect_pick(turn, block)


def test_keys_walk_the_divergences(open_page: MapPage) -> None:
    page = open_page.open("typical")
    first, second = divergences("typical")[:2]
    for key, cell in (("n", first), ("n", second), ("p", first)):
        page.press(key)
        page.expect_pick(*cell)
    x0, x1, y0, y1 = page.view()
    assert x0 <= first[1] < x1 and y0 <= first[0] - 1 < y1
    page.press("p")
    expect(page.page.locator(".spoken")).to_have_text("No earlier divergence")


def test_buttons_do_what_they_say(open_page: MapPage) -> None:
    page = open_page.open("typical")
    first, second = divergences("typical")[:2]
    for name, cell in (("next", first), ("next", second), ("previous", first)):
        page.page.get_by_role("button", name=f"{name} divergence").click()
        page.expect_pick(*cell)
    page.page.get_by_role("button", name="whole session").click()
    expect(page.root).to_have_attribute("data-view", "0.000,12500.000,0.000,200.000")


def test_arrows_and_enter_pick_without_a_mouse(open_page: MapPage) -> None:
    page = open_page.open("agent", "&turn=10&block=20")
    page.press("ArrowRight")
    page.press("ArrowDown")
    expect(page.page.locator(".spoken")).to_contain_text("At turn 11, block 21")
    page.press("Enter")
    page.expect_pick(11, 21)


def test_deep_link_is_selected_and_in_view(open_page: MapPage) -> None:
    page = open_page.open("typical", "&turn=98&block=1200")
    page.expect_pick(98, 1200)
    x0, x1, y0, y1 = page.view()
    assert x0 <= 1200 < x1 <= x0 + 400 and y0 <= 97 < y1 <= y0 + 40


def test_deep_link_to_no_cell_is_ignored(open_page: MapPage) -> None:
    page = open_page.open("agent", "&turn=99&block=5")
    expect(page.root).to_have_attribute("data-picked", "")


def test_map_follows_a_pick_made_on_the_page(open_page: MapPage) -> None:
    page = open_page.open("typical")
    for cell in divergences("typical")[:3]:
        page.page.get_by_role("button", name="page: next").click()
        page.expect_pick(*cell)
    x0, x1, y0, y1 = page.view()
    assert x0 <= cell[1] < x1 and y0 <= cell[0] - 1 < y1


def test_zoom_outlives_a_rerun_and_zero_undoes_it(open_page: MapPage) -> None:
    page = open_page.open("agent")
    whole = page.data("view")
    page.press("+")
    expect(page.root).not_to_have_attribute("data-view", whole)
    zoomed = page.data("view")
    page.click(row=9, block=60)
    page.expect_pick(10, 60)
    assert page.data("view") == zoomed
    page.press("0")
    expect(page.root).to_have_attribute("data-view", whole)


def test_wheel_zooms_with_ctrl_and_drag_pans(open_page: MapPage) -> None:
    page = open_page.open("typical")
    page.canvas.hover(position={"x": 600, "y": 200})
    page.page.keyboard.down("Control")
    for _ in range(8):
        page.page.mouse.wheel(0, -100)
    page.page.keyboard.up("Control")
    page.expect_view(lambda view: view[1] - view[0] < 12_500 / 4)
    x0 = page.view()[0]
    box = page.canvas.bounding_box()
    assert box
    page.page.mouse.move(box["x"] + 600, box["y"] + 200)
    page.page.mouse.down()
    page.page.mouse.move(box["x"] + 500, box["y"] + 200, steps=4)
    page.page.mouse.up()
    page.expect_view(lambda view: view[0] > x0)
    assert page.data("picked") == "", "a drag is no click"


def test_tooltip_says_it_all_in_words(open_page: MapPage) -> None:
    page = open_page.open("three")
    x, y = page.centre(row=1, block=50)
    page.canvas.hover(position={"x": x, "y": y})
    tip = page.page.locator(".tip")
    for words in ("new", "turn 2 · block 50", "tokens 800–815", "run of 14 blocks", "cached_tokens: 640 tokens"):
        expect(tip).to_contain_text(words)


def test_tooltip_says_not_reported(open_page: MapPage) -> None:
    page = open_page.open("one")
    x, y = page.centre(row=0, block=0)
    page.canvas.hover(position={"x": x, "y": y})
    expect(page.page.locator(".tip")).to_contain_text("cached_tokens: not reported")


def test_legend_has_only_what_occurs(open_page: MapPage) -> None:
    page = open_page.open("one")
    expect(page.page.locator(".legend li")).to_have_text(["new or changed"])
    page.open("three")
    expected = ["reused", "lost after divergence", "new or changed", "partial tail", "divergence"]
    expect(page.page.locator(".legend li")).to_have_text([*expected, "cached_tokens, as the server reported"])


@pytest.mark.parametrize("session", ["agent", "typical"])
def test_the_map_is_saved_as_a_picture_by_the_keyboard(open_page: MapPage, tmp_path: Path, session: str) -> None:
    page = open_page.open(session)
    button = page.page.get_by_role("button", name="PNG: save this map as a picture")
    button.focus()
    with page.page.expect_download() as saving:
        page.page.keyboard.press("Enter")
    assert saving.value.suggested_filename == "whymiss-block-map.png"
    saving.value.save_as(tmp_path / "map.png")
    data = (tmp_path / "map.png").read_bytes()
    width, height = struct.unpack(">II", data[16:24])
    assert data.startswith(b"\x89PNG") and width == 2400 and 2 * 440 < height < 2 * 700
    expect(page.page.locator(".spoken")).to_have_text("The map is saved as whymiss-block-map.png")
    expect(page.root).to_have_attribute("data-picked", "")


def test_canvas_has_a_label_that_counts(open_page: MapPage) -> None:
    label = "Block map: 18 turns, up to 170 blocks of 16 tokens, 2 divergences, cached_tokens reported on 17 turns"
    expect(open_page.open("agent").page.get_by_role("img", name=label)).to_be_visible()


@pytest.mark.parametrize("scheme, palette", [("light", LIGHT), ("dark", DARK)])
def test_colours_follow_the_theme(open_page: MapPage, scheme: str, palette: Palette) -> None:
    page = open_page.open("agent")
    page.page.emulate_media(color_scheme=scheme)
    expect(page.root).to_have_attribute("data-theme", scheme)
    for row, block, state in ((9, 20, "reused"), (6, 40, "missed"), (13, 100, "lost"), (0, 10, "new")):
        assert page.colour(row, block) == palette.states[state]


@pytest.mark.parametrize("width", [640, 800, 2400])
def test_map_fits_every_width(open_page: MapPage, width: int) -> None:
    open_page.page.set_viewport_size({"width": width, "height": 900})
    page = open_page.open("agent")
    overflow = page.root.evaluate("root => root.scrollWidth - root.clientWidth")
    assert overflow <= 0
    page.click(row=16, block=100)
    page.expect_pick(17, 100)


@pytest.mark.parametrize("session, height", [("one", 34), ("three", 78), ("agent", 440), ("typical", 440)])
def test_height_adapts_to_the_turns(open_page: MapPage, session: str, height: int) -> None:
    assert json.loads(open_page.open(session).data("layout"))["height"] == height


def test_noisy_session_is_drawn_at_every_zoom(open_page: MapPage) -> None:
    page = open_page.open("noisy")
    whole = page.view()
    page.press("+")
    page.expect_view(lambda view: view[1] - view[0] < whole[1] - whole[0])
    for key in ("-", "0"):
        page.press(key)
        page.expect_view(lambda view: view == whole)


def test_samples_have_what_the_tests_rely_on() -> None:
    assert len(agent_session().divergences) == 2
    assert len(typical_session().divergences) >= 3
