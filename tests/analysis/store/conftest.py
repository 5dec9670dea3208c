"""What the tests of the store share."""

from collections.abc import Iterator

import pytest

from analysis.store.repository import Repository


@pytest.fixture
def empty() -> Iterator[Repository]:
    repository = Repository.open(":memory:")
    yield repository
    repository.close()
