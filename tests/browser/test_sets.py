"""Two sets in a real browser: from the list of sessions to the verdict, a baseline file, and the session behind it."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from analysis.report.palette import palette
from tests.browser.dashboard_window import Dashboard, serving
from tests.builders import SAMPLES
from tests.sample_store import fill, record_of

pytestmark = pytest.mark.browser

STRIPPED = next(path.name for path in SAMPLES if path.stem.startswith("02"))
HEADER, ROW = 35, 35  # pixels of a table of plain rows


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    database = tmp_path_factory.mktemp("sets") / "sets.duckdb"
    fill(database, "01", "02", "07").close()
    with serving(database) as started:
        yield started


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_list_is_held_against_the_rest_and_then_against_a_file(
    browser: Browser, address: str, scheme: str, tmp_path: Path
) -> None:
    context = browser.new_context(viewport={"width": 1280, "height": 1600}, color_scheme=scheme)
    shown = Dashboard(context.new_page(), address, {})
    page, main = shown.page, shown.main
    page.goto(f"{address}/?source={STRIPPED}")
    main.get_by_role("button", name="Hold against …").click()
    expect(page).to_have_url(re.compile(r"/sets\?.*a\.source="))
    expect(shown.heading(re.compile("^Too little to tell which set is worse: set A has 1 session"))).to_be_visible()
    bar = main.locator(".barlayer .trace").first.locator("path").first
    red, green, blue = bytes.fromhex(palette(scheme == "dark").series[0][1:])
    expect(bar).to_have_css("fill", f"rgb({red}, {green}, {blue})")

    shown.expect_settled()
    with page.expect_download() as saved:
        main.get_by_role("button", name="Save as baseline").first.click()
    file = tmp_path / "base.json"
    saved.value.save_as(file)
    record = record_of("02")
    assert list(json.loads(file.read_text("utf-8"))["sessions"]) == [record.session_id]

    (tmp_path / "bad.json").write_text("{", "utf-8")
    main.get_by_role("button", name="Baseline file").nth(1).click()
    uploader = page.get_by_test_id("stPopoverBody").locator("input[type=file]")
    uploader.set_input_files(tmp_path / "bad.json")
    expect(main.get_by_test_id("stAlert")).to_contain_text("bad.json: this is no JSON, and so no baseline.")
    shown.expect_settled()
    uploader.set_input_files(file)
    expect(page).to_have_url(re.compile(r"b\.file=base\.json"))
    expect(main.get_by_text("The hit rate is 89.7% in both sets.")).to_be_visible()
    expect(main.get_by_test_id("stAlert")).to_have_count(0)

    shown.expect_settled()
    page.keyboard.press("Escape")
    main.get_by_text("The sessions of each set that wasted most").click()
    table = main.locator("[class*='st-key-worst_A']").get_by_test_id("stDataFrame")
    expect(table).to_be_visible()
    table.hover(position={"x": 60, "y": HEADER + 0.4 * ROW})
    table.click(position={"x": 70, "y": HEADER + 0.5 * ROW})
    page.wait_for_url("**/session?session=*")
    shown.expect_map()
    expect(shown.heading(record.session_id)).to_be_visible()
    assert shown.errors == [] and shown.hosts <= {"127.0.0.1", None, ""}, "nothing from other hosts"
    context.close()
