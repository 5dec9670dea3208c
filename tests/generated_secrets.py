"""Secrets and names of many kinds, each another one: what a log may hold and a redacted report must not."""

import base64
import hashlib
import random
import string
import unicodedata
import uuid
from collections.abc import Callable
from dataclasses import dataclass

from analysis.report.own_words import own_words

SCRIPTS = {  # letters that names are made of, by script
    "Latin": "bdfgklmnprstvzäöüßñçåø",
    "Cyrillic": "абвгдежзийклмнопрстуфхцчшщыэюя",
    "Greek": "αβγδεζηθικλμνξοπρστυφχψω",
    "Arabic": "ابتثجحخدذرزسشصضطظعغفقكلمنهوي",
    "Hebrew": "אבגדהוזחטיכלמנסעפצקרשת",
    "Devanagari": "अआइईउऊएऐओऔकखगघचछजझटठडढणतथदधन",
    "Han": "王李张刘陈杨赵黄周吴徐孙胡朱高林何郭马罗梁宋郑谢韩唐冯于董萧程曹袁邓许傅沈曾彭吕",
    "Hangul": "김이박최정강조윤장임한오서신권황안송류전홍고문양손배백허유남심노하곽성차주우구",
    "Kana": "あいうえおかきくけこさしすせそたちつてとなにぬねのはひふへほまみむめもやゆよ",
}
WORDS = (
    "giraffe",
    "marzipan",
    "trombone",
    "lighthouse",
    "cinnamon",
    "pelican",
    "orchid",
    "walrus",
    "saffron",
    "gondola",
)


@dataclass(frozen=True, slots=True)
class Secret:
    """A text to plant and the ``core`` of it that nobody else writes.

    ``by_form``: whoever looks for credentials and addresses by their form finds it.  ``whole``: pieces of the core
    stand in other texts too, so that only all of it counts.
    """

    kind: str
    text: str
    core: str
    by_form: bool = False
    whole: bool = False


class SecretMaker:
    """Makes one secret after another, of every kind in turn; the same seed makes the same ones."""

    def __init__(self, seed: str) -> None:
        self.chance = random.Random(seed)
        self.made: list[Secret] = []
        self.cores: set[str] = set()

    def next(self) -> Secret:
        """A secret that was not made before."""
        kinds = list(KINDS)
        kind = kinds[len(self.made) % len(kinds)]
        while True:
            secret = KINDS[kind](self)
            if secret.core not in self.cores:
                break
        self.cores.add(secret.core)
        self.made.append(secret)
        return secret

    def word(self, syllables: int = 8) -> str:
        """A word that is in no language."""
        return "".join(self.letters("bdfghjklmnprstvwxz", 1) + self.letters("aeiouy", 1) for _ in range(syllables))

    def letters(self, alphabet: str, length: int) -> str:
        return "".join(self.chance.choices(alphabet, k=length))


BASE62 = string.ascii_letters + string.digits
HEX = "0123456789abcdef"


def _prefixed(kind: str, prefix: str, alphabet: str, length: int) -> Callable[[SecretMaker], Secret]:
    """Keys of a service: its prefix, then letters by chance."""

    def make(maker: SecretMaker) -> Secret:
        core = maker.letters(alphabet, length)
        return Secret(kind, prefix + core, core, by_form=True)

    return make


def _worded(kind: str, form: str, by_form: bool = False) -> Callable[[SecretMaker], Secret]:
    """A form with a word of no language in it."""

    def make(maker: SecretMaker) -> Secret:
        core = maker.word()
        return Secret(kind, form.replace("WORD", core), core, by_form=by_form)

    return make


def _digits(kind: str, form: str) -> Callable[[SecretMaker], Secret]:
    """A number in groups, each ``#`` a digit."""

    def make(maker: SecretMaker) -> Secret:
        number = "".join(maker.letters(string.digits, 1) if sign == "#" else sign for sign in form)
        return Secret(kind, number, number[form.index("#") :])

    return make


def _named(script: str) -> Callable[[SecretMaker], Secret]:
    """A name of a person: two words in one script."""

    def make(maker: SecretMaker) -> Secret:
        first, last = (maker.letters(SCRIPTS[script], length).capitalize() for length in (5, 7))
        return Secret(f"name, {script}", f"{first} {last}", f"{first} {last}")

    return make


def _jwt(maker: SecretMaker) -> Secret:
    core = maker.letters(BASE62, 43)
    return Secret("JWT", f"eyJhbGciOiJIUzI1NiJ9.{maker.letters(BASE62, 20)}.{core}", core, by_form=True)


def _private_key(maker: SecretMaker) -> Secret:
    core = maker.letters(BASE62, 64)
    text = f"-----BEGIN RSA PRIVATE KEY-----\n{core}\n-----END RSA PRIVATE KEY-----"
    return Secret("private key", text, core, by_form=True)


def _uuid(maker: SecretMaker) -> Secret:
    core = str(uuid.UUID(int=maker.chance.getrandbits(128), version=4))
    return Secret("UUID", core, core)


def _digest(maker: SecretMaker) -> Secret:
    core = hashlib.sha256(maker.word().encode()).hexdigest()
    return Secret("digest", core, core, by_form=True)


def _decomposed(maker: SecretMaker) -> Secret:
    core = unicodedata.normalize("NFD", maker.letters("éèüöñçåãîõžščřěůťď", 14))
    return Secret("decomposed", core, core)


def _full_width(maker: SecretMaker) -> Secret:
    core = "".join(chr(ord(letter) + 0xFEE0) for letter in maker.word())
    return Secret("full width", core, core)


def _blob(maker: SecretMaker) -> Secret:
    core = base64.b64encode(maker.letters(BASE62, 30).encode()).decode()
    return Secret("blob", f"data:image/png;base64,{core}", core)


def _near_word(maker: SecretMaker) -> Secret:
    """A word of ours with one letter changed."""
    ours = sorted(word for word in own_words() if word.isalpha() and word.islower() and len(word) > 6)
    while True:
        word = maker.chance.choice(ours)
        at = maker.chance.randrange(len(word))
        core = word[:at] + maker.letters("qxzwjvk", 1) + word[at + 1 :]
        if core not in own_words():
            return Secret("near word", core, core, whole=True)


def _free_words(maker: SecretMaker) -> Secret:
    core = " ".join(maker.chance.sample(WORDS, 3))
    return Secret("free words", core, core, whole=True)


KINDS: dict[str, Callable[[SecretMaker], Secret]] = {
    "API key": _prefixed("API key", "sk-proj-", BASE62, 32),
    "token of a forge": _prefixed("token of a forge", "ghp_", BASE62, 36),
    "AWS key": _prefixed("AWS key", "AKIA", string.ascii_uppercase + string.digits, 16),
    "Google key": _prefixed("Google key", "AIza", BASE62, 35),
    "Slack token": _prefixed("Slack token", "xoxb-", BASE62, 24),
    "hub token": _prefixed("hub token", "hf_", BASE62, 34),
    "bearer": _prefixed("bearer", "Authorization: Bearer ", BASE62, 30),
    "JWT": _jwt,
    "private key": _private_key,
    "digest": _digest,
    "UUID": _uuid,
    "password": _worded("password", "password=WORD", by_form=True),
    "e-mail": _worded("e-mail", "WORD@mail.example", by_form=True),
    "credentials in an address": _worded("credentials in an address", "https://user:WORD@db.example/x", by_form=True),
    "host": _worded("host", "db-7.WORD.internal"),
    "path": _worded("path", "/home/WORD/.ssh/id_ed25519"),
    "Windows path": _worded("Windows path", "C:\\Users\\WORD\\Documents"),
    "made word": _worded("made word", "WORD"),
    "phone": _digits("phone", "+49 30 #### #### #### ####"),
    "IBAN": _digits("IBAN", "DE## #### #### #### #### ##"),
    "account": _digits("account", "account ############"),
    "card": _digits("card", "#### #### #### ####"),
    "blob": _blob,
    "decomposed": _decomposed,
    "full width": _full_width,
    "near word": _near_word,
    "free words": _free_words,
    **{f"name, {script}": _named(script) for script in SCRIPTS},
}
