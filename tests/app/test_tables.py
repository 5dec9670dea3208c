"""How high a table is: as its rows, up to what is left for it."""

import pytest

from app.tables import count, height


@pytest.mark.parametrize(
    ("rows", "most", "pixels"),
    [
        pytest.param(0, None, 38, id="a header alone"),
        pytest.param(4, None, 178, id="all rows"),
        pytest.param(4, 320, 178, id="all rows, with room left"),
        pytest.param(400, 320, 320, id="rows that scroll"),
    ],
)
def test_a_table_is_as_high_as_its_rows(rows: int, most: int | None, pixels: int) -> None:
    assert height(rows, most) == pixels


def test_a_count_is_printed_as_its_reader_writes_numbers() -> None:
    made = count("Turns", 70)
    assert (made["label"], made["width"], made["type_config"]["format"]) == ("Turns", 70, "localized")
