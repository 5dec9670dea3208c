"""Every picture, table and frame of the dashboard has a name for who cannot see it."""

import ast

from tests.builders import ROOT

NAMED = {"plotly_chart", "dataframe", "data_editor", "iframe", "image"}


def test_every_picture_and_table_has_a_name() -> None:
    calls = [
        (path.name, node.lineno, {keyword.arg for keyword in node.keywords})
        for folder in ("app", "pages")
        for path in sorted((ROOT / folder).glob("*.py"))
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in NAMED
    ]
    assert len(calls) > 15, "they are found"
    assert [(name, line) for name, line, given in calls if not given & {"alt", "caption"}] == []
