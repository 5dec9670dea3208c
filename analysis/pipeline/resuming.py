"""What an import need not find again: tokens of one that was interrupted, and of a log that has grown since.

Does not say what changed in a log; that the beginning is the same is known by its fingerprint.
"""

import json

from analysis.pipeline.checkpoint import Checkpoint, checkpoint
from analysis.pipeline.known_tokens import KnownTokens
from analysis.pipeline.sources import Source
from analysis.pipeline.tokens import TokensOf, rendered_tokens
from analysis.store.repository import Repository

LARGE_IMPORT = 16 << 20  # bytes: what is smaller is analysed again sooner than it takes to notice


def known_before(source: Source, how: str, repository: Repository) -> TokensOf:
    """What finds the tokens of a source: of a file that has grown, those stored of its beginning are taken over.

    ``how`` says how it is read: what was read otherwise is of no use.
    """
    for key, sha256, num_bytes in reversed(repository.sizes(source.name)):
        if has_grown(source, sha256, num_bytes) and repository.find(sha256, how) == key:
            return KnownTokens(repository.tokens(key)).tokens_of
    return rendered_tokens


def has_grown(source: Source, sha256: str, num_bytes: int) -> bool:
    """Whether the one file of a source begins with these bytes."""
    return len(source.files) == 1 and source.files[0].sha256(num_bytes) == sha256


def begun(source: Source, how: str, stamp: str, repository: Repository) -> Checkpoint | None:
    """The checkpoint of an import, begun or continued; None where it is small or cannot be written.

    ``stamp`` changes with the files that render.
    """
    if source.num_bytes < LARGE_IMPORT or repository.unfinished is None:
        return None
    what = json.dumps([source.name, source.sha256, how, stamp])
    try:
        return checkpoint(repository.unfinished, what, known_before(source, how, repository))
    except OSError:  # a folder that cannot be written: the import works without
        return None
