"""Untrusted text where Streamlit expects Markdown: shown as it is, nothing of it is formatted, linked or loaded."""

import re

# Bare addresses are linked after the escapes are gone, so escapes do not help: a word joiner, which is not seen, does.
_ADDRESS = re.compile(r"(?<=http:)(?=//)|(?<=https:)(?=//)|(?<=www)(?=\.)|(?=@)", re.IGNORECASE)
WORD_JOINER = "\u2060"
_PUNCTUATION = re.compile(r"([!-/:-@\[-`{-~])")


def plain(text: str) -> str:
    """The text with every ASCII punctuation mark escaped and no address in one piece; line breaks become spaces."""
    return _PUNCTUATION.sub(r"\\\1", _ADDRESS.sub(WORD_JOINER, " ".join(text.split())))
