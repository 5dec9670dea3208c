"""CSV as exports write it: quoted cells over several lines, a byte order mark, a last row that was cut off."""

import csv

import pytest

from analysis.formats.base import Problems
from analysis.formats.tables import header, rows


@pytest.mark.parametrize(
    ("head", "columns"),
    [
        (b'id,"trace,Id",input\n1,2,3', ("id", "trace,Id", "input")),
        (b"\xef\xbb\xbfid,b\r\n", ("id", "b")),
        (b'{"a": 1, "b": 2}', ()),
        (b"[1, 2]", ()),
        (b"hello\nid,b", ()),
        (b"a\0,b", ()),
        (b"", ()),
    ],
)
def test_the_header_names_the_columns(head: bytes, columns: tuple[str, ...]) -> None:
    assert header(head) == columns


def test_a_row_has_its_cells_by_name_and_the_line_where_it_ends() -> None:
    problems = Problems("f")
    text = b'id,input,model\n1,"{""a"":\n 1}",m\n2,,m\n\n3,x\n'
    assert [*rows(text, ("id", "input", "model"), problems)] == [
        (3, {"id": "1", "input": '{"a":\n 1}', "model": "m"}),
        (4, {"id": "2", "model": "m"}),
    ]
    (problem,) = problems.listed()
    assert (problem.line, "not as many cells" in problem.message) == (6, True)


def test_what_is_cut_off_is_said() -> None:
    problems = Problems("f")
    assert [line for line, _row in rows(b'id,b\n1,2\n2,"x', ("id", "b"), problems)] == [2]
    assert "cannot be read from here on" in problems.listed()[0].message


def test_a_large_cell_is_read() -> None:
    ((_line, row),) = rows(b"id,b\n1," + b"x" * (1 << 18), ("id", "b"), Problems("f"))
    assert len(row["b"]) == 1 << 18


@pytest.mark.parametrize("data", [b"id,b\n1,2\n3,4", b'id,b\n1,2\n3,"x'], ids=["whole", "cut off"])
def test_how_large_a_cell_may_be_is_as_before(data: bytes) -> None:
    before = csv.field_size_limit(12_345)
    try:
        assert next(rows(data, ("id", "b"), Problems("f"))) == (2, {"id": "1", "b": "2"})
        assert csv.field_size_limit() == 12_345
    finally:
        csv.field_size_limit(before)
