"""Problems as a table and as a file."""

import csv
import io

import pandas as pd

from analysis.model.session import Problem
from analysis.report.palette import palette
from analysis.store.imports import Import
from analysis.store.repository import Repository
from app.problems_view import MOST_ROWS, as_csv, rows, table_html


def stored() -> pd.DataFrame:
    repository = Repository.open(":memory:")
    problems = [
        Problem(
            "a.jsonl", 3, "not a JSON object: this line was left out. Check how it was written. (and 2 more such lines)"
        ),
        Problem("a.jsonl", None, "=cmd|' /C calc'!A1"),
    ]
    repository.save(Import("a.jsonl", "s", 1, "as given", [], problems))
    repository.refuse("-b.bin", "binary data, and no log. Whymiss reads logs. Tried: a looks for b; -c looks for d.")
    return repository.problems()


def test_each_problem_is_a_row_with_what_and_remedy_and_refused_files_come_first() -> None:
    frame = rows(stored())
    assert frame.file.tolist() == ["-b.bin", "a.jsonl", "a.jsonl"]
    assert frame.line.isna().tolist() == [True, False, True] and frame.line[1] == 3
    assert frame.what.tolist() == [
        "refused: binary data, and no log.",
        "not a JSON object: this line was left out. (and 2 more such lines)",
        "=cmd|' /C calc'!A1",
    ]
    assert frame.remedy.tolist() == ["Whymiss reads logs.", "Check how it was written.", ""]


def test_a_spreadsheet_shows_it_and_runs_nothing() -> None:
    text = as_csv(rows(stored())).decode("utf-8-sig")
    header, first, second, third = csv.reader(io.StringIO(text))
    assert header == ["file", "line", "what", "remedy", "tried"]
    assert (
        first[:2] == ["'-b.bin", ""]
        and first[4] == "a looks for b; -c looks for d"
        and second[1] == "3"
        and third[2] == "'=cmd|' /C calc'!A1"
    )


def test_the_table_on_the_page_is_escaped_and_says_how_many_it_leaves_out() -> None:
    frame = rows(stored())
    frame.loc[0, "what"] = "<script>alert(1)</script>"
    made = table_html(frame, palette(True))
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in made and "<script" not in made
    assert made.count("<tr>") == 4 and "<td>3</td>" in made and "<td></td>" in made
    many = pd.concat([frame] * 200)
    assert table_html(many, palette(True)).count("<tr>") == MOST_ROWS + 1


def test_without_problems_there_is_no_row() -> None:
    assert rows(Repository.open(":memory:").problems()).empty
