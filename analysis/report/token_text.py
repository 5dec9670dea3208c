"""Untrusted text with everything invisible made visible: tokens, and values out of a log.

Whitespace of tokens is visible, control characters and bytes that are not UTF-8 stand as escapes, half a character as
its bytes.  Does not escape for HTML or Markdown: that is for who writes them.
"""

import re

VISIBLE = {" ": "·", "\n": "↵", "\t": "→", "\r": "␍"}
_BLANKS = str.maketrans({sign: blank for blank, sign in VISIBLE.items()})
_ESCAPE = re.compile(rb"\\(?:x([0-9a-f]{2})|u([0-9a-f]{4})|U([0-9a-f]{8}))")
# Printable to Python and blank on a screen: fillers, joiners, variation selectors.  Texts are hidden in these.
BLANK = re.compile("[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]")


def shown(piece: bytes) -> str:
    """The text of a token with everything invisible made visible; not yet escaped for HTML."""
    try:
        text = piece.decode("utf-8")
    except UnicodeDecodeError:
        return "".join(f"\\x{byte:02x}" if byte >= 0x80 else _visible(chr(byte)) for byte in piece)
    return "".join(map(_visible, text))


def as_bytes(piece: str) -> bytes:
    """The bytes of a token out of its text as ``shown``; what only looks like an escape is taken for one."""
    plain = piece.translate(_BLANKS).encode("utf-8", "surrogatepass")
    return _ESCAPE.sub(lambda found: bytes([int(found[1], 16)]) if found[1] else _char(found[2] or found[3]), plain)


def _char(code: bytes) -> bytes:
    number = int(code, 16)
    return chr(number).encode("utf-8", "surrogatepass") if number <= 0x10FFFF else code


def visible(text: str) -> str:
    """A text on one line with blanks as they are and everything else that is invisible made visible."""
    return "".join(char if char == " " else _visible(char) for char in text)


def _visible(char: str) -> str:
    if char in VISIBLE:
        return VISIBLE[char]
    plain = char.isprintable() and not BLANK.match(char)
    return char if plain else char.encode("unicode_escape").decode()
