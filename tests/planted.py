"""Secrets planted into every text of a log or of a record, and the forms in which one could leave again."""

import base64
import html
import json
import random
from collections.abc import Collection, Iterator, Mapping
from dataclasses import fields, is_dataclass, replace
from typing import Any
from urllib.parse import quote

import numpy as np

from analysis.model.session import Usage

# What a log is recognised and read by, and what a record holds of ours.
OF_THE_FORMAT = {
    "role", "type", "object", "call_type", "finish_reason", "stop_reason", "method", "url", "path", "trajectory_format",
    "ts_start", "ts_end", "startTime", "endTime", "completionStartTime", "timestamp", "from", "message_type", "query",
}  # fmt: skip
NAMES = {"custom_id", "session_id", "id", "previous_response_id", "model", "tool_call_id"}  # stay what they are
OF_A_RECORD = {"confidence", "state", "cached_basis", "fidelity", "generated_basis", "segment_basis", "settings"}
OF_A_SESSION = {"kind", "log_format"}
IDS_OF_A_SESSION = ("prompt_ids", "output_ids", "media")
SYLLABLES = ("zor", "quen", "blax", "wick", "vemp", "dral", "yost", "kib", "fnord", "plu", "ghaz", "mrek")


class Planter:
    """Makes secrets, each another one: names of people, keys, passwords with marks that break out of quotes.

    ``without`` are fields of a log that are left out.
    """

    def __init__(self, seed: int, without: Collection[str] = ()) -> None:
        self.without = without
        self.chance = random.Random(seed)
        self.secrets: list[str] = []
        self.known: dict[str, str] = {}

    def secret(self) -> str:
        word = "".join(self.chance.choices(SYLLABLES, k=4)) + f"{len(self.secrets):x}q"
        forms = (
            word.capitalize(), f"sk-{word}", f"{word}@{word}.example", f"“{word}”", f"”{word}“ now, “", f"`{word}`",
            f"{word[:9]}\n{word}", f"<b>{word}</b>", f"48{self.chance.randrange(10**9, 10**10)}{word}",
        )  # fmt: skip
        self.secrets.append(word)
        return self.chance.choice(forms)

    def planted(self, value: Any, key: str = "") -> Any:
        """A JSON value with a secret in every text; the same text has the same one, but for one in four."""
        if isinstance(value, dict):
            return {name: self.planted(one, name) for name, one in value.items() if name not in self.without}
        if isinstance(value, list):
            return [self.planted(one, key) for one in value]
        if not isinstance(value, str) or key in OF_THE_FORMAT:
            return value
        if value[:1] in "{[" and (inner := _parsed(value)) is not None:
            return json.dumps(self.planted(inner))
        if value not in self.known or (key not in NAMES and self.chance.random() < 0.25):
            self.known[value] = f"{value} {self.secret()}"
        return self.known[value]

    def in_session(self, value: Any, name: str = "") -> Any:
        """A session as it was read, with a secret in every text of its requests and around them; nothing counted."""
        if isinstance(value, Usage):
            return Usage()
        if isinstance(value, Mapping):
            return {key: self.planted(one, key) for key, one in value.items()}
        if isinstance(value, str):
            return value if name in OF_A_SESSION else self.planted(value, name)
        if isinstance(value, tuple):
            return tuple(self.in_session(one, name) for one in value)
        if is_dataclass(value) and not isinstance(value, type):
            parts = {one.name: getattr(value, one.name) for one in fields(value) if one.name not in IDS_OF_A_SESSION}
            planted = {part: self.in_session(inner, part) for part, inner in parts.items()}
            return replace(value, **planted, **{part: None for part in IDS_OF_A_SESSION if hasattr(value, part)})
        return value

    def in_record(self, value: Any, name: str = "") -> Any:
        """A record with a secret in every text that is not one of a few words of ours."""
        if isinstance(value, str):
            return value if name in OF_A_RECORD else f"{value} {self.secret()} {value}"
        if isinstance(value, tuple):
            return tuple(self.in_record(one, name) for one in value)
        if is_dataclass(value) and not isinstance(value, type) and name not in OF_A_RECORD:
            parts = {one.name: getattr(value, one.name) for one in fields(value)}
            return replace(value, **{part: self.in_record(inner, part) for part, inner in parts.items()})
        return value


def lines(data: bytes, planter: Planter) -> bytes:
    """A log of JSON lines or of one JSON value, planted."""
    whole = _parsed(data.decode("utf-8"))
    if whole is not None:
        return json.dumps(planter.planted(whole), ensure_ascii=False).encode()
    records = [json.loads(line) for line in data.decode("utf-8").splitlines() if line.strip()]
    return b"".join(json.dumps(planter.planted(one), ensure_ascii=False).encode() + b"\n" for one in records)


def disguises(secret: str) -> Iterator[str]:
    """The forms in which a secret could stand in a file: as it is, escaped, encoded, as ids of a byte tokenizer."""
    raw = secret.encode()
    yield from (secret, secret.upper(), html.escape(secret), quote(secret), json.dumps(secret)[1:-1], raw.hex())
    for shift in range(3):
        encoded = base64.b64encode(b"\0" * shift + raw).decode()
        yield encoded[4 if shift else 0 : -4]
    ids = np.frombuffer(raw, np.uint8).tolist()
    yield from (", ".join(map(str, ids)), " ".join(map(str, ids)), ",".join(map(str, ids)))


def leaks(written: str, secrets: list[str]) -> list[str]:
    """The secrets of which something stands in a file."""
    return [secret for secret in secrets if any(form in written for form in disguises(secret))]


def _parsed(text: str) -> Any:
    try:
        found = json.loads(text)
    except ValueError:
        return None
    return found if isinstance(found, dict | list) else None
