"""Nothing on any page or in any report that axe calls serious or critical: names, roles, contrast, light and dark."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from analysis.model.annotation import CaseText
from analysis.report.page import as_page
from analysis.report.redaction import Rules, redacted
from tests.browser.dashboard_window import Dashboard, serving
from tests.builders import SAMPLES, lines_of
from tests.case_reports import case_report
from tests.replay_server import ReplayServer
from tests.sample_reports import KEY, leaving
from tests.sample_store import fill

pytestmark = pytest.mark.browser

SESSION, SALTED, SILENT = "nimbrel-query-19c4", "orchard-cli-3302", "glasswing-docs-04"
WIDTH, HEIGHT, LONG = 1280, 1600, 5200  # axe sees what is in the window: all of a page, of a long one in a long window
RUN = """async (rules) => {
  const options = { resultTypes: ["violations"], iframes: false, ...(rules && { runOnly: rules }) };
  const { violations } = await axe.run(document, options);
  return violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .flatMap(({ id, nodes }) => nodes.map(({ target, failureSummary }) => `${id}: ${target} ${failureSummary}`));
}"""
# What stands on a page is the same in both themes: in the dark one only colours can be wrong.
THEMES = [pytest.param("light", None, id="light"), pytest.param("dark", ["color-contrast"], id="dark")]


@pytest.fixture(scope="module")
def axe(oracles: Path) -> str:
    return (oracles / "axe" / "axe.min.js").read_text("utf-8")


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, dict[str, int]]]:
    """The address of a dashboard on all samples and one case, and the keys of the sessions."""
    database = tmp_path_factory.mktemp("axe") / "samples.duckdb"
    repository = fill(database)
    frame = repository.sessions()
    keys = dict(zip(frame.session_id, map(int, frame.session_key), strict=True))
    case = repository.cases.create("Ann", CaseText("Slow since Monday", "SUP-17", "", "**Why**"))
    repository.cases.take(case, keys[SESSION])
    repository.close()
    with serving(database) as address:
        yield address, keys


def wrong(page: Page, axe: str, rules: list[str] | None = None) -> list[str]:
    """What is serious or critical on a page as it is now."""
    if not page.evaluate("'axe' in window"):
        page.evaluate(axe)
    found: list[str] = page.evaluate(RUN, rules)
    return found


def walk(window: Dashboard) -> Iterator[str]:
    """Go through the whole dashboard; the name of every place that is reached."""
    yield from the_list(window)
    yield from a_session(window)
    yield from other_pages(window)


def the_list(window: Dashboard) -> Iterator[str]:
    page = window.sessions().page
    window.expect_settled()
    yield "sessions"
    page.keyboard.press("j")
    expect(page.get_by_role("listbox", name="Sessions by keyboard")).to_be_focused()
    yield "the list by keyboard"
    page.keyboard.press("Escape")
    page.keyboard.press("?")
    expect(window.dialog).to_be_visible()
    yield "keys"
    page.keyboard.press("Escape")
    for name, inside in (("Filters", "Cause"), ("Views", "Save this list as"), ("How to read this", "you see")):
        window.main.get_by_role("button", name=name).first.click()
        expect(page.get_by_text(inside, exact=True).last).to_be_visible()
        yield name
        page.keyboard.press("Escape")
    for name, inside in (("Prices", "Save"), ("Add logs", "Analyse")):
        window.main.get_by_role("button", name=name).click()
        expect(window.dialog.get_by_role("button", name=inside)).to_be_visible()
        window.expect_settled()
        yield name
        page.keyboard.press("Escape")
        expect(window.dialog).to_have_count(0)
    page.goto(f"{window.address}/?look=days")
    expect(page.get_by_text("by client version")).to_be_visible()
    window.expect_settled()
    yield "days"
    page.goto(f"{window.address}/?compare={window.keys[SESSION]}%2C{window.keys[SALTED]}")
    expect(window.heading("2 sessions side by side")).to_be_visible()
    window.expect_settled()
    yield "sessions side by side"


def a_session(window: Dashboard) -> Iterator[str]:
    for name in (SILENT, SALTED):
        window.session(name).expect_settled()
        yield name
    page = window.session(SESSION, "&turn=7&block=77").page
    page.set_viewport_size({"width": WIDTH, "height": LONG})
    folded = window.main.locator("details:not([open]) > summary")
    folded.evaluate_all("summaries => summaries.forEach((summary) => summary.click())")
    for tab in window.main.get_by_role("tab").all():
        tab.click()
        window.expect_settled()
        yield f"{SESSION}, {tab.inner_text()}"
    window.main.get_by_role("button", name="Share", exact=True).click()
    expect(window.dialog.locator("iframe")).to_be_visible()
    window.dialog.locator("details:not([open]) > summary").click()
    window.expect_settled()
    yield "share"
    page.set_viewport_size({"width": WIDTH, "height": HEIGHT})


def other_pages(window: Dashboard) -> Iterator[str]:
    page = window.page
    two_sets = f"sets?by=own&a.keys={window.keys[SESSION]}&b.keys={window.keys[SALTED]}"
    for path, heading in (
        ("session?session=99999", "Session"), ("cases", "Cases"), ("cases?case=1", "Slow since Monday"),
        ("sets", "Two sets"), (two_sets, "Too little to tell which set is worse"),
        ("models", "Models"), ("template", "Not pure"), ("live", "Live server"),
    ):  # fmt: skip
        page.goto(f"{window.address}/{path}")
        expect(window.heading(heading).first).to_be_visible()
        window.expect_settled()
        yield path
    with ReplayServer("serve-block128") as server:
        window.connect(server.url)
        expect(window.main.get_by_test_id("stMetric").first).to_be_visible()
        window.expect_settled()
        yield "live, connected"
    stripped = next(path for path in SAMPLES if path.stem == "02-reasoning-stripped")
    page.goto(f"{window.address}/compare")
    window.paste(*(line["request"] for line in lines_of(stripped)[5:7]))
    expect(window.heading("They part at token 1,239")).to_be_visible()
    window.expect_settled()
    yield "compare"


@pytest.mark.parametrize(("scheme", "rules"), THEMES)
def test_every_page(
    browser: Browser, served: tuple[str, dict[str, int]], axe: str, scheme: Any, rules: list[str] | None
) -> None:
    context = browser.new_context(viewport={"width": WIDTH, "height": HEIGHT}, color_scheme=scheme)
    window = Dashboard(context.new_page(), *served)
    found = {place: said for place in walk(window) if (said := wrong(window.page, axe, rules))}
    context.close()
    assert found == {}


@pytest.mark.parametrize(("scheme", "rules"), THEMES)
@pytest.mark.parametrize("start", ["03", "07", "12", "busy", "case"])  # a change, misses, nothing reported, a fleet
def test_every_report(browser: Browser, axe: str, start: str, scheme: Any, rules: list[str] | None) -> None:
    context = browser.new_context(color_scheme=scheme, bypass_csp=True)
    page = context.new_page()
    leaves = redacted(case_report(), Rules("nothing"), KEY)[0] if start == "case" else leaving(start)
    page.set_content(as_page(leaves))
    found = wrong(page, axe, rules)
    context.close()
    assert found == []


def test_what_is_wrong_is_found(browser: Browser, axe: str) -> None:
    page = browser.new_page()
    page.set_content("<title>t</title><main><img src='data:,'><p style='color: #999; background: #fff'>pale</p></main>")
    rules = {said.partition(":")[0] for said in wrong(page, axe)}
    page.close()
    assert rules >= {"image-alt", "color-contrast"}
