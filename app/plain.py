"""Untrusted text where Streamlit expects Markdown: shown as it is, nothing of it is formatted, linked or loaded."""

import re

# Bare addresses are linked after the escapes are gone, so escapes do not help: a word joiner, which is not seen, does.
_ADDRESS = re.compile(r"(?<=http:)(?=//)|(?<=https:)(?=//)|(?<=www)(?=\.)|(?=@)", re.IGNORECASE)
WORD_JOINER = "\u2060"
LONGEST_TITLE = 60  # characters of a name that is a title: it may be the names of many files
LONGEST_BUTTON = 40  # characters of a name on a button
MOST_CHARS = 4000  # of a text in one place of a page: browsers hang on a megabyte of a name
_PUNCTUATION = re.compile(r"([!-/:-@\[-`{-~])")


def cut(text: str, most: int) -> str:
    """The text; of a longer one the first ``most`` characters and an ellipsis."""
    return text if len(text) <= most else f"{text[:most]}…"


def plain(text: str) -> str:
    """The text with every ASCII punctuation mark escaped and no address in one piece; line breaks become spaces.

    What is longer than a page can hold in one place is cut, with an ellipsis.
    """
    return _PUNCTUATION.sub(r"\\\1", _ADDRESS.sub(WORD_JOINER, " ".join(cut(text, MOST_CHARS).split())))
