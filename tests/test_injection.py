"""Whatever a log says is shown as text in a report: markup of HTML and Markdown, escapes, a megabyte a word."""

import json
import re
from html.parser import HTMLParser
from typing import Any

import pytest

from analysis.model.record import SessionRecord
from analysis.pipeline.record import figures
from analysis.report.building import Subject, report_of
from analysis.report.document import Report, Shown
from analysis.report.redaction import Rules, redacted
from app.reporting import written
from tests.planted import Planter
from tests.sample_store import analysed_samples

EVIL = {
    "script": "<script>alert(1)</script>",
    "closing tags": "</style></script></title></svg></textarea><script>alert(1)</script>",
    "handler": "\"><img src=x onerror='alert(1)'>",
    "attribute": "' onmouseover=alert(1) x='",
    "comment": "--><!-- ]]> <![CDATA[",
    "entity": "&lt;script&gt;&#60;b&#62;",
    "template": "{{7*7}} ${7*7} {% raw %}",
    "link": "[x](javascript:alert(1)) ![y](http://host.example/z.png) <http://host.example>",
    "bare address": "http://host.example/a www.host.example //host.example",
    "fence": "```\n# heading\n```js\nalert(1)\n~~~",
    "backticks": "`a` ``b`` ```c``` `",
    "table": "a | b \\| c\n| --- | --- |",
    "mention": "@everyone #1 GH-1 owner/repo#2",
    "ansi": "\x1b]0;owned\x07\x1b[2J\x9b31m",
    "bidi": "\u202egnp.exe\u2066\u2069\u200f",
    "NUL": "a\x00b\x7f\ufeff\u200b",
    "line ends": "a\r\nb\u2028c\u2029d\x0be\x85f",
    "long": "w" * 1_000_000,
    "quotes": "“ ” \" ' ‹ › « »",
}
TAGS = {
    "html", "head", "meta", "title", "style", "body", "a", "svg", "defs", "pattern", "rect", "path", "text", "div",
    "header", "h1", "h2", "h3", "h4", "h5", "p", "main", "nav", "section", "dl", "dt", "dd", "ul", "ol", "li", "span",
    "bdi", "figure", "figcaption", "table", "caption", "thead", "tbody", "tr", "th", "td", "article", "i", "br",
    "footer", "script",
}  # fmt: skip
INVISIBLE = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff]")


class Injector(Planter):
    """Plants one and the same text everywhere."""

    def __init__(self, text: str) -> None:
        super().__init__(0)
        self.text = text

    def secret(self) -> str:
        return self.text


class Tags(HTMLParser):
    """The tags of a page with their attributes, and the scripts as they stand."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))


def injected(text: str, scope: Any = "nothing") -> Report[Shown]:
    records: list[SessionRecord] = [
        Injector(text).in_record(record) for start in ("05", "06") for record in _records(start)
    ]
    subjects = [Subject(record, figures(record), dict(_ids(record))) for record in records]
    report = report_of(subjects, lambda _model, ids: {one: text.encode()[:80] for one in ids}, "0", [])
    return redacted(report, Rules(scope), b"key")[0]


def _records(start: str) -> tuple[SessionRecord, ...]:
    return next(one.records for name, one in analysed_samples().items() if name.startswith(start))


def _ids(record: SessionRecord) -> Any:
    return ((turn.turn, ids) for turn, ids in zip(record.turns, record.full_ids, strict=True))


@pytest.mark.parametrize("scope", ["nothing", "secrets", "everything"])
@pytest.mark.parametrize("text", EVIL.values(), ids=EVIL)
def test_a_page_has_no_markup_but_its_own(text: str, scope: str) -> None:
    page = written(injected(text, scope), ".html")
    found = Tags(page).tags
    assert {tag for tag, _attributes in found} <= TAGS
    assert [tag for tag, _attributes in found].count("script") == page.count("<script") == 1
    for tag, attributes in found:
        assert not [name for name in attributes if name.startswith("on") or name in ("src", "style", "srcdoc")], tag
        assert (attributes.get("href") or "#").startswith("#")
    assert not INVISIBLE.search(page) and len(page) < 1_500_000


@pytest.mark.parametrize("scope", ["nothing", "secrets", "everything"])
@pytest.mark.parametrize("text", EVIL.values(), ids=EVIL)
def test_markdown_has_no_markup_but_its_own(text: str, scope: str) -> None:
    said = written(injected(text, scope), ".md")
    assert not INVISIBLE.search(said) and len(said) < 1_500_000
    outside = [without_code(line) for line in without_map(said).split("\n")]
    for line in outside:
        bare = re.sub(r"\\[\\`*_{}\[\]<>#|~!&@$]", "", line)
        assert not re.search(r"[<>`~\[\]@&$]|https?:|www\.|javascript", bare.removeprefix(">")), line
        assert not re.search(r"#", bare.lstrip("#")) or bare.startswith("#"), line


@pytest.mark.parametrize("text", EVIL.values(), ids=EVIL)
def test_json_is_json(text: str) -> None:
    values = json.loads(written(injected(text), ".json"))
    assert values["sessions"][0]["turns"] and len(json.dumps(values)) < 3_000_000


def without_code(line: str) -> str:
    """A line of Markdown without its code spans, as CommonMark pairs their fences."""
    found = re.search(r"(?<!`)(?<!\\)(`+)(?!`)", line)
    if found is None:
        return line
    end = re.search(rf"(?<!`){found[1]}(?!`)", line[found.end() :])
    assert end is not None, f"a fence stays open: {line[:200]}"
    return line[: found.start()] + without_code(line[found.end() + end.end() :])


def without_map(said: str) -> str:
    """The text without the maps, whose lines are numbers and signs alone."""
    for block in re.findall(r"```text\n(.*?)\n```", said, re.DOTALL):
        assert re.fullmatch(r"[ \d█◆▒·▪✖▓\n]*", block)
    return re.sub(r"```text\n.*?\n```", "", said, flags=re.DOTALL)
