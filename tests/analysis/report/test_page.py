"""The page: one file, no host, a policy that fits, and words for whoever reads it without scripts or eyes."""

import base64
import hashlib
import re
from html.parser import HTMLParser

import pytest

from analysis.report.page import as_page
from tests.sample_reports import leaving

ALL = ("01", "02", "03", "04", "05", "06", "07", "08", "09", "11", "12", "13", "14", "busy")


class Outline(HTMLParser):
    """Headings by level, ids, and where links within the page lead."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.levels: list[int] = []
        self.ids: list[str] = []
        self.targets: set[str] = set()
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        named = dict(attrs)
        if re.fullmatch(r"h\d", tag):
            self.levels.append(int(tag[1]))
        if named.get("id"):
            self.ids.append(str(named["id"]))
        if tag == "a":
            self.targets.add(str(named["href"]).removeprefix("#"))


@pytest.mark.parametrize("start", ALL)
@pytest.mark.parametrize("scope", ["everything", "nothing"])
def test_every_sample_is_one_small_file_that_asks_no_host(start: str, scope: str) -> None:
    page = as_page(leaving(start, scope))  # type: ignore[arg-type]
    assert len(page.encode()) < 500_000
    own = re.sub(r"<bdi>.*?</bdi>|<i[ >].*?</i>", "", page)
    assert not re.search(r"https?:|//[a-z]|\bsrc=|url\((?!#p-)|@import|<link|<iframe|<form|<object", own)


@pytest.mark.parametrize("start", ALL)
def test_every_link_leads_somewhere_and_headings_go_down_step_by_step(start: str) -> None:
    outline = Outline(as_page(leaving(start)))
    assert outline.targets <= set(outline.ids) and len(outline.ids) == len(set(outline.ids))
    assert outline.levels[0] == 1 and outline.levels.count(1) == 1
    assert all(deeper - level <= 1 for level, deeper in zip(outline.levels, outline.levels[1:], strict=False))


def test_the_policy_allows_the_own_style_and_script_and_nothing_else() -> None:
    page = as_page(leaving("03"))
    (policy,) = re.findall(r'http-equiv="Content-Security-Policy" content="([^"]*)"', page)
    for tag, kind in (("style", "style-src"), ("script", "script-src")):
        (source,) = re.findall(rf"<{tag}>(.*?)</{tag}>", page, re.DOTALL)
        digest = base64.b64encode(hashlib.sha256(source.encode()).digest()).decode()
        assert f"{kind} 'sha256-{digest}'" in policy
    assert policy.startswith("default-src 'none';") and "unsafe" not in policy
    assert page.index("Content-Security-Policy") < page.index("<style>"), "before what it is about"
    assert " style=" not in page, "it would not be allowed"


def test_everything_is_there_without_scripts() -> None:
    page = as_page(leaving("03"))
    words = re.sub(r"<script>.*?</script>|<style>.*?</style>", "", page, flags=re.DOTALL)
    for said in (
        "86% computed again after a change",
        "It comes from the client, the program that sends the requests.",
        "Pin the time to the start of the session",
        "HH:MM:SS (+1 s)",
        "With 2 fixes the predicted hit rate goes from 1.4% to 87.1%",
        "2,431 prompt tokens = 32 cached + 0 missed",
        "Tokens of 8 turns: token ids from the log.",
        "Redacted: ",
    ):
        assert said in words
    assert "hidden>" not in words and "display:none" not in words


def test_what_the_server_did_not_say_is_said() -> None:
    page = as_page(leaving("12"))
    assert "What the server did not report" in page and "--enable-prompt-tokens-details" in page


def test_a_fleet_has_an_overview() -> None:
    page = as_page(leaving("busy"))
    assert '<h2 id="fleet">All sessions</h2>' in page and "Sessions, the costliest first" in page
    assert page.count('<section class="session"') == 7 and '<a href="#s7">7. <bdi>session G</bdi></a>' in page


def test_what_was_meant_is_no_fault() -> None:
    assert "This was meant and counts as no fault." in as_page(leaving("08"))


def test_both_themes_and_print_are_styled() -> None:
    page = as_page(leaving("03"))
    assert "@media screen and (prefers-color-scheme: dark)" in page and "@media print" in page
