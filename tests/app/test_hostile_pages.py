"""The pages on logs, notes and cases whose every text would be markup if it were not escaped."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from markdown_it import MarkdownIt
from streamlit.testing.v1 import AppTest

from analysis.model.annotation import Anchor, CaseText
from analysis.pipeline.importing import store
from analysis.store.repository import Repository
from tests.app.dashboard import Open, no_exception
from tests.hostile import EVIL, Tags
from tests.planted_formats import SampleTokenizer
from tests.test_injection import hostile

FORMATS = ("openai-chat", "otlp", "claude-code", "har")
TEXTS = ("title", "header", "subheader", "markdown", "caption", "info", "success", "warning", "error")
LABELLED = ("metric", "button", "selectbox", "multiselect", "checkbox", "radio", "text_input", "tab", "expander")
MARKS = re.compile(r"host\.example|alert\(1\)|javascript|display:none|7\*7|owned")  # of the hostile texts
DIRECTIVE = re.compile(r"(?<!\\):(?:material/home|red|blue-background|streamlit)|(?<!\\)\$")
MOST = 20_000  # characters of a text on a page


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Hostile logs of several formats, each with a note, and a case of them."""
    path = tmp_path_factory.mktemp("hostile") / "hostile.duckdb"
    repository = Repository.open(path)
    for known in FORMATS:
        store(hostile(known), SampleTokenizer(), repository)
    everything = "".join(text for name, text in EVIL.items() if name not in ("long", "half a character"))
    for name, text in EVIL.items():
        if name != "half a character":
            key = repository.cases.create(text, CaseText(text, text, text, ""))
            repository.cases.take(key, 1)
    repository.annotations.add(1, Anchor("session"), everything, "words")
    repository.close()
    return path


def written(shown: AppTest) -> Iterator[str]:
    """Everything on a page that Streamlit reads as Markdown."""
    yield from (str(one.value) for kind in TEXTS for one in shown.get(kind))
    yield from (str(getattr(one, "label", "")) for kind in LABELLED for one in shown.get(kind))


def links(said: str) -> list[Any]:
    """What a text would link, load or run, where it holds something of a hostile text."""
    tokens = [one for block in MarkdownIt().parse(said) for one in (block, *(block.children or ()))]
    active = [one for one in tokens if one.type in ("link_open", "image", "html_inline", "html_block")]
    return [one for one in active if MARKS.search(f"{one.content} {one.attrs}")]


@pytest.mark.parametrize(
    ("page", "address"),
    [
        pytest.param("sessions", {}, id="sessions"),
        pytest.param("cases", {}, id="cases"),
        *(pytest.param("cases", {"case": str(key)}, id=f"case {key}") for key in (1, 8, 15)),
        *(pytest.param("session", {"session": str(key)}, id=f"session {key}") for key in (1, 6, 12)),
        pytest.param("models", {}, id="models"),
    ],
)
def test_a_page_shows_hostile_texts_as_text(visit: Open, database: Path, page: str, address: dict[str, str]) -> None:
    shown = no_exception(visit(page, database, **address))
    said = list(written(shown))
    assert not [one for text in said for one in links(text)]
    assert not [text[:200] for text in said if DIRECTIVE.search(text) and MARKS.search(text)]
    assert max(map(len, said)) < MOST
    for one in shown.get("html"):
        tags = Tags(str(one.proto.body)).tags
        assert not {tag for tag, _attributes in tags} & {"script", "img", "svg", "iframe", "link", "object", "base"}
        assert not [name for _tag, attributes in tags for name in attributes if name.startswith("on")]
