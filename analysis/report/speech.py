"""Sentences of findings taken apart: words of ours, and quotes of what a log says.

A cause puts every value of a log in quotes.  Words outside of them that are not ours all the same count as a quote.
"""

from analysis.causes.volatile_text import CLIENT_DATE, CLIENT_TIMESTAMP, REQUEST_NONCE
from analysis.core.quoting import split
from analysis.model.finding import Cause
from analysis.report.cleaning import field_of
from analysis.report.forms import forms
from analysis.report.own_words import is_ours
from analysis.report.quotes import Prose, Quote

VALUES = (CLIENT_TIMESTAMP, CLIENT_DATE, REQUEST_NONCE)
MOST_TEXT = 400  # characters of one quote
NAMED = {  # what the quotes in the evidence of a code name, by the beginning of the code
    "tools/": "tool",
    "key/lora": "model",
    "key/multimodal": "image",
    "capacity/": "request",
    "routing/": "replica",
    "disabled/": "model",
    "measurement/lineage": "name",
}


def quote(text: str, path: str) -> Quote:
    """A value of a field, or the beginning of a long one."""
    return Quote(_beginning(text), path, cut=len(text) > MOST_TEXT)


def name(text: str, path: str) -> Quote:
    """The name of something: a session, a model, a tool."""
    return Quote(_beginning(text), path, "name", cut=len(text) > MOST_TEXT or text.endswith("…"))


def _beginning(text: str) -> str:
    """A text, or as much of it as a report shows, with an ellipsis."""
    return text if len(text) <= MOST_TEXT else f"{text[: MOST_TEXT - 1]}…"


def spoken(sentence: str, path: str, code: str = "") -> Prose[Quote]:
    """A sentence of a finding; ``path`` is the field that its quotes belong to, ``code`` what it is about."""
    named = next((noun for start, noun in NAMED.items() if code.startswith(start)), None)
    parts: list[str | Quote] = []
    for words, said in split(sentence):
        if words:
            parts.append(words if is_ours(words) else Quote(words[:MOST_TEXT], path, cut=True))
        if said is not None:
            is_name = named is not None and not (named == "tool" and any(isinstance(part, Quote) for part in parts))
            parts.append(name(said, named) if named and (is_name or code != _ONE_TOOL) else _value(said, path))
    return tuple(parts)


def evidence_of(cause: Cause) -> Prose[Quote]:
    """The evidence of a cause; times, dates and values of one request carry the form of their class."""
    parts = spoken(cause.evidence, field_of(cause.segment) or "evidence", cause.code)
    values = [part for part in parts if isinstance(part, Quote)]
    if cause.code not in VALUES or len(values) != 2:
        return parts
    old, new = forms(cause.code, values[1].text, values[0].text)  # a sentence says what is now before what was
    formed = iter((_formed(values[0], new), _formed(values[1], old)))
    return tuple(next(formed) if isinstance(part, Quote) else part for part in parts)


_ONE_TOOL = "tools/description-changed"  # names a tool first, then what differs in it


def _value(said: str, path: str) -> Quote:
    return Quote(said[:MOST_TEXT], path, cut=True)


def _formed(value: Quote, form: str | None) -> Quote:
    return Quote(value.text, value.path, value.kind, form, value.num_tokens, value.cut)
