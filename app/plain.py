"""Untrusted text where Streamlit expects Markdown: shown as it is, nothing of it is formatted, linked or loaded."""

import re

# Bare addresses are linked after the escapes are gone, so escapes do not help: a word joiner, which is not seen, does.
_ADDRESS = re.compile(r"(?<=http:)(?=//)|(?<=https:)(?=//)|(?<=www)(?=\.)|(?=@)", re.IGNORECASE)
WORD_JOINER = "\u2060"
MOST_CHARS = 4000  # of a text in one place of a page: browsers hang on a megabyte of a name
_PUNCTUATION = re.compile(r"([!-/:-@\[-`{-~])")


def plain(text: str) -> str:
    """The text with every ASCII punctuation mark escaped and no address in one piece; line breaks become spaces.

    What is longer than a page can hold in one place is cut, with an ellipsis.
    """
    text = text if len(text) <= MOST_CHARS else f"{text[:MOST_CHARS]}…"
    return _PUNCTUATION.sub(r"\\\1", _ADDRESS.sub(WORD_JOINER, " ".join(text.split())))
