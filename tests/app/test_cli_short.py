"""What the command line says is short: descriptions of commands are whole, refusals are one line."""

from pathlib import Path

from analysis.formats import FORMATS
from tests.app.command_line import run
from tests.builders import SAMPLES

CLOCK = SAMPLES[2]


def test_a_refusal_is_short_and_lists_below_it_what_each_format_looks_for(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("hello")
    said, *tried = run("analyze", tmp_path / "notes.txt", code=2).stderr.splitlines()
    assert said.startswith("whymiss: notes.txt: text, and no log that Whymiss reads.") and len(said) < 200
    assert tried == [f"  {known.name} looks for {known.looks_for}" for known in FORMATS]


def test_a_file_that_is_refused_beside_others_is_one_short_line(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("hello")
    (line,) = run("analyze", tmp_path / "notes.txt", CLOCK).stderr.splitlines()
    assert line.endswith("`whymiss formats` lists what each format looks for.") and len(line) < 250


def test_no_description_of_a_command_is_cut() -> None:
    _head, listed = run("--help").stdout.split("Commands:\n")
    assert len(listed.split("\n")) > 10 and "..." not in listed
