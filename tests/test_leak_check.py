"""The search for secrets finds them in every disguise, and nothing where there is nothing."""

import base64
import hashlib
import html
import json
import unicodedata
from collections.abc import Callable
from urllib.parse import quote

import pytest

from tests.generated_secrets import Secret, SecretMaker
from tests.leak_check import Sought, token_ids

CORE = "Jörg Zürquenblax-Wickfnord 77"
SECRET = Secret("name", CORE, CORE)
AROUND = "<p>Prompt tokens: 1,234 of 5,678 · message 3 (user)</p>{}<p>64 blocks of 16 tokens</p>"
DISGUISES: dict[str, Callable[[str], str]] = {
    "plain": str,
    "capitals": str.upper,
    "escaped for JSON": lambda text: json.dumps(text),
    "escaped for HTML": lambda text: html.escape("".join(f"&#{ord(char)};" for char in text)),
    "escaped for an address": quote,
    "escaped as in Python": lambda text: text.encode("unicode_escape").decode(),
    "decomposed": lambda text: unicodedata.normalize("NFD", text),
    "full width": lambda text: "".join(chr(ord(char) + 0xFEE0) if "!" <= char <= "~" else char for char in text),
    "soft breaks": lambda text: "\u00ad".join(text),
    "between tags": lambda text: "<wbr>".join(text),
    "cells of tokens": lambda text: "".join(f'<i data-x="1">{char}</i>\n' for char in text),
    "from behind": lambda text: text[::-1],
    "a piece": lambda text: text[2:-2],
    "base64": lambda text: base64.b64encode(text.encode()).decode(),
    "base64 behind a byte": lambda text: base64.b64encode(b"x" + text.encode()).decode(),
    "base64 behind two": lambda text: base64.b64encode(b"xy" + text.encode()).decode(),
    "hexadecimal": lambda text: text.encode().hex(),
    "capital hexadecimal": lambda text: text.encode().hex().upper(),
    "hexadecimal with blanks": lambda text: text.encode().hex(" "),
    "bytes": lambda text: str(list(text.encode())),
    "token ids": lambda text: str(list(token_ids(text))[1]),
    "token ids behind a blank": lambda text: "".join(f'<b title="{one}"></b>' for one in list(token_ids(text))[2]),
    **{
        name: lambda text, name=name: hashlib.new(name, text.encode()).hexdigest()[:16]
        for name in ("sha256", "md5", "blake2b")
    },
}


@pytest.mark.parametrize("disguise", DISGUISES.values(), ids=DISGUISES)
def test_a_secret_is_found(disguise: Callable[[str], str]) -> None:
    assert Sought([SECRET]).found_in(AROUND.format(disguise(CORE))) == {CORE}


def test_nothing_is_found_where_nothing_is() -> None:
    other = DISGUISES["plain"]("Jan Ott, 1 2 3 4 5 6 7 8 and Jörg")
    assert Sought([SECRET]).found_in(AROUND.format(other)) == set()


def test_words_near_to_ours_and_phrases_count_as_a_whole() -> None:
    secrets = [Secret("near word", "promqt", "promqt", whole=True), Secret("", "a blue gnu", "a blue gnu", whole=True)]
    assert Sought(secrets).found_in("the Promqt, A  BLUE\ngnu") == {"promqt", "a blue gnu"}
    assert Sought(secrets).found_in("the prompt, promqts, a blue one, a gnu") == set()


def test_every_secret_is_another_one_and_the_same_seed_makes_the_same() -> None:
    one, other = SecretMaker("x"), SecretMaker("x")
    made = [one.next() for _ in range(500)]
    assert made == [other.next() for _ in range(500)]
    assert len({secret.core for secret in made}) == 500 and all(secret.core in secret.text for secret in made)
