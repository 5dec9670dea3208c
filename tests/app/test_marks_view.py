"""What a form of marks asks for."""

import pytest

from analysis.model.desk import MarkChange
from app.marks_view import AS_IS, change


@pytest.mark.parametrize(
    ("status", "assignee", "added", "removed", "asked"),
    [
        pytest.param(AS_IS, None, [], [], MarkChange(), id="nothing"),
        pytest.param("fixed", None, [], [], MarkChange("fixed"), id="a status"),
        pytest.param(AS_IS, "", [], [], MarkChange(assignee=""), id="nobody any more"),
        pytest.param(AS_IS, " ada ", [], [], MarkChange(assignee="ada"), id="blanks around a name"),
        pytest.param(
            "new", None, [" eu", "  "], ["us"], MarkChange("new", added=("eu",), removed=("us",)), id="labels"
        ),
    ],
)
def test_a_form_changes_what_it_says_and_nothing_else(
    status: str, assignee: str | None, added: list[str], removed: list[str], asked: MarkChange
) -> None:
    assert change(status, assignee, added, removed) == asked
