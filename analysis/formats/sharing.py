"""Messages and tools that are sent again with every request, kept once: a log costs memory for what is new in a turn.

Equal objects with their fields in the same order are one object.  Does not look at what they say, and does not spare
their decoding: formats that can tell raw bytes apart do that themselves.
"""

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass, field

from msgspec.json import encode

from analysis.model.session import JsonObject


@dataclass(slots=True)
class Sharing:
    """The objects of one log so far, by their fingerprint."""

    _known: dict[bytes, JsonObject] = field(default_factory=dict)

    def once(self, told: Iterable[JsonObject]) -> tuple[JsonObject, ...]:
        """The same objects, each as it was told first."""
        return tuple(self._known.setdefault(_fingerprint(one), one) for one in told)


def _fingerprint(told: JsonObject) -> bytes:
    return hashlib.blake2b(encode(told), digest_size=16).digest()
