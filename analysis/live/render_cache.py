"""Renders that were made already, so that one analysis asks for none of them twice.

Bounded by tokens and not by entries: a long session's renders are thousands of times the size of a short one's.
"""

import hashlib
import json
from collections import OrderedDict

from analysis.live import bodies
from analysis.live.answers import Rendered
from analysis.model.session import Request

KEPT_TOKENS = 16_000_000  # 64 MB of ids, three times that where all of them have offsets

Key = tuple[bytes, bool]


class RenderCache:
    """The renders used last.  ``offsets`` tells a render that was asked for with offsets from one without."""

    def __init__(self, kept_tokens: int = KEPT_TOKENS) -> None:
        """Start empty."""
        self._kept_tokens = kept_tokens
        self._tokens = 0
        self._renders: OrderedDict[Key, Rendered] = OrderedDict()

    def find(self, digest: bytes, *, offsets: bool) -> Rendered | None:
        """Return a render of the request, None where there is none; one with offsets serves both wishes."""
        for key in ((digest, True), (digest, offsets)):
            if key in self._renders:
                self._renders.move_to_end(key)
                return self._renders[key]
        return None

    def keep(self, digest: bytes, rendered: Rendered, *, offsets: bool) -> None:
        """Remember a render, and forget those used longest ago where there are too many tokens."""
        key = (digest, offsets)
        if key not in self._renders:
            self._tokens += len(rendered.token_ids)
            self._renders[key] = rendered
        while self._tokens > self._kept_tokens:
            _, forgotten = self._renders.popitem(last=False)
            self._tokens -= len(forgotten.token_ids)


def digest_of(request: Request) -> bytes:
    """Return a digest of all that reaches the prompt.  The order of keys counts: templates print it."""
    if request.kind == "chat":
        body = bodies.chat(request, request.model)
    elif isinstance(request.prompt, str):
        body = bodies.completion(request, request.model)
    else:
        body = {"prompt": [] if request.prompt is None else request.prompt.tolist()}
    return hashlib.sha256(json.dumps([request.kind, body], default=dict).encode()).digest()
