"""What options make of what was given."""

from pathlib import Path

import pytest

from app.options import file_path
from tests.app.command_line import error_of
from tests.builders import SAMPLES


@pytest.mark.parametrize(
    "command",
    [
        ["analyze", ""],
        ["analyze", SAMPLES[0], " "],
        ["analyze", SAMPLES[0], "--json", ""],
        ["convert", SAMPLES[0], "-o", ""],
        ["restore", ""],
    ],
    ids=str,
)
def test_a_name_that_is_empty_is_not_the_current_folder(command: list[object]) -> None:
    assert "the name is empty: give a file, or leave it out (`whymiss " in error_of(*command)


def test_any_other_name_is_a_file() -> None:
    assert file_path(" a.jsonl") == Path(" a.jsonl") and file_path(Path("-")) == Path("-")
