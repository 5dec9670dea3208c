"""Renderers by model: kept, replaced, forgotten."""

from collections.abc import Iterator

import duckdb
import pytest

from analysis.model.renderer import RendererChoice
from analysis.store.renderer_choices import drop_choice, read_choices, write_choice
from analysis.store.schema import migrate

FOLDER = RendererChoice("acme/a", "folder", "/models/a")


@pytest.fixture
def connection() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect(":memory:") as connection:
        migrate(connection)
        yield connection


def test_the_latest_choice_of_a_model_is_kept(connection: duckdb.DuckDBPyConnection) -> None:
    assert read_choices(connection) == {}
    endpoint = RendererChoice("acme/a", "endpoint", "http://localhost:8000")
    other = RendererChoice("a'; DROP TABLE renderers --", "hub", "acme/b")
    for choice in (FOLDER, other, endpoint):
        write_choice(connection, choice)
    assert read_choices(connection) == {other.model: other, "acme/a": endpoint}
    drop_choice(connection, "acme/a")
    drop_choice(connection, "no such model")
    assert list(read_choices(connection)) == [other.model]
