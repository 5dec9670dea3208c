"""Secrets planted into every text of a record, and marks around them that break out of quotes."""

import random
from dataclasses import fields, is_dataclass, replace
from typing import Any

from tests.generated_secrets import SecretMaker

OF_A_RECORD = {"confidence", "state", "cached_basis", "fidelity", "generated_basis", "segment_basis", "settings"}
AROUND = ("{}", "{}", "“{}”", "”{}“ now, “", "`{}`", "<b>{}</b>", "‹{}›", "{}\n{}")


def marked(text: str, chance: random.Random) -> str:
    """A text with marks around it, of those that sentences and reports set quotes apart with."""
    return chance.choice(AROUND).replace("{}", text)


class Planter:
    """Plants secrets, each another one."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)
        self.maker = SecretMaker(str(seed))

    def secret(self) -> str:
        return marked(self.maker.next().text, self.chance)

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
