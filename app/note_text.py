"""What people write, on its way to the screen: Markdown of notes, and names.

Markdown is formatted, but it loads nothing: an image is shown as a link.  Characters that are not seen, or that turn
the order of others around, stand as escapes everywhere.
"""

import re
from datetime import UTC, datetime

import streamlit as st

from app.plain import WORD_JOINER, plain

MOST_CHARACTERS = 20_000  # of a note: it is read beside the map
MOST_QUOTED = 120  # characters of a log beside a note
MOST_IN_A_LINE = 200  # characters of a name or a title

# Control characters but for the line break and the tab, marks of writing direction, separators of lines, fillers.
_UNSEEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b\u200e\u200f\u2028-\u202e"
    "\u2060-\u206f\u3164\ufeff\uffa0\U000e0000-\U000e01ef]"
)
_IMAGE = re.compile(r"!(?=\[)")


def written(text: str, key: str) -> None:
    """Show the Markdown of a person; the key is that of the text on the page."""
    with st.container(key=f"written_{key}"):
        st.markdown(as_markdown(text))


def as_markdown(text: str) -> str:
    """The Markdown of a note without what would be fetched from another host."""
    return _IMAGE.sub(f"!{WORD_JOINER}", visible(text.replace("\r\n", "\n")))


def as_line(text: str) -> str:
    """A name or a title as it is, on one line, where Markdown is expected."""
    return plain(visible(text))


def visible(text: str) -> str:
    """The text with every character that is not seen as an escape."""
    return _UNSEEN.sub(lambda found: found[0].encode("unicode_escape").decode(), text)


def excerpt(piece: bytes) -> str:
    """The beginning of a text of a log on one line."""
    text = visible(piece.decode("utf-8", "replace").replace("\n", "↵").replace("\t", "→"))
    return text if len(text) <= MOST_QUOTED else f"{text[:MOST_QUOTED]}…"


def day(at: float) -> str:
    """A time in seconds since the epoch as a person reads it."""
    return f"{datetime.fromtimestamp(at, UTC):%Y-%m-%d %H:%M} UTC"
