"""Remedies in the browser name what is in the browser."""

import re
from pathlib import Path

import pytest

from analysis.formats import FormatError, detect
from app.browser_words import REMEDIES, in_browser
from tests.builders import ROOT

# The texts of analyses as they are in the code, lines of one text put together.
CODE = {
    path: re.sub(r'"\n\s*f?"', "", path.read_text("utf-8"))
    for path in (ROOT / "analysis").rglob("*.py")
    if "store" not in path.parts  # a database that cannot be opened is mended where the dashboard was started
}
OURS = re.compile(r"--(?:format|model|endpoint)\b")


def test_what_no_format_reads_leads_to_the_field_of_the_form() -> None:
    with pytest.raises(FormatError) as refused:
        detect(b"hello", "notes.txt")
    assert "no log that Whymiss reads. Choose its Format in Add logs, or write it" in in_browser(str(refused.value))


def test_other_texts_stay_as_they_are() -> None:
    said = "Start vLLM with --enable-prompt-tokens-details."
    assert in_browser(said) == said


@pytest.mark.parametrize(("option", "_place"), REMEDIES)
def test_every_remedy_is_one_that_an_analysis_says(option: str, _place: str) -> None:
    assert any(option in text for text in CODE.values())


@pytest.mark.parametrize("path", [path for path, text in CODE.items() if OURS.search(text)], ids=lambda path: path.stem)
def test_no_option_is_left_of_what_an_analysis_says(path: Path) -> None:
    assert not OURS.search(in_browser(CODE[path]))
