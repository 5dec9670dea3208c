"""What the tables of the dashboard have in common: how high one is, and columns of counts."""

from typing import Any

import streamlit as st

ROW_HEIGHT, FRAME = 35, 38  # pixels: Streamlit's row; its header and both borders


def height(num_rows: int, most: int | None = None) -> int:
    """Pixels in which so many rows stand without scrolling; ``most`` pixels, where the rows then scroll."""
    whole = ROW_HEIGHT * num_rows + FRAME
    return whole if most is None else min(whole, most)


def count(label: str | None = None, width: int | None = None) -> Any:
    """A column of counts, printed as the reader's browser prints numbers; ``width`` is in pixels."""
    return st.column_config.NumberColumn(label, format="localized", width=width)
