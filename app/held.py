"""The database that this process holds from its start on: no other process takes it before the first visitor comes.

Does not open one: ``whymiss serve`` does, and the pages ask for what it opened.
"""

from collections.abc import Iterator
from contextlib import contextmanager

from analysis.store.repository import Repository

_held: dict[str, Repository] = {}


@contextmanager
def holding(repository: Repository) -> Iterator[None]:
    """Hold a repository for the pages while the dashboard runs.

    It is not closed at the end: a page that is still being shown may be reading from it.
    """
    _held[repository.name] = repository
    try:
        yield
    finally:
        del _held[repository.name]


def held(name: str) -> Repository | None:
    """The repository that is held under the name of its file."""
    return _held.get(name)
