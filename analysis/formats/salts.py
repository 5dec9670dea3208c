"""What stands for a cache salt once a log is read: a keyed fingerprint, which compares within this process only.

The key is that of this process and of those that read files for it, so that a salt is the same one in all files of a
server.  It is asked for here, as ``salts.KEY``, since such a process is told it only after the formats were imported.
"""

import hashlib
import secrets
from collections.abc import Iterator
from contextlib import contextmanager

from analysis.model.session import Json

KEY: bytes | None = secrets.token_bytes(32)  # None: salts stay as they were sent


def fingerprint(salt: Json) -> str | None:
    """The fingerprint of a salt; None where there is none."""
    if not isinstance(salt, str) or not salt:
        return None
    return salt if KEY is None else hashlib.blake2b(salt.encode("utf-8", "replace"), key=KEY, digest_size=8).hexdigest()


@contextmanager
def as_sent() -> Iterator[None]:
    """Salts are read as they were sent: for a log that is written anew for its owner, and for nothing else."""
    global KEY
    before, KEY = KEY, None
    try:
        yield
    finally:
        KEY = before
