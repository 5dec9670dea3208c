"""The renderers that a person chose by served model name: rows and choices.  No key is ever among them."""

import duckdb

from analysis.model.renderer import RendererChoice


def read_choices(cursor: duckdb.DuckDBPyConnection) -> dict[str, RendererChoice]:
    """All choices by model, in the order of their names."""
    rows = cursor.execute("SELECT model, kind, value FROM renderers ORDER BY model").fetchall()
    return {model: RendererChoice(model, kind, value) for model, kind, value in rows}


def write_choice(cursor: duckdb.DuckDBPyConnection, choice: RendererChoice) -> None:
    """Keep a choice in place of an earlier one for the same model."""
    row = [choice.model, choice.kind, choice.value]
    cursor.execute("INSERT OR REPLACE INTO renderers VALUES (?, ?, ?)", row)


def drop_choice(cursor: duckdb.DuckDBPyConnection, model: str) -> None:
    """Forget the choice for a model."""
    cursor.execute("DELETE FROM renderers WHERE model = ?", [model])
