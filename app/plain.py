"""Untrusted text where Streamlit expects Markdown: shown as it is, nothing of it is formatted, linked or loaded."""

import re

_PUNCTUATION = re.compile(r"([!-/:-@\[-`{-~])")


def plain(text: str) -> str:
    """The text with every ASCII punctuation mark escaped; line breaks become spaces."""
    return _PUNCTUATION.sub(r"\\\1", " ".join(text.split()))
