"""Another library's error in one line of ours."""

import pytest

from analysis.render.errors import first_line


@pytest.mark.parametrize(
    ("error", "line"),
    [
        pytest.param(ValueError("roles must\nalternate"), "roles must", id="the first line"),
        pytest.param(ValueError("\n\n  what\nnow"), "what", id="blank lines before it"),
        pytest.param(ValueError(), "ValueError", id="nothing to say"),
        pytest.param(ValueError("x" * 999), "x" * 200, id="shortened"),
    ],
)
def test_first_line(error: Exception, line: str) -> None:
    assert first_line(error) == line
