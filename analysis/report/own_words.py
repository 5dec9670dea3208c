"""Which words are ours: a sentence of a finding is only trusted as far as it is made of them.

What a cause quotes from a log stands in quotes; this is the second wall behind that.  A word that none of our
sentences has, or a number too long to be a count, came from somewhere else.
"""

import importlib
import pkgutil
import re
from collections.abc import Iterable, Iterator
from functools import cache
from types import CodeType, FunctionType

from analysis import causes
from analysis.report.words import IN_WORDS

_WORD = re.compile(r"\w+")
_COUNT = re.compile(r"\d{1,4}")  # longer counts have thousands separators
_GROUPS = re.compile(r"\d+(?:[ ./-]\d+){2,}")  # a number of a phone, an account or a card is written in such
_PLAIN = re.compile(r"[\w\s\-.,;:!?'’\"“”()\[\]{}=<>|/+*%…·–→_]*")


def is_ours(text: str) -> bool:
    """Whether a text has nothing but words of our sentences, counts and plain punctuation."""
    words = own_words()
    if _GROUPS.search(text) or not _PLAIN.fullmatch(text):
        return False
    return all(word in words or _COUNT.fullmatch(word) for word in _WORD.findall(text))


@cache
def own_words() -> frozenset[str]:
    """Every word that the causes, their fixes and their names are written with."""
    modules = [
        importlib.import_module(f"{causes.__name__}.{one.name}") for one in pkgutil.iter_modules(causes.__path__)
    ]
    said = [text for module in (causes, *modules) for value in vars(module).values() for text in _texts(value)]
    return frozenset(word for text in (*said, *IN_WORDS) for word in _WORD.findall(text))


def _texts(value: object) -> Iterator[str]:
    """The texts that a module's value holds: itself, what is in it, or the constants of a function."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, bool):
        yield str(value).lower()
    elif isinstance(value, dict):
        yield from _all([*value, *value.values()])
    elif isinstance(value, list | tuple | frozenset):
        yield from _all(value)
    elif isinstance(value, FunctionType):
        yield from _texts(value.__code__)
    elif isinstance(value, CodeType):
        yield from _all(value.co_consts)
    elif isinstance(value, type) and value.__module__.startswith(causes.__name__):
        yield from _all(tuple(vars(value).values()))


def _all(values: Iterable[object]) -> Iterator[str]:
    return (text for value in values for text in _texts(value))
