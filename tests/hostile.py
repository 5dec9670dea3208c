"""Texts that would be markup, commands or a burden where nobody escapes them, and what a report makes of them."""

import json
import re
from html.parser import HTMLParser

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
    "half a character": "a\ud83db\udc00",
    "formula": "$x^2$ $$\\frac{1}{2}$$ \\(y\\)",
    "Streamlit": ":material/home: :red[danger] :blue-background[x] :streamlit:",
    "style": "<style>body{display:none}</style><link rel=stylesheet href=//host.example/x.css>",
    "drawing": "<svg onload=alert(1)><a href=javascript:alert(1)>",
    "other addresses": "mailto:a@b.example ftp://host.example file:///etc/passwd",
    "heading below": "a\n===\n---\n- b\n1. c\n    d",
}
TAGS = {
    "html", "head", "meta", "title", "style", "body", "a", "svg", "defs", "pattern", "rect", "path", "text", "div",
    "header", "h1", "h2", "h3", "h4", "h5", "p", "main", "nav", "section", "dl", "dt", "dd", "ul", "ol", "li", "span",
    "bdi", "figure", "figcaption", "table", "caption", "thead", "tbody", "tr", "th", "td", "article", "i", "br",
    "footer", "script",
}  # fmt: skip
MOST = 1_500_000  # characters of a report
INVISIBLE = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff]")


class Tags(HTMLParser):
    """The tags of a page with their attributes, and the scripts as they stand."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))


def assert_page(page: str) -> None:
    """A report as HTML has no tag, attribute, address or invisible character but its own."""
    found = Tags(page).tags
    assert {tag for tag, _attributes in found} <= TAGS
    assert [tag for tag, _attributes in found].count("script") == page.count("<script") == 1
    for tag, attributes in found:
        assert not [name for name in attributes if name.startswith("on") or name in ("src", "style", "srcdoc")], tag
        assert (attributes.get("href") or "#").startswith("#")
    _assert_written(page)


def assert_markdown(said: str) -> None:
    """A report as Markdown has no link, picture, tag or heading but its own outside of code."""
    for line in map(without_code, without_map(said).split("\n")):
        bare = re.sub(r"\\[\\`*_{}\[\]<>#|~!&@$]", "", line).removeprefix(">")
        assert not re.search(r"[<>`~\[\]@&$]|://|www\.|mailto:", bare), line
        assert not re.search(r"#", bare.lstrip("#")) or bare.startswith("#"), line
        assert not re.match(r"> {0,3}(?:[-+=]|\d+[.)])", line), f"a block of its own: {line}"
    _assert_written(said)


def assert_json(said: str) -> None:
    """A report as JSON is JSON."""
    assert json.loads(said)["sessions"][0]["turns"]
    _assert_written(said)


ASSERTIONS = {".html": assert_page, ".md": assert_markdown, ".json": assert_json}


def _assert_written(said: str) -> None:
    assert not INVISIBLE.search(said) and said.encode() and len(said) < MOST


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
