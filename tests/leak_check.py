"""Looks for secrets in a file as somebody would who wants them: read, decoded, joined, reversed, as ids, as digests.

Pieces of a secret count: any 2 * WINDOW letters and digits of it in a row are found.
"""

import base64
import hashlib
import html
import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import cache
from urllib.parse import unquote

from tokenizers import Tokenizer

from tests.builders import SAMPLE_MODEL
from tests.generated_secrets import Secret

WINDOW = 8  # letters and digits in a row that are no accident
CODE = 12  # of an encoding
IDS = 5  # token ids in a row, of text in a script that has tokens of its own
ID_LETTERS = 10  # that a row of ids stands for at the least
LEAST_ID = 64  # one of them, or they may be figures of a report: digits and signs have smaller ones
DIGESTS = ("sha256", "md5", "sha1", "blake2b", "blake2s", "sha512")
_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|U([0-9a-fA-F]{8})|([nrt])|(.))")
_PAIR = re.compile("[\ud800-\udbff][\udc00-\udfff]")
_NUMBER = re.compile("[0-9a-f]+")  # a run of eight of these may be figures of a report
_TAG = re.compile(r"<[^<>]{0,200}>")


class Sought:
    """Secrets with all the forms in which they could stand in a file."""

    def __init__(self, secrets: Sequence[Secret]) -> None:
        self.squeezed, self.numbers, self.encoded = _Windows(WINDOW), _Windows(CODE), _Windows(CODE)
        self.ids: dict[int, dict[tuple[int, ...], str]] = defaultdict(dict)
        self.words = {one.core: one.core for one in secrets if one.whole and " " not in one.core}
        self.phrases = {squeezed(one.core): one.core for one in secrets if one.whole and " " in one.core}
        for one in secrets:
            if not one.whole:
                self._add(one.core)

    def _add(self, core: str) -> None:
        for text in (squeezed(core), squeezed(core)[::-1]):
            (self.numbers if _NUMBER.fullmatch(text) else self.squeezed).add(text, core)
        for form in encodings(core):
            self.encoded.add(form, core)
        for ids in token_ids(core):
            length = max(IDS, -(-ID_LETTERS * len(ids) // len(core)))
            self.ids[length] |= {run: core for run in _runs(ids, length) if max(run) >= LEAST_ID}

    def found_in(self, written: str) -> set[str]:
        """The cores of the secrets of which something stands in a file."""
        whole = decoded(written)
        said = re.findall(r"\w+", whole.casefold())
        found = {self.words[word] for word in said if word in self.words}
        for text in {whole, _TAG.sub("", whole)}:
            bare = squeezed(text)
            found |= self.squeezed.found_in(bare) | self.numbers.found_in(bare)
            found |= {core for phrase, core in self.phrases.items() if phrase in bare}
        for text in {written, written.casefold(), re.sub(r"\s+", "", written)}:
            found |= self.encoded.found_in(text)
        numbers = [int(number) for number in re.findall(r"\d{1,9}", written)]
        for length, known in self.ids.items():
            found |= {known[run] for run in _runs(numbers, length) if run in known}
        return found


class _Windows:
    """Pieces of a fixed length of many texts, and whose they are; a shorter text is its own piece."""

    def __init__(self, length: int) -> None:
        self.length = length
        self.pieces: dict[int, dict[str, str]] = defaultdict(dict)

    def add(self, text: str, core: str) -> None:
        if len(text) <= self.length:
            self.pieces[len(text)][text] = core
        for start in range(0, len(text) - self.length + 1, self.length):
            self.pieces[self.length][text[start : start + self.length]] = core

    def found_in(self, text: str) -> set[str]:
        found = set()
        for length, pieces in self.pieces.items():
            runs = {text[at : at + length] for at in range(len(text) - length + 1)}
            found |= {pieces[run] for run in runs & pieces.keys()}
        return found


def token_ids(core: str) -> Iterator[Sequence[int]]:
    """The ids of a text as bytes and as tokens, at the start of a word and within one; without those at its ends."""
    yield list(core.encode())
    for text in (core, f" {core}"):
        yield _tokenizer().encode(text, add_special_tokens=False).ids[1:-1]


def _runs(ids: Sequence[int], length: int) -> Iterator[tuple[int, ...]]:
    return (tuple(ids[at : at + length]) for at in range(len(ids) - length + 1))


@cache
def _tokenizer() -> Tokenizer:
    return Tokenizer.from_file(str(SAMPLE_MODEL / "tokenizer.json"))


def squeezed(text: str) -> str:
    """Letters and digits alone, in one case and one form."""
    return re.sub(r"[\W_]+", "", unicodedata.normalize("NFKC", text.casefold()))


def decoded(written: str) -> str:
    """A file with its escapes of HTML, JSON and addresses undone, twice over."""
    text = written
    for _ in range(2):
        text = _PAIR.sub(_joined, _ESCAPE.sub(_unescaped, unquote(html.unescape(text))))
    return text


def _unescaped(found: re.Match[str]) -> str:
    code = found[1] or found[2] or found[3]
    if code:
        return chr(min(int(code, 16), 0x10FFFF))
    return " " if found[4] else found[5]


def _joined(pair: re.Match[str]) -> str:
    return pair[0].encode("utf-16", "surrogatepass").decode("utf-16")


def encodings(core: str) -> Iterator[str]:
    """A text as base64 in three alignments, as hexadecimal digits, and as digests."""
    forms = {core, core.casefold(), unicodedata.normalize("NFC", core), unicodedata.normalize("NFKC", core)}
    for raw in sorted(form.encode() for form in forms):
        for encode in (base64.b64encode, base64.urlsafe_b64encode):
            for shift in range(3):
                yield encode(b"\0" * shift + raw).decode()[4 if shift else 0 : -4]
        yield raw.hex()
        yield base64.b32encode(raw).decode().rstrip("=")[:-1]
        for name in DIGESTS:
            digest = hashlib.new(name, raw)
            yield digest.hexdigest()
            yield base64.b64encode(digest.digest()).decode().rstrip("=")[:-1]
