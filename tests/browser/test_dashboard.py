"""The whole dashboard in a real browser: started as a person starts it and driven as a person drives it."""

import re
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, expect
from tokenizers import Tokenizer

from tests.browser.dashboard_window import BLOCK_SIZE, PATIENCE, Dashboard, serving
from tests.builders import RECORDED, SAMPLE_MODEL, SAMPLES, lines_of, read_log
from tests.format_samples import FOLDER
from tests.replay_server import ReplayServer, exchange
from tests.sample_store import fill

pytestmark = pytest.mark.browser

STRIPPED = next(path for path in SAMPLES if path.stem == "02-reasoning-stripped")
LOGGED = next(path for path in RECORDED if path.stem == "reasoning-stripped")
SESSION = "nimbrel-query-19c4"  # the session of STRIPPED
DIVERGENCES = ((7, 1239), (13, 2168), (18, 3008))  # its turns that leave the turn before, and at which token
UPLOAD_LIMIT = 200 * 1024 * 1024


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, int]]:
    """A database with the sample sessions, and their keys."""
    database = tmp_path_factory.mktemp("dashboard") / "samples.duckdb"
    repository = fill(database)
    frame = repository.sessions()
    repository.close()
    return database, dict(zip(frame.session_id, map(int, frame.session_key), strict=True))


@pytest.fixture(scope="module")
def address(filled: tuple[Path, dict[str, int]]) -> Iterator[str]:
    with serving(filled[0]) as started:
        yield started


@pytest.fixture
def scheme() -> str:
    return "light"


@pytest.fixture
def dashboard(browser: Browser, address: str, filled: tuple[Path, dict[str, int]], scheme: Any) -> Iterator[Dashboard]:
    context = browser.new_context(viewport={"width": 1440, "height": 900}, color_scheme=scheme)
    window = Dashboard(context.new_page(), address, filled[1])
    yield window
    crashes = window.page.get_by_test_id("stException").all_inner_texts()
    context.close()
    assert crashes == [] and window.errors == []
    assert window.hosts <= {"127.0.0.1", None, ""}, "nothing from other hosts"


def without_tokenizer(folder: Path) -> Path:
    """A sample log as of a model that nobody here has the tokenizer of."""
    log = folder / "acme.jsonl"
    text = STRIPPED.read_text("utf-8").replace("sample/agent-8k", "acme/agent").replace(SESSION, "acme-session")
    log.write_text(text, "utf-8")
    return log


def test_first_start_has_the_samples_on_screen(browser: Browser, tmp_path: Path) -> None:
    names = {line["session_id"] for path in SAMPLES for line in lines_of(path)}
    with serving(tmp_path / "new.duckdb") as fresh:
        page = browser.new_page()
        page.goto(fresh)
        expect(page.get_by_test_id("stMetric").filter(has_text=re.compile("^Sessions"))).to_contain_text(
            str(len(names))
        )
        cells = page.locator("[class*='st-key-sessions_'] td[data-testid^='glide-cell-1-']")
        expect(cells.first).to_be_attached()
        assert set(cells.all_inner_texts()) <= names
        page.close()


def test_an_upload_is_analysed_once(dashboard: Dashboard) -> None:
    dashboard.sessions().add(LOGGED)
    expect(dashboard.main.get_by_text("1 session with 9 turns analysed")).to_be_visible()
    dashboard.search("b1")
    expect(dashboard.row("b1")).to_be_attached()
    dashboard.add(LOGGED)
    expect(dashboard.main.get_by_text("1 log already there, unchanged", exact=True)).to_be_visible()
    expect(dashboard.row("b1")).to_have_count(1)


def test_a_file_over_the_limit_is_refused_with_a_way_out(dashboard: Dashboard, tmp_path: Path) -> None:
    large = tmp_path / "large.jsonl"
    with large.open("wb") as file:
        file.truncate(UPLOAD_LIMIT + 1)
    dashboard.sessions().page.get_by_role("button", name="Add logs").click()
    dashboard.dialog.locator("input[type=file]").set_input_files(large)
    expect(dashboard.dialog.get_by_text("File must be 200.0MB or smaller")).to_be_attached()
    expect(dashboard.dialog.get_by_text("give its path below, or start with whymiss serve LOG")).to_be_visible()
    dashboard.dialog.get_by_role("button", name="Analyse").click()
    expect(dashboard.dialog.get_by_text("Nothing to analyse yet")).to_be_visible()


def test_a_log_by_its_path(dashboard: Dashboard, tmp_path: Path) -> None:
    dashboard.sessions().page.get_by_role("button", name="Add logs").click()
    field = dashboard.dialog.get_by_role("textbox", name="a file or folder on this machine")
    field.fill(str(tmp_path / "absent.jsonl"))
    field.press("Enter")
    dashboard.dialog.get_by_role("button", name="Analyse").click()
    expect(dashboard.dialog.get_by_test_id("stAlert")).to_contain_text("absent.jsonl")


def test_a_binary_file_is_one_clear_line(dashboard: Dashboard, tmp_path: Path) -> None:
    binary = tmp_path / "binary.jsonl"
    binary.write_bytes(bytes(range(256)) * 20)
    dashboard.sessions().add(binary)
    expect(dashboard.dialog.get_by_test_id("stAlert")).to_have_count(1)
    expect(dashboard.dialog.get_by_test_id("stAlert")).to_contain_text("binary.jsonl: binary data, and no log")


def test_a_click_on_a_row_opens_its_session_every_time(dashboard: Dashboard) -> None:
    dashboard.sessions()
    for _ in range(2):
        dashboard.open_row(SESSION)
        expect(dashboard.heading(SESSION)).to_be_visible()
        assert f"session={dashboard.keys[SESSION]}" in dashboard.page.url
        dashboard.visit("Sessions")
        dashboard.row(SESSION).wait_for(state="attached")


def test_ticked_rows_are_compared_and_a_tick_opens_nothing(dashboard: Dashboard) -> None:
    dashboard.sessions()
    for row, said in ((1, "1 session ticked."), (2, "2 sessions ticked.")):
        dashboard.tick(row)
        expect(dashboard.main.get_by_text(said)).to_be_visible()
    dashboard.main.get_by_role("button", name="Compare", exact=True).click()
    expect(dashboard.heading("2 sessions side by side")).to_be_visible()
    expect(dashboard.page).to_have_url(re.compile(r"\?compare=\d+%2C\d+$"))
    dashboard.page.go_back()
    expect(dashboard.row(SESSION)).to_be_attached()


def test_a_session_that_is_not_there_leads_back(dashboard: Dashboard) -> None:
    dashboard.page.goto(f"{dashboard.address}/session?session=99999")
    expect(dashboard.main.get_by_text("There is no such session in this database.")).to_be_visible()
    dashboard.main.get_by_role("link", name="Sessions").click()
    expect(dashboard.row(SESSION)).to_be_attached()


def test_keys_and_buttons_walk_the_divergences(dashboard: Dashboard) -> None:
    dashboard.session(SESSION).map.press("n")
    dashboard.expect_divergence(*DIVERGENCES[0])
    dashboard.page.get_by_role("button", name="next divergence").click()
    dashboard.expect_divergence(*DIVERGENCES[1])
    dashboard.map.press("n")
    dashboard.expect_divergence(*DIVERGENCES[2])
    dashboard.page.get_by_role("button", name="previous divergence").click()
    dashboard.expect_divergence(*DIVERGENCES[1])


def test_clicks_on_a_cell_and_on_a_diamond(dashboard: Dashboard) -> None:
    dashboard.session(SESSION).map.click(row=7, block=20)
    expect(dashboard.heading("Turn 8 continues turn 7 without a change · block 20")).to_be_visible()
    expect(dashboard.page).to_have_url(re.compile("turn=8&block=20$"))
    expect(dashboard.marked).to_have_count(0)
    turn, token = DIVERGENCES[1]
    dashboard.map.click(row=turn - 1, block=token // BLOCK_SIZE)
    dashboard.expect_divergence(*DIVERGENCES[1])
    expect(dashboard.marked).to_have_count(2)


def test_a_link_lands_on_the_same_token_after_a_reload(dashboard: Dashboard) -> None:
    turn, token = DIVERGENCES[0]
    dashboard.session(SESSION, query=f"&turn={turn}&block={token // BLOCK_SIZE}")
    for _ in range(2):
        expect(dashboard.marked).to_have_text(["<think>", "<tool_call>"])
        expect(dashboard.marked.last).to_have_attribute("title", re.compile(f"^token {token:,} · id "))
        dashboard.expect_divergence(*DIVERGENCES[0])
        dashboard.page.reload()


def test_compare_what_was_pasted(dashboard: Dashboard) -> None:
    dashboard.page.goto(f"{dashboard.address}/compare")
    dashboard.paste(*(line["request"] for line in lines_of(STRIPPED)[5:7]))
    expect(dashboard.heading("They part at token 1,239, in tool call 1 of message 3")).to_be_visible()
    expect(dashboard.main.get_by_text("field: messages[2].tool_calls[0]")).to_be_visible()
    expect(dashboard.main.get_by_test_id("stMetric").filter(has_text="Reusable")).to_contain_text("1,232 tokens")
    expect(dashboard.marked).to_have_text(["<think>", "<tool_call>"])


def test_a_template_is_checked(dashboard: Dashboard) -> None:
    dashboard.sessions().visit("Template")
    expect(dashboard.heading("Not pure: earlier reasoning (dropped at a new user turn)")).to_be_visible()
    dashboard.main.get_by_text("A template's text", exact=True).click()
    field = dashboard.main.get_by_role("textbox", name="Template", exact=True)
    field.fill("{% for m in messages %}<{{ m.role }}>{{ m.content }}{{ m.tool_calls }}{% endfor %}")
    field.press("Control+Enter")
    expect(dashboard.heading("Pure: a growing conversation only grows")).to_be_visible()


def test_a_refused_connection_is_one_line_with_its_remedy(dashboard: Dashboard) -> None:
    dashboard.page.goto(f"{dashboard.address}/live")
    with socket.socket() as closed:  # bound, but nobody listens
        closed.bind(("127.0.0.1", 0))
        dashboard.connect(f"127.0.0.1:{closed.getsockname()[1]}")
        error = dashboard.main.get_by_role("alert")
        expect(error).to_contain_text("refused the connection: is the server running, and is this its port?")
    expect(error).to_have_count(1)
    expect(dashboard.main.get_by_text("Not connected.")).to_be_visible()


def connected_comparison(dashboard: Dashboard, server: ReplayServer) -> None:
    """Connect to a recorded server and let it render two recorded bodies."""
    dashboard.page.goto(f"{dashboard.address}/live")
    dashboard.connect(server.url)
    expect(dashboard.main.get_by_test_id("stMetric").filter(has_text="vLLM")).to_contain_text("0.32.0")
    expect(dashboard.main.get_by_test_id("stMetric").filter(has_text="Block size")).to_contain_text("128 tokens")
    dashboard.visit("Compare")
    dashboard.main.get_by_text("The live server", exact=True).click()
    names = ("render_reasoning_content_last_turn", "render_toolcall_args_string_compact")
    dashboard.paste(*(exchange("serve-block128", name).sent for name in names))
    expect(dashboard.heading("They part at token 243")).to_be_visible()
    expect(dashboard.main.get_by_test_id("stMetric").filter(has_text="Reusable")).to_contain_text("128 tokens")


def test_compare_through_a_live_server(dashboard: Dashboard) -> None:
    with ReplayServer("serve-block128", detokenize=lambda ids: "".join(f"[{token}]" for token in ids)) as server:
        connected_comparison(dashboard, server)
    expect(dashboard.marked).to_have_text(["[151667]", "[151657]"])


@pytest.mark.oracle
def test_compare_through_a_live_server_names_the_field(dashboard: Dashboard, oracles: Path) -> None:
    qwen3 = Tokenizer.from_file(str(oracles / "tokenizers" / "qwen3" / "tokenizer.json"))
    with ReplayServer("serve-block128", detokenize=lambda ids: qwen3.decode(ids, False)) as server:
        connected_comparison(dashboard, server)
    expect(
        dashboard.main.get_by_text("field: messages[2].tool_calls[0] · before: messages[2].reasoning")
    ).to_be_visible()
    expect(dashboard.marked).to_have_text(["<think>", "<tool_call>"])


def test_tokens_without_a_tokenizer_are_numbers_until_one_is_given(dashboard: Dashboard, tmp_path: Path) -> None:
    dashboard.sessions().add(without_tokenizer(tmp_path))
    dashboard.open_row("acme-session")
    show_as_text(dashboard, "acme/agent", SAMPLE_MODEL, ["<think>", "<tool_call>"])


@pytest.mark.oracle
def test_recorded_ids_read_with_the_real_tokenizer(dashboard: Dashboard, oracles: Path) -> None:
    recorded = LOGGED.with_name("clean-tool-loop.jsonl")
    dashboard.sessions().add(recorded)
    dashboard.open_row(lines_of(recorded)[0]["session_id"], recorded.name)
    dashboard.map.click(row=1, block=0)
    expect(dashboard.main.get_by_role("heading", name="Turn 2 continues")).to_be_visible()
    show_as_text(dashboard, "qwen3-tiny", oracles / "tokenizers" / "qwen3", [])
    expect(dashboard.page.locator(".wm-t").first).to_have_text("<|im_start|>")


def show_as_text(dashboard: Dashboard, model: str, folder: Path, marked: list[str]) -> None:
    """Tokens by number under a warning; with the model's folder they turn into text, for good."""
    warning = dashboard.main.get_by_role("alert").filter(has_text=f"no tokenizer for the model “{model}”")
    dashboard.expect_settled()  # until then that of the turn before may stand there as well
    expect(warning).to_have_count(1)
    expect(warning).to_be_visible()
    expect(dashboard.page.locator(".wm-t").first).to_have_text(re.compile(r"^#\d+$"))
    dashboard.main.get_by_role("textbox", name="Folder with tokenizer.json").fill(str(folder))
    dashboard.main.get_by_role("textbox", name="Folder with tokenizer.json").press("Enter")
    dashboard.main.get_by_role("button", name="Show as text").click()
    expect(warning).to_have_count(0)
    for _ in range(2):
        expect(dashboard.page.locator(".wm-id")).to_have_count(0)
        expect(dashboard.marked).to_have_text(marked)
        dashboard.page.reload()
        dashboard.page.locator(".wm-t").first.wait_for()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_theme_is_that_of_the_browser(dashboard: Dashboard, scheme: str) -> None:
    dashboard.session(SESSION)
    expect(dashboard.map.root).to_have_attribute("data-theme", scheme)
    background = dashboard.page.get_by_test_id("stApp").evaluate("app => getComputedStyle(app).backgroundColor")
    assert (sum(map(int, re.findall(r"\d+", background)[:3])) < 200) == (scheme == "dark")


@pytest.mark.parametrize("title", ["Sessions", "Session", "Compare", "Template", "Live server"])
def test_a_narrow_window_does_not_scroll_sideways(dashboard: Dashboard, title: str) -> None:
    dashboard.page.set_viewport_size({"width": 800, "height": 900})
    dashboard.session(SESSION, query="&turn=7&block=77")
    dashboard.visit(title)
    expect(dashboard.page.get_by_test_id("stMain").get_by_role("heading").first).to_be_visible()
    dashboard.expect_settled()
    for part in ("html", "[data-testid=stMain]", "[data-testid=stMainBlockContainer]"):
        overflow = dashboard.page.locator(part).evaluate("part => part.scrollWidth - part.clientWidth")
        assert overflow <= 0, part


MIXED = (  # ten files of eight formats, then what is none
    "anthropic-messages/recorded.jsonl",
    "claude-code/chain.jsonl",
    "cline/session.messages.json",
    "codex/codex_051_usage.jsonl",
    "codex/small.jsonl",
    "langfuse/openai-agents-2025-09-30.trace.json",
    "mini-swe-agent/sympy.traj.json",
    "inspect/popularity.eval",
    "inspect/message_pool.eval",
    "otlp/phoenix.jsonl",
)


def test_a_mixed_folder_says_what_was_read_what_was_not_and_why(dashboard: Dashboard, tmp_path: Path) -> None:
    (tmp_path / "photo.jsonl").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(200))
    (tmp_path / "notes.json").write_text('{"shopping": ["milk"]}')
    files = [FOLDER / name for name in MIXED]
    turns = [len(session.turns) for file in files for session in read_log(file.read_bytes(), file.name, "s").sessions]
    imports = dashboard.sessions().main.get_by_text("Imports (").inner_text()
    before = int("".join(filter(str.isdigit, imports)))
    dashboard.add(*files, *sorted(tmp_path.iterdir()))
    expect(dashboard.dialog.get_by_test_id("stAlert")).to_have_count(3, timeout=3 * PATIENCE)  # twelve files
    read = f"{len(turns)} sessions with {sum(turns)} turns analysed"
    expect(dashboard.dialog.get_by_text(read)).to_be_visible()
    for name, why in (("photo.jsonl", "binary data"), ("notes.json", "text")):
        refused = dashboard.dialog.get_by_test_id("stAlert").filter(has_text=name)
        expect(refused).to_contain_text(f"{name}: {why}, and no log that Whymiss reads.")
    dashboard.dialog.get_by_text("What each format looks for").click()
    expect(dashboard.dialog.get_by_role("listitem").filter(has_text="claude-code looks for")).to_be_visible()
    dashboard.page.keyboard.press("Escape")
    dashboard.main.get_by_text(f"Imports ({before + len(files)})").wait_for()  # the page behind the dialog is anew
    dashboard.expect_settled()
    dashboard.main.get_by_text(re.compile(r"^Problems in the logs \(")).click()
    problems = dashboard.main.get_by_role("region", name="Problems in the logs")
    expect(problems.get_by_role("row").filter(has_text="photo.jsonl")).to_contain_text("refused: binary data")
    with dashboard.page.expect_download() as download:
        dashboard.main.get_by_test_id("stDownloadButton").filter(has_text="Download as CSV").click()
    assert "photo.jsonl" in download.value.path().read_text("utf-8-sig")
